// The matrix of pairs, systems by mean on both sides. A verdict has a shape as well as a colour, and all its cells
// are one path, so that thousands of pairs are a handful of elements.
const SHAPES = [
  (x, y, s) => `M${x} ${y}h${s}v${s}h${-s}z`,
  (x, y, s) => `M${x} ${y}h${s}L${x} ${y + s}z`,
  (x, y, s) => `M${x + s / 4} ${y + s / 4}h${s / 2}v${s / 2}h${-s / 2}z`,
  (x, y, s) => `M${x + s / 4} ${y + s / 2}h${s / 2}v${s / 4}h${-s / 2}z`,
  (x, y, s) => `M${x + s / 2} ${y}L${x + s} ${y + s / 2}L${x + s / 2} ${y + s}L${x} ${y + s / 2}z`,
];
const MEANS = [
  "clear: significant, and unjudged documents cannot reverse it",
  "significant, but unjudged documents can reverse it",
  "settled: unjudged documents cannot reverse it, but other queries could",
  "open: both other queries and unjudged documents could reverse it",
  "unresolved: whether unjudged documents can reverse it is not known",
];

function verdictLegend() {
  const seen = new Set(of("verdict"));
  byId("legend").replaceChildren(...[...seen].sort().map((v) => {
    const picture = draw("svg", { width: 16, height: 16, "aria-hidden": "true" }, draw("path", { class: `v${v}`, d: SHAPES[v](1, 1, 14) }));
    return make("li", {}, picture, MEANS[v]);
  }));
}

function describePair(pair) {
  return [
    `${facts.runs[pair.a]} minus ${facts.runs[pair.b]}: ${signed(pair.difference)} ${measureName()}`,
    `all documents judged: ${signed(pair.low)} to ${signed(pair.high)}`,
    `p ${pText(pair.p)}, corrected ${pText(pair.adjusted)}`,
    `prevalence at the flip: ${flipText(pair.flip)}`,
    facts.verdicts[pair.verdict],
  ].join("\n");
}

function drawMatrix() {
  verdictLegend();
  const order = byMean();
  const longest = Math.max(...facts.runs.map((name) => name.length));
  const width = widthOf("matrix");
  const room = Math.min(8 * longest + 14, 0.25 * width, 180);
  const size = Math.max(5, Math.min(30, Math.floor((width - room) / RUNS)));
  const named = size >= 8;
  const side = named ? room : 4;
  const gap = size >= 12 ? 2 : 1;
  const chart = draw("svg", { width: Math.ceil(side + size * RUNS + 4), height: Math.ceil(side + size * RUNS + 4) });
  const paths = SHAPES.map(() => []);
  order.forEach((a, row) => order.forEach((b, column) => {
    const pair = a === b ? null : pairOf(a, b);
    if (pair) paths[pair.verdict].push(SHAPES[pair.verdict](side + column * size, side + row * size, size - gap));
  }));
  paths.forEach((parts, v) => { if (parts.length) chart.append(draw("path", { class: `v${v}`, d: parts.join("") })); });
  if (named) {
    const font = Math.min(12, size);
    const settings = { size: font, most: Math.floor((side - 6) / (0.66 * font)) };
    order.forEach((run, i) => {
      const middle = side + (i + 0.5) * size + font / 3;
      chart.append(label(side - 5, middle - gap / 2, facts.runs[run], { ...settings, anchor: "end" }));
      chart.append(label(middle - gap / 2, side - 5, facts.runs[run], { ...settings, turn: -90 }));
    });
  }
  const box = { width: size, height: size, visibility: "hidden" };
  const [cursor, chosen] = ["cursor", "chosen"].map((name) => draw("rect", { class: name, ...box }));
  chart.append(chosen, cursor);
  const about = "Systems by mean on both sides. Each cell is the verdict of the row's system against the column's; the table below has the same numbers";
  figure("matrix", `Pairs by ${measureName()}`, about, chart, make("p", { class: "quiet" }, "Point at a cell for its numbers, choose it to see the pair. With the keyboard: arrow keys and Enter."));
  steer(chart, order, side, size, cursor);
  marked = () => place(chosen, order.indexOf(state.a), order.indexOf(state.b), side, size);
  marked();
  pairsTable();
}

