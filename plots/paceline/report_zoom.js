// Zoom: the wide panels of a figure show the same part of the time axis.
const MOST = 64;  // times

function readAxis(panel) {
  const [low, high, left, right, top, bottom] = panel.dataset.across.split(" ").map(Number);
  return {low, high, left, right, top, bottom,
          valueAt: x => low + (x - left) / (right - left) * (high - low)};
}

function drawTicks(panel, axis, transform) {
  const from = axis.valueAt(transform.invertX(axis.left));
  const to = axis.valueAt(transform.invertX(axis.right));
  const places = Math.max(0, -Math.floor(Math.log10(d3.tickStep(from, to, 7)) + 1e-9));
  const at = value => transform.applyX(
    axis.left + (value - axis.low) / (axis.high - axis.low) * (axis.right - axis.left));
  const ticks = d3.select(panel).select(".across").classed("replaced", transform.k > 1)
    .selectAll(".tick").data(transform.k > 1 ? d3.ticks(from, to, 7) : [], value => value)
    .join(enter => {
      const tick = enter.append("g").attr("class", "tick");
      tick.append("line").attr("class", "s-grid").attr("y1", axis.top).attr("y2", axis.bottom);
      tick.append("text").attr("class", "f-muted").attr("y", axis.bottom + 15)
        .attr("font-size", 10).attr("text-anchor", "middle");
      return tick;
    });
  ticks.attr("transform", value => `translate(${at(value)} 0)`)
    .select("text").text(value => value.toFixed(places));
}

const barOf = d3.local();
function findBars(panel) {  // the bar that a text names
  const boxes = [...panel.querySelectorAll(".stretched > polygon")].map(bar => bar.getBBox());
  d3.select(panel).select(".inside").selectAll("text").each(function () {
    const x = Number(this.getAttribute("x")), y = Number(this.getAttribute("y")) - 4;
    barOf.set(this, boxes.find(box => box.x <= x && x <= box.x + box.width
      && box.y <= y && y <= box.y + box.height) || {x, width: 0});
  });
}

function placeText(text, axis, transform) {  // in the middle of the visible part of its bar
  const {x, width} = barOf.get(text), length = text.getComputedTextLength();
  const from = Math.max(transform.applyX(x), axis.left);
  const to = Math.min(transform.applyX(x + width), axis.right);
  d3.select(text).classed("outside", width ? to - from < length + 2 : to < from)
    .attr("transform", `translate(${(from + to) / 2 - Number(text.getAttribute("x"))} 0)`);
}

function show(panel, transform) {
  const axis = readAxis(panel);
  d3.select(panel).select(".stretched")
    .attr("transform", `translate(${transform.x} 0) scale(${transform.k} 1)`);
  const texts = d3.select(panel).select(".inside").selectAll("text").classed("outside", false);
  if (!texts.empty() && !barOf.get(texts.node())) findBars(panel);
  texts.each(function () { placeText(this, axis, transform); });
  drawTicks(panel, axis, transform);
}

function allowed() {  // the wheel alone and one finger scroll the page
  const {type, ctrlKey, metaKey, button, touches} = d3.event;
  if (type === "wheel") return ctrlKey || metaKey;
  if (touches) return touches.length > 1 || d3.zoomTransform(this).k > 1;
  return !button;
}

function makeZoom(scroll) {
  const panels = d3.select(scroll).selectAll("svg.figure[data-across]");
  const first = readAxis(panels.node());
  const frame = [[first.left, 0], [first.right, 1]];
  const zoom = d3.zoom().scaleExtent([1, MOST]).extent(frame).translateExtent(frame)
    .filter(allowed)
    .wheelDelta(() => -d3.event.deltaY * (d3.event.deltaMode ? 0.05 : 0.006))
    .on("zoom", () => {
      const transform = d3.event.transform;
      hideTip();
      panels.property("__zoom", transform)
        .style("touch-action", transform.k > 1 ? "pan-y" : "pan-x pan-y")
        .classed("zoomed", transform.k > 1).each(function () { show(this, transform); });
    });
  panels.call(zoom).style("touch-action", "pan-x pan-y").on("keydown.zoom", function () {
    const change = {"+": 2, "=": 2, "-": 0.5}[d3.event.key];
    if (change) zoom.scaleBy(d3.select(this), change);
    else if (d3.event.key === "0") zoom.transform(d3.select(this), d3.zoomIdentity);
  });
  const bar = d3.select(scroll.parentNode).insert("p", () => scroll).attr("class", "zooms");
  const one = d3.select(panels.node());
  const add = (text, label, act) => bar.append("button").text(text).attr("aria-label", label)
    .on("click", act);
  bar.append("span").text("zoom ");
  add("\u2212", "zoom out", () => zoom.scaleBy(one, 0.5));
  add("+", "zoom in", () => zoom.scaleBy(one, 2));
  add("all", "show all", () => zoom.transform(one, d3.zoomIdentity));
  bar.append("span").attr("class", "hint")
    .text("also: double click, Ctrl + wheel, two fingers; drag to move");
}

d3.selectAll("figure .scroll").filter(function () {
  return this.querySelector("svg.figure[data-across]");
}).each(function () { makeZoom(this); });
