// Lines: the nearest one shows its value at the pointer, and those of its colour theirs.
const linesIn = d3.local();
const byX = d3.bisector(point => point[0]);

function linesOf(panel) {
  if (!panel.dataset.axes) return [];
  if (!linesIn.get(panel)) {
    linesIn.set(panel, marksOf(panel).all.filter(mark => mark.shape.tagName === "polyline")
      .map(mark => ({...mark, of: mark.shape.dataset.of,
                     colour: [...mark.shape.classList].find(name => name.startsWith("s-")),
                     points: mark.shape.getAttribute("points").split(" ")
                       .map(point => point.split(",").map(Number))})));
  }
  return linesIn.get(panel).filter(isShown);
}

function heightAt(line, x) {  // undefined beyond its ends
  const at = byX.left(line.points, x), before = line.points[at - 1], after = line.points[at];
  if (!before || !after) return undefined;
  const share = after[0] > before[0] ? (x - before[0]) / (after[0] - before[0]) : 1;
  return before[1] + share * (after[1] - before[1]);
}

function quantityAt([low, high, isLog, label, from, to], place) {  // "time 1.2 s"
  const share = (place - from) / (to - from);
  const value = isLog ? low * (high / low) ** share : low + share * (high - low);
  const [, name, unit] = label.match(/^(.*?)(?: \((.*)\))?$/);
  return [name, Number(value.toPrecision(3)).toLocaleString("en"), unit].filter(Boolean).join(" ");
}

function lineNear(panel, x, y, most, event) {
  const found = linesOf(panel).map(line => [line, heightAt(line, x)])
    .filter(([, height]) => Math.abs(height - y) < most);
  const best = found[d3.leastIndex(found, ([, a], [, b]) => Math.abs(a - y) - Math.abs(b - y))];
  if (!best) return undefined;
  const [line, height] = best, [across, up] = JSON.parse(panel.dataset.axes);
  const others = linesOf(panel).filter(each => each.colour === line.colour && each.of !== line.of)
    .map(each => [each, heightAt(each, x)]).filter(([, at]) => at !== undefined)
    .map(([each, at]) => `${each.of}: ${quantityAt(up, at)}`);
  const name = line.of && !line.text.includes(line.of) ? `${line.text}, ${line.of}` : line.text;
  return {...line, page: [event.pageX, event.pageY], text: [
    `${name}: ${quantityAt(up, height)} at ${quantityAt(across, x)}`, ...others].join("\n")};
}