let marked = () => undefined;

function place(box, row, column, side, size) {
  box.setAttribute("x", side + column * size - 1);
  box.setAttribute("y", side + row * size - 1);
  box.setAttribute("visibility", "visible");
}

function steer(chart, order, side, size, cursor) {
  const at = { row: 0, column: 1 };
  const home = chart.parentElement;
  home.setAttribute("role", "application");
  home.setAttribute("aria-label", "Matrix of pairs: arrow keys move, Enter chooses the pair");
  const here = () => pairOf(order[at.row], order[at.column]);
  const choose = () => { if (here()) choosePair(order[at.row], order[at.column]); };
  const cell = (event) => pointer(chart, event).map((x) => Math.floor((x - side) / size));
  chart.addEventListener("mousemove", (event) => {
    const [column, row] = cell(event);
    const inside = row >= 0 && column >= 0 && row < RUNS && column < RUNS;
    const pair = inside && row !== column ? pairOf(order[row], order[column]) : null;
    if (!pair) { cursor.setAttribute("visibility", "hidden"); hideTip(); return; }
    Object.assign(at, { row, column });
    place(cursor, row, column, side, size);
    showTip(describePair(pair), event);
  });
  chart.addEventListener("mouseleave", () => { cursor.setAttribute("visibility", "hidden"); hideTip(); });
  chart.addEventListener("click", (event) => {
    const [column, row] = cell(event);
    if (row >= 0 && column >= 0 && row < RUNS && column < RUNS) { Object.assign(at, { row, column }); choose(); }
  });
  home.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (event.key === "Enter") choose();
    if (!step) return;
    event.preventDefault();
    at.row = Math.min(Math.max(at.row + step[0], 0), RUNS - 1);
    at.column = Math.min(Math.max(at.column + step[1], 0), RUNS - 1);
    place(cursor, at.row, at.column, side, size);
    const pair = at.row === at.column ? null : here();
    announce(pair ? describePair(pair) : `${facts.runs[order[at.row]]}: no pair`);
  });
}

function pairsTable() {
  const rows = Array.from(arrays.first, (a, k) => pairOf(a, arrays.second[k]));
  const button = (pair) => make("button", { type: "button", onclick: () => choosePair(pair.a, pair.b), "aria-label": `Show ${facts.runs[pair.a]} and ${facts.runs[pair.b]}` }, "Show");
  const columns = [
    { name: "a", kind: "name", value: (pair) => facts.runs[pair.a] },
    { name: "b", kind: "name", value: (pair) => facts.runs[pair.b] },
    { name: "difference", kind: "number", value: (pair) => pair.difference, show: (pair) => signed(pair.difference) },
    { name: "low", kind: "number", value: (pair) => pair.low, show: (pair) => signed(pair.low), title: "lowest difference with all documents judged" },
    { name: "high", kind: "number", value: (pair) => pair.high, show: (pair) => signed(pair.high), title: "highest difference with all documents judged" },
    { name: "p", kind: "number", value: (pair) => pair.p, show: (pair) => pText(pair.p) },
    { name: "p_adjusted", kind: "number", value: (pair) => pair.adjusted, show: (pair) => pText(pair.adjusted), title: facts.tests.correction },
    { name: "flip", kind: "number", value: (pair) => (pair.flip < 0 ? NaN : pair.flip), show: (pair) => flipText(pair.flip), title: "share of relevant documents among the unjudged from which on the expected difference has the other sign" },
    { name: "verdict", kind: "text", value: (pair) => facts.verdicts[pair.verdict] },
    { name: "pair", kind: "text", value: () => "", show: button },
  ];
  table("pairs-table", `Pairs by ${measureName()}`, columns, rows);
}
