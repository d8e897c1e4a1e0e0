"use strict";
// The page is complete without scripts. Tables: a heading sorts, a field filters the rows of a
// long one.
const UNITS = {ns: 1e-9, "\u00b5s": 1e-6, ms: 1e-3, s: 1};

function valueOf(cell) {  // a number with its unit; otherwise the text
  const text = cell.textContent.replace(/,/g, "").replace("\u2212", "-");
  const found = text.match(/^[+-]?[\d.]+(?=\s*(.*))/);
  return found ? parseFloat(found[0]) * (UNITS[found[1].split(" ").pop()] || 1) : text;
}

function sortBy(table, column, heading) {
  const up = heading.attr("aria-sort") !== "ascending";
  const order = up ? d3.ascending : d3.descending;
  const isText = value => typeof value === "string";
  d3.select(table.tHead).selectAll("th").attr("aria-sort", null);
  heading.attr("aria-sort", up ? "ascending" : "descending");
  d3.select(table.tBodies[0]).selectAll("tr")
    .datum(function () { return valueOf(this.cells[column]); })
    .sort((a, b) => isText(a) - isText(b) || order(a, b));
}

function patternOf(word) {  // the begin of a word of the row; a number is a whole word
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(^|[\\s(])${escaped}${/^\d+$/.test(word) ? "(?=[\\s,)]|$)(?!,\\d)" : ""}`);
}

function makeFilter(table) {
  const rows = d3.select(table.tBodies[0]).selectAll("tr");
  const omitted = new Set(d3.select(table.tHead).selectAll("th").nodes().flatMap(
    (each, at) => /^layer times/.test(each.textContent) ? [at] : []));
  const read = () => rows.nodes().map(row => [...row.cells].filter((_, at) => !omitted.has(at))
    .map(cell => cell.textContent).join(" ").toLowerCase());
  const isOfPoints = table.tHead.textContent.startsWith("point");
  const line = d3.select(table.closest(".wide").parentNode)
    .insert("p", () => table.closest(".wide")).attr("class", "filter");
  let texts = null;
  const field = line.append("input").attr("type", "search")
    .attr("aria-label", "filter the rows of this table")
    .attr("placeholder", isOfPoints ? "filter rows, e.g. async 8 workers" : "filter rows");
  const count = line.append("output");
  field.on("input", function () {
    texts = texts || read();
    const words = this.value.toLowerCase().split(/\s+/).filter(Boolean).map(patternOf);
    const shown = texts.map(text => words.every(word => word.test(text)));
    rows.property("hidden", (_, at) => !shown[at]);
    count.text(`${shown.filter(Boolean).length} of ${texts.length} rows`);
  });
}

d3.selectAll(".wide > table").each(function () {
  const table = this;
  d3.select(table.tHead).selectAll("th").each(function (_, column) {
    const heading = d3.select(this), contents = [...this.childNodes];
    heading.append("button").on("click", () => sortBy(table, column, heading))
      .node().append(...contents);
  });
  if (table.tBodies[0].rows.length > 8) makeFilter(table);
});

function unfold() {  // the part that a link leads to; some browsers do it by themselves
  const part = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const folded = part ? d3.selectAll("details").filter(function () { return this.contains(part); })
    : d3.selectAll([]);
  if (!folded.filter(":not([open])").empty()) {
    folded.attr("open", "");
    part.scrollIntoView();
  }
}
d3.select(window).on("hashchange.unfold", unfold);
unfold();
