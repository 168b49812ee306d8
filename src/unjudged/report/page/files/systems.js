// The systems by mean, with an interval of each kind.
const ROW = 26;

function drawSystems() {
  const order = byMean();
  const means = of("means");
  const spec = charts().intervals;
  const width = widthOf("intervals");
  const [left, right, top] = [Math.min(220, 0.3 * width, 8 * longest(facts.runs) + 14), width - 64, 22];
  const bottom = top + ROW * RUNS;
  const rows = order.map((run) => ({
    run: facts.runs[run],
    mean: means[run],
    ...Object.fromEntries(INTERVALS.flatMap((kind) => ends(kind, run).map((end, i) => [`${kind}_${["low", "high"][i]}`, end]))),
  }));
  const { chart, y } = plot(spec, { rows }, { width, height: bottom + 42, left, right, top, bottom });
  for (const { run, mean } of rows) chart.append(label(right + 8, y.at(run) + 4, number(mean)));
  const about = `${many(RUNS, "system", "systems")}, best mean first; the table below has the same numbers`;
  figure("intervals", spec.title.text, about, chart, legendOf(spec));
  systemsTable(order);
}

const PREFIX = { bounds: "", queries: "query_" }; // of the ends of an interval, as the commands name them

function systemsTable(order) {
  const means = of("means");
  const between = (kind) => ["low", "high"].map((end, i) => ({
    name: `${PREFIX[kind] ?? `${kind}_`}${end}`, heading: `${PREFIX[kind] ?? `${kind}_`}${end}`.replace("_", " "),
    kind: "number", value: (run) => ends(kind, run)[i], title: facts.intervals[kind].covers,
  }));
  const columns = [
    { name: "system", kind: "name", value: (run) => facts.runs[run] },
    { name: "mean", kind: "number", value: (run) => means[run] },
    ...INTERVALS.filter((kind) => order.some((run) => !Number.isNaN(ends(kind, run)[0]))).flatMap(between),
  ];
  if (RUNS > 1) {
    const places = of("places");
    const whole = (name, heading, title, value) => ({ name, heading, kind: "number", title, value, show: (run) => String(value(run)) });
    if (facts.tests.baseline === null) {
      columns.push(
        whole("place_low", "best place", "1 + the systems that are better", (run) => places[2 * run]),
        whole("place_high", "worst place", "all but the systems that it is better than", (run) => places[2 * run + 1]),
      );
    }
  }
  table("systems-table", `Systems by mean ${measureName()}`, columns, order);
}

// The matrix of pairs, systems by mean on both sides.
function headlineLegend(spec) {
  byId("legend").replaceChildren(...[...new Set(of("headline"))].sort().map((h) => {
    const headline = facts.headlines[h];
    const [[colour, path]] = outlines(spec, [{ headline }], { at: () => 10, step: 22 }, { at: () => 10 });
    return make("li", {}, draw("svg", { width: 20, height: 20, "aria-hidden": "true" }, painted(spec, colour, path)), facts.measures[state.measure].means[h]);
  }));
}

function describePair(pair) {
  return [
    `${facts.runs[pair.a]} minus ${facts.runs[pair.b]}: ${signed(pair.difference)} ${measureName()}`,
    ...(bounded() ? [`judging could make it ${signed(pair.low)} to ${signed(pair.high)}`] : []),
    significance(pair),
    `other queries: ${pair.other}; more judging: ${pair.more}`,
    pair.headline,
  ].join("\n");
}

function drawMatrix() {
  const order = byMean();
  const names = order.map((run) => facts.runs[run]);
  const spec = structuredClone(charts().matrix);
  for (const side of ["x", "y"]) spec.encoding[side].sort = names;
  headlineLegend(spec);
  const rows = order.flatMap((a, i) => order.slice(i + 1).map((b) => pairOf(a, b)).filter(Boolean))
    .map((pair) => ({ row: facts.runs[pair.a], column: facts.runs[pair.b], headline: pair.headline }));
  const width = widthOf("matrix");
  const room = Math.min(8 * longest(names) + 14, 0.25 * width, 180);
  const size = Math.max(5, Math.min(30, Math.floor((width - room) / RUNS)));
  const side = size >= LEAST_FONT ? room : 4;
  const whole = Math.ceil(side + size * RUNS + 4);
  const { chart } = plot(spec, { rows }, { width: whole, height: whole, left: side, right: side + size * RUNS, top: side, bottom: side + size * RUNS });
  const box = { width: size, height: size, visibility: "hidden" };
  const [cursor, chosen] = ["cursor", "chosen"].map((name) => draw("rect", { class: name, ...box }));
  chart.append(chosen, cursor);
  const about = "Systems by mean on both sides. Each cell is the headline of the system of the row, which is ahead, and that of the column; the table below has the same numbers";
  figure("matrix", spec.title.text, about, chart, make("p", { class: "quiet" }, "Point at a cell for its numbers, choose it to see the pair. With the keyboard: arrow keys and Enter."));
  steer(chart, order, side, size, cursor);
  marked = () => place(chosen, ...[state.a, state.b].map((run) => order.indexOf(run)).sort((i, j) => i - j), side, size);
  marked();
  pairsTable();
}

