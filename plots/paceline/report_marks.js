// Marks: the nearest one shows its values: under the pointer, by a touch, by the arrow keys on a
// focused panel. A click or Enter pins them, with the links of the point.
const NEAR = 18;   // units of a panel
const PREFERRED = 6;  // units by which a line must be nearer than a mark
const SMALL = 14;  // a larger shape shows its values only under the pointer itself
const tip = d3.select("body").append("div").attr("class", "tip").attr("role", "status")
  .property("hidden", true);
const marksIn = d3.local();

function marksOf(panel) {  // read at the first use; a title inside would show a second tip
  if (marksIn.get(panel)) return marksIn.get(panel);
  const all = d3.select(panel).selectAll("title").nodes().map(title => {
    const shape = title.parentNode, {x, y, width, height} = shape.getBBox();
    title.remove();
    return {shape, text: title.textContent, x: x + width / 2, y: y + height / 2,
            small: Math.max(width, height) < SMALL};
  });
  const tree = d3.quadtree(all.filter(mark => mark.small), mark => mark.x, mark => mark.y);
  const found = {all, tree, of: new Map(all.map(mark => [mark.shape, mark])), at: -1};
  marksIn.set(panel, found);
  return found;
}

const isShown = mark => !mark.shape.matches(".no-source, .no-colour");

function nearest(panel, event) {
  const marks = marksOf(panel), under = marks.of.get(event.target);
  if (under && under.shape.tagName !== "polyline") return under;
  const [x, y] = d3.clientPoint(panel, event);
  let found = marks.tree.find(x, y, NEAR);
  if (found && !isShown(found)) {
    found = d3.quadtree(marks.all.filter(mark => mark.small && isShown(mark)), mark => mark.x,
                        mark => mark.y).find(x, y, NEAR);
  }
  const distance = found ? Math.hypot(found.x - x, found.y - y) - PREFERRED : NEAR;
  return lineNear(panel, x, y, distance, event) || found || under;
}

function hideTip() {
  tip.property("hidden", true).classed("pinned", false).attr("role", "status");
  d3.selectAll(".here").classed("here", false);
}

function showTip(mark, x, y) {
  hideTip();
  d3.select(mark.shape).classed("here", true);
  tip.property("hidden", false).text(mark.text);
  const left = Math.min(x + 12, scrollX + document.documentElement.clientWidth
    - tip.node().offsetWidth - 8);
  tip.style("left", `${Math.max(left, 4)}px`).style("top", `${y + 16}px`);
}

function middleOf(mark) {
  if (mark.page) return mark.page;
  const box = mark.shape.getBoundingClientRect();
  return [scrollX + box.x + box.width / 2, scrollY + box.y + box.height / 2];
}

const isPinned = () => tip.classed("pinned");

function pin(panel, mark) {
  showTip(mark, ...middleOf(mark));
  tip.classed("pinned", true).attr("role", "dialog").attr("aria-label", mark.text);
  const close = () => { hideTip(); panel.focus({preventScroll: true}); };
  const links = tip.append("p"), row = document.getElementById(`point-${mark.shape.dataset.point}`);
  if (row) {
    const [name, trace] = row.cells[0].querySelectorAll("a");
    links.append("a").text("explanation").attr("href", name.getAttribute("href"));
    links.append("a").text("row").attr("href", `#${row.id}`);
    if (trace) links.append("a").text("trace").attr("href", trace.getAttribute("href"));
    links.selectAll("a").on("click", hideTip);
  }
  links.append("button").text("close").on("click", close);
  links.select("a, button").node().focus({preventScroll: true});
}

function step(panel, by) {  // to the next mark that is shown
  const marks = marksOf(panel), count = marks.all.length;
  let at = marks.at < 0 && by < 0 ? 0 : marks.at;
  for (let tries = 0; tries < count; ++tries) {
    at = (at + by + count) % count;
    if (!isShown(marks.all[at])) continue;
    marks.at = at;
    return showTip(marks.all[at], ...middleOf(marks.all[at]));
  }
}

const STEPS = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1};
function pressed() {
  const {key, target} = d3.event, marks = marksOf(this);
  if (target !== this || !marks.all.length) return;
  if (STEPS[key]) step(this, STEPS[key]);
  else if (key === "Enter" && marks.at >= 0) pin(this, marks.all[marks.at]);
  else return;
  d3.event.preventDefault();
}

function follow() {
  if (isPinned()) return;
  const mark = nearest(this, d3.event);
  if (!mark) return hideTip();
  showTip(mark, d3.event.pageX, d3.event.pageY);
}

function clicked() {
  const mark = nearest(this, d3.event);
  if (!mark || d3.event.target.closest("[data-names]")) return hideTip();
  marksOf(this).at = marksOf(this).all.findIndex(each => each.shape === mark.shape);
  pin(this, mark);
}

d3.selectAll(".panels > svg.figure, .scroll > svg.figure").attr("tabindex", "0")
  .attr("role", "group").on("pointermove.tip", follow).on("pointerdown.tip", follow)
  .on("click.tip", clicked).on("keydown.tip", pressed)
  .on("pointerleave.tip blur.tip", () => { if (!isPinned()) hideTip(); });
d3.select(document).on("keydown.tip", () => {
  if (d3.event.key === "Escape") isPinned() ? tip.select("button").dispatch("click") : hideTip();
}).on("pointerdown.pinned", () => {
  if (isPinned() && !tip.node().contains(d3.event.target)) hideTip();
});
