// Keys: a key hides the shapes of its source or colour, the name at a line those of its colour.
function shapesOf(figure, kind, name) {
  const shapes = kind === "source" ? `[data-of="${name}"]`
    : `.panels :is(.f-${name}, .s-${name}), .scroll :is(.f-${name}, .s-${name})`;
  return d3.select(figure).selectAll(shapes)
    .filter(function () { return this.tagName !== "text" && !this.closest(".keys"); });
}

function makeToggle(buttons, figure, kind, name) {
  buttons.attr("aria-pressed", "true").on("click", () => {
    const hidden = buttons.attr("aria-pressed") === "true";
    buttons.attr("aria-pressed", String(!hidden)).classed("off", hidden);
    shapesOf(figure, kind, name).classed(`no-${kind}`, hidden);
    hideTip();
  });
}

function makeKey(item, figure) {
  const [kind, name] = item.dataset.hides.split(" "), contents = [...item.childNodes];
  if (shapesOf(figure, kind, name).empty()) return;
  const button = d3.select(item).append("button").attr("title", "show or hide");
  button.node().append(...contents);
  makeToggle(button, figure, kind, name);
}

function makeNames(figure) {  // of lines, in all panels
  const texts = d3.select(figure).selectAll("[data-names]");
  for (const colour of new Set(texts.nodes().map(text => text.dataset.names))) {
    const named = texts.filter(`[data-names="${colour}"]`).attr("role", "button");
    makeToggle(named, figure, "colour", colour);
    named.on("keydown", function () {
      if (d3.event.key !== "Enter" && d3.event.key !== " ") return;
      d3.event.preventDefault();
      d3.event.stopPropagation();
      d3.select(this).dispatch("click");
    });
    named.filter((_, at) => at === 0).attr("tabindex", "0");  // one stop of Tab for each colour
  }
}

d3.selectAll("figure").each(function () {
  const figure = this;
  d3.select(figure).selectAll("[data-hides]").each(function () { makeKey(this, figure); });
  makeNames(figure);
});
