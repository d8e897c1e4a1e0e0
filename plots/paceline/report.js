"use strict";
// The page is complete without this script. With it, headings sort tables and a field filters
// their rows, keys hide what they stand for, timelines zoom, and marks show their values.

// Tables: a click on a heading sorts; long tables get a field that filters their rows.
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
function makeFilter(table) {
  const layers = [...table.tHead.rows[0].cells].findIndex(each => /^layer times/.test(
    each.textContent));  // "measured" there is no source
  const rows = [...table.tBodies[0].rows].map(row => [row, [...row.cells].filter(
    (_, at) => at !== layers).map(cell => cell.textContent).join(" ").toLowerCase()]);
  const field = document.createElement("input"), count = document.createElement("output");
  field.type = "search";
  const isOfPoints = table.tHead.textContent.startsWith("point");
  field.placeholder = isOfPoints ? "filter rows, e.g. async 8 workers" : "filter rows";
  field.setAttribute("aria-label", "filter the rows of this table");
  const line = document.createElement("p");
  line.className = "filter";
  line.append(field, count);
  table.closest(".wide").before(line);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const [row, text] of rows) {
      row.hidden = !words.every(word => text.includes(word));
      shown += !row.hidden;
    }
    count.textContent = `${shown} of ${rows.length} rows`;
  });
}
for (const table of document.querySelectorAll("table")) {
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = document.createElement("button");
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => sortBy(table, column, heading));
  });
  if (table.tBodies[0].rows.length > 8) makeFilter(table);
}

// Keys: a key hides the shapes of its source or colour, the name at a line those of its colour.
function shapesOf(figure, kind, name) {
  const shapes = kind === "source" ? `[data-of="${name}"]`
    : `.panels :is(.f-${name}, .s-${name}), .scroll :is(.f-${name}, .s-${name})`;
  return [...figure.querySelectorAll(shapes)]
    .filter(shape => shape.tagName !== "text" && !shape.closest(".keys"));
}
function press(button, others, figure, kind, name) {
  const hidden = button.getAttribute("aria-pressed") === "true";
  for (const each of others) {
    each.setAttribute("aria-pressed", String(!hidden));
    each.classList.toggle("off", hidden);
  }
  for (const shape of shapesOf(figure, kind, name)) shape.classList.toggle(`no-${kind}`, hidden);
  tip.hidden = true;
}
function makeButton(element, others, figure, kind, name) {
  element.setAttribute("aria-pressed", "true");
  element.addEventListener("click", () => press(element, others, figure, kind, name));
}
for (const figure of document.querySelectorAll("figure")) {
  for (const item of figure.querySelectorAll("[data-hides]")) {
    const [kind, name] = item.dataset.hides.split(" ");
    if (!shapesOf(figure, kind, name).length) continue;
    const button = document.createElement("button");
    button.title = "show or hide";
    button.append(...item.childNodes);
    item.append(button);
    makeButton(button, [button], figure, kind, name);
  }
  const names = new Map();  // colour -> the texts that name its lines, in all panels
  for (const text of figure.querySelectorAll("[data-names]")) {
    const texts = names.get(text.dataset.names) || [];
    names.set(text.dataset.names, [...texts, text]);
  }
  for (const [colour, texts] of names) {
    for (const text of texts) {
      text.setAttribute("role", "button");
      makeButton(text, texts, figure, "colour", colour);
      text.addEventListener("keydown", event => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        press(text, texts, figure, "colour", colour);
      });
      text.closest("svg.figure").setAttribute("role", "group");
    }
    texts[0].setAttribute("tabindex", "0");  // one stop of the Tab key for each colour
  }
}

// Zoom: wide panels become wider than the page and scroll.
const widths = [1, 2, 4, 8];
for (const wide of document.querySelectorAll("figure .scroll")) {
  let at = 0;
  const bar = document.createElement("p");
  bar.className = "zooms";
  bar.textContent = "zoom ";
  const makeZoom = (text, label, step) => {
    const button = document.createElement("button");
    button.textContent = text;
    button.setAttribute("aria-label", label);
    button.addEventListener("click", () => {
      const middle = (wide.scrollLeft + wide.clientWidth / 2) / wide.scrollWidth;
      at = Math.min(Math.max(at + step, 0), widths.length - 1);
      for (const panel of wide.querySelectorAll("svg.figure")) {
        panel.style.width = `${100 * widths[at]}%`;
      }
      wide.classList.toggle("zoomed", at > 0);
      wide.scrollLeft = middle * wide.scrollWidth - wide.clientWidth / 2;
    });
    bar.append(button);
  };
  makeZoom("\u2212", "zoom out", -1);
  makeZoom("+", "zoom in", 1);
  wide.before(bar);
}

// Marks: their values at once, also on touch screens, and by the arrow keys on a focused panel.
const tip = document.createElement("div");
tip.className = "tip";
tip.hidden = true;
tip.setAttribute("role", "status");
document.body.append(tip);
function tellOf(shape) {  // a title inside would show a second tip
  const title = shape && shape.querySelector(":scope > title");
  if (title) {
    shape.dataset.tip = title.textContent;
    title.remove();
  }
  return shape && shape.dataset.tip;
}
function showTip(shape, x, y) {
  const text = tellOf(shape);
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const left = Math.min(x + 12, scrollX + innerWidth - tip.offsetWidth - 8);
  tip.style.left = `${Math.max(left, 4)}px`;
  tip.style.top = `${y + 16}px`;
}
function follow(event) {
  if (event.target.closest) {
    showTip(event.target.closest("svg.figure *"), event.pageX, event.pageY);
  }
}
document.addEventListener("pointerover", follow);
document.addEventListener("pointerdown", follow);
document.addEventListener("keydown", event => {
  if (event.key === "Escape") tip.hidden = true;
});
for (const panel of document.querySelectorAll(":is(.panels, .scroll) > svg.figure")) {
  let at = -1;
  panel.setAttribute("tabindex", "0");
  panel.addEventListener("keydown", event => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    const shapes = [...panel.querySelectorAll(":is([data-tip], :has(> title))")]
      .filter(shape => !shape.matches(".no-source, .no-colour"));
    if (!step || !shapes.length || event.target !== panel) return;
    event.preventDefault();
    at = at < 0 ? (step > 0 ? 0 : shapes.length - 1) : (at + step + shapes.length) % shapes.length;
    for (const each of panel.querySelectorAll(".here")) each.classList.remove("here");
    shapes[at].classList.add("here");
    const box = shapes[at].getBoundingClientRect();
    showTip(shapes[at], scrollX + box.x + box.width / 2, scrollY + box.y + box.height / 2);
  });
  panel.addEventListener("blur", () => {
    tip.hidden = true;
    for (const each of panel.querySelectorAll(".here")) each.classList.remove("here");
  });
}