let marked = () => undefined;

function place(box, row, column, side, size) {
  box.setAttribute("x", side + column * size);
  box.setAttribute("y", side + row * size);
  box.setAttribute("visibility", "visible");
}

function steer(chart, order, side, size, cursor) {
  const at = { row: 0, column: 1 };
  const home = chart.parentElement;
  home.setAttribute("role", "application");
  home.setAttribute("aria-label", "Matrix of pairs: arrow keys move, Enter chooses the pair");
  const here = () => pairOf(order[at.row], order[at.column]);
  const inside = (row, column) => row >= 0 && column > row && column < RUNS;
  const choose = () => { if (here()) choosePair(order[at.row], order[at.column]); };
  const cell = (event) => pointer(chart, event).map((x) => Math.floor((x - side) / size));
  chart.addEventListener("mousemove", (event) => {
    const [column, row] = cell(event);
    const pair = inside(row, column) ? pairOf(order[row], order[column]) : null;
    if (!pair) { cursor.setAttribute("visibility", "hidden"); hideTip(); return; }
    Object.assign(at, { row, column });
    place(cursor, row, column, side, size);
    showTip(describePair(pair), event);
  });
  chart.addEventListener("mouseleave", () => { cursor.setAttribute("visibility", "hidden"); hideTip(); });
  chart.addEventListener("click", (event) => {
    const [column, row] = cell(event);
    if (inside(row, column)) { Object.assign(at, { row, column }); choose(); }
  });
  home.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (event.key === "Enter") choose();
    if (!step) return;
    event.preventDefault();
    at.row = Math.min(Math.max(at.row + step[0], 0), RUNS - 2);
    at.column = Math.min(Math.max(at.column + step[1], at.row + 1), RUNS - 1);
    place(cursor, at.row, at.column, side, size);
    announce(here() ? describePair(here()) : `${facts.runs[order[at.row]]} and ${facts.runs[order[at.column]]} were not compared`);
  });
}

// A table has the better system first; what is saved of it has pairs as the commands write them.
const asGiven = (pair) => (placeOfPair[pair.a * RUNS + pair.b] < 0 ? pairOf(pair.b, pair.a) : pair);
const betterFirst = (pair) => (betterSign() * pair.difference < 0 ? pairOf(pair.b, pair.a) : pair);

function pairsTable() {
  const rows = Array.from(arrays.first, (a, k) => betterFirst(pairOf(a, arrays.second[k])));
  const button = (pair) => make("button", { type: "button", onclick: () => choosePair(pair.a, pair.b), "aria-label": `Show ${facts.runs[pair.a]} and ${facts.runs[pair.b]}` }, "Show");
  const end = (key, name, title) => ({ name, heading: name.replace("_", " "), kind: "number", value: (pair) => pair[key], show: (pair) => signed(pair[key]), title });
  const both = (low, high, of) => [end(low, bounded() ? "low" : "query_low", `lowest ${of}`), end(high, bounded() ? "high" : "query_high", `highest ${of}`)];
  const share = (name, title, text) => ({ name, kind: "number", value: (pair) => pair[name], show: text, title });
  const columns = [
    { name: "a", kind: "name", value: (pair) => facts.runs[pair.a] },
    { name: "b", kind: "name", value: (pair) => facts.runs[pair.b] },
    { name: "difference", kind: "number", value: (pair) => pair.difference, show: (pair) => signed(pair.difference) },
    ...(bounded() ? both("low", "high", "difference that judging could make") : both("queryLow", "queryHigh", "end of the interval for other queries")),
    { name: "p", kind: "number", value: (pair) => pair.p, show: (pair) => pText(pair.p) },
    { name: "p_adjusted", heading: "adjusted", kind: "number", value: (pair) => pair.adjusted, show: (pair) => pText(pair.adjusted), title: facts.tests.correction },
    ...(bounded() ? [share("flip", "share of its unjudged documents that would have to be relevant for b to overtake a", (pair) => shareText(pair.flip)), share("seen", "that share among the judged documents", (pair) => (pair.more.startsWith("cannot") ? "" : shareText(pair.seen)))] : []),
    { name: "headline", kind: "text", value: (pair) => pair.headline },
    { name: "pair", kind: "text", value: () => "", show: button },
  ];
  table("pairs-table", `Pairs by ${measureName()}`, columns, rows, { saved: asGiven });
}
