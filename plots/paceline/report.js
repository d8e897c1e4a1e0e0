"use strict";
// A click on a heading sorts its table. Long tables get a field that filters their rows.
function valueOf(row, column) {
  const text = row.cells[column].textContent.replace(/,/g, "").replace("\u2212", "-");
  const found = text.match(/^[+-]?[\d.]+(?=\s*(.*))/);
  if (!found) return text;
  const unit = {ns: 1e-9, "\u00b5s": 1e-6, ms: 1e-3, s: 1}[found[1].split(" ").pop()] || 1;
  return parseFloat(found[0]) * unit;
}
function sortBy(table, column, heading) {
  const up = heading.getAttribute("aria-sort") !== "ascending";
  for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", up ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows].map(row => [valueOf(row, column), row]);
  rows.sort(([a], [b]) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0)
                                                 : typeof a === "number" ? -1 : 1));
  if (!up) rows.reverse();
  table.tBodies[0].append(...rows.map(([, row]) => row));
}
for (const table of document.querySelectorAll("table")) {
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = document.createElement("button");
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => sortBy(table, column, heading));
  });
  if (table.tBodies[0].rows.length < 9) continue;
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = "filter rows, e.g. async measured";
  field.setAttribute("aria-label", "filter the rows of this table");
  table.closest(".wide").before(field);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
    }
  });
}
// Shows a mark's title at once, also on touch screens; browsers alone show it after a delay.
const tip = document.createElement("div");
tip.className = "tip";
tip.hidden = true;
document.body.append(tip);
function showTip(event) {
  const shape = event.target.closest("svg.figure *");
  const title = shape && shape.querySelector(":scope > title");
  if (title) {
    shape.dataset.tip = title.textContent;
    title.remove();
  }
  tip.hidden = !(shape && shape.dataset.tip);
  if (tip.hidden) return;
  tip.textContent = shape.dataset.tip;
  const left = Math.min(event.pageX + 12, scrollX + innerWidth - tip.offsetWidth - 8);
  tip.style.left = `${Math.max(left, 4)}px`;
  tip.style.top = `${event.pageY + 16}px`;
}
document.addEventListener("pointerover", showTip);
document.addEventListener("pointerdown", showTip);
