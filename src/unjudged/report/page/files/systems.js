// The systems by mean, with an interval of each kind.
const ROW = 26;

function drawSystems() {
  const order = byMean();
  const means = of("means");
  const spec = charts().intervals;
  const width = widthOf("intervals");
  const [left, right, top] = [Math.min(220, Math.max(90, 0.3 * width)), width - 64, 22];
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

function systemsTable(order) {
  const means = of("means");
  const between = (name, kind) => ["low", "high"].map((end, i) => ({
    name: `${name} ${end}`, kind: "number", value: (run) => ends(kind, run)[i], title: facts.intervals[kind].covers,
  }));
  const columns = [
    { name: "system", kind: "name", value: (run) => facts.runs[run] },
    { name: "mean", kind: "number", value: (run) => means[run] },
    ...INTERVALS.filter((kind) => order.some((run) => !Number.isNaN(ends(kind, run)[0]))).flatMap((kind) => between(kind, kind)),
  ];
  if (RUNS > 1) {
    const ranks = of("rank_intervals");
    const how = bounded() ? "clearly or robustly" : "significantly";
    const whole = (name, title, value) => ({ name, kind: "number", title, value, show: (run) => String(value(run)) });
    columns.push(
      whole("best rank", `1 + the systems that are ${how} better`, (run) => ranks[2 * run]),
      whole("worst rank", `all but the systems that are ${how} worse`, (run) => ranks[2 * run + 1]),
      whole("tier", `a tier ends where a system of it ${how} beats the next`, (run) => of("tier")[run]),
    );
  }
  table("systems-table", `Systems by mean ${measureName()}`, columns, order);
}

// The matrix of pairs, systems by mean on both sides.
const MEANS = [
  "clear: significant, and unjudged documents of pool and runs cannot reverse it",
  "robust: significant, and only an implausible share of relevant unjudged documents reverses it",
  "significant, but unjudged documents can reverse it",
  "settled: unjudged documents of pool and runs cannot reverse it, but other queries could",
  "robust, not significant: only an implausible share reverses it, but other queries could",
  "open: both other queries and unjudged documents could reverse it",
  "unresolved: whether unjudged documents can reverse it is not known",
  "significant: more than the choice of queries explains; the measure has no bounds",
  "not significant: other queries could reverse it; the measure has no bounds",
];

function verdictLegend(spec) {
  byId("legend").replaceChildren(...[...new Set(of("verdict"))].sort().map((v) => {
    const verdict = facts.verdicts[v];
    const [[colour, path]] = outlines(spec, [{ verdict }], { at: () => 10, step: 22 }, { at: () => 10 });
    return make("li", {}, draw("svg", { width: 20, height: 20, "aria-hidden": "true" }, painted(spec, colour, path)), MEANS[v]);
  }));
}

function describePair(pair) {
  return [
    `${facts.runs[pair.a]} minus ${facts.runs[pair.b]}: ${signed(pair.difference)} ${measureName()}`,
    ...(bounded() ? [`all documents judged: ${signed(pair.low)} to ${signed(pair.high)}`] : []),
    `p ${pText(pair.p)}, corrected ${pText(pair.adjusted)}`,
    ...(bounded() ? [`reversal prevalence: ${reversalText(pair)}`] : []),
    facts.verdicts[pair.verdict],
  ].join("\n");
}

function drawMatrix() {
  const order = byMean();
  const names = order.map((run) => facts.runs[run]);
  const spec = structuredClone(charts().matrix);
  for (const side of ["x", "y"]) spec.encoding[side].sort = names;
  verdictLegend(spec);
  const rows = order.flatMap((a) => order.filter((b) => b !== a).map((b) => pairOf(a, b)).filter(Boolean))
    .map((pair) => ({ row: facts.runs[pair.a], column: facts.runs[pair.b], verdict: facts.verdicts[pair.verdict] }));
  const width = widthOf("matrix");
  const longest = Math.max(...names.map((name) => name.length));
  const room = Math.min(8 * longest + 14, 0.25 * width, 180);
  const size = Math.max(5, Math.min(30, Math.floor((width - room) / RUNS)));
  const side = size >= LEAST_FONT ? room : 4;
  const whole = Math.ceil(side + size * RUNS + 4);
  const { chart } = plot(spec, { rows }, { width: whole, height: whole, left: side, right: side + size * RUNS, top: side, bottom: side + size * RUNS });
  const box = { width: size, height: size, visibility: "hidden" };
  const [cursor, chosen] = ["cursor", "chosen"].map((name) => draw("rect", { class: name, ...box }));
  chart.append(chosen, cursor);
  const about = "Systems by mean on both sides. Each cell is the verdict of the row's system against the column's; the table below has the same numbers";
  figure("matrix", spec.title.text, about, chart, make("p", { class: "quiet" }, "Point at a cell for its numbers, choose it to see the pair. With the keyboard: arrow keys and Enter."));
  steer(chart, order, side, size, cursor);
  marked = () => place(chosen, order.indexOf(state.a), order.indexOf(state.b), side, size);
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
  const end = (key, name, title) => ({ name, kind: "number", value: (pair) => pair[key], show: (pair) => signed(pair[key]), title });
  const both = (low, high, of) => [end(low, bounded() ? "low" : "query low", `lowest ${of}`), end(high, bounded() ? "high" : "query high", `highest ${of}`)];
  const columns = [
    { name: "a", kind: "name", value: (pair) => facts.runs[pair.a] },
    { name: "b", kind: "name", value: (pair) => facts.runs[pair.b] },
    { name: "difference", kind: "number", value: (pair) => pair.difference, show: (pair) => signed(pair.difference) },
    ...(bounded() ? both("low", "high", "difference with all documents judged") : both("queryLow", "queryHigh", "end of the interval for other queries")),
    { name: "p", kind: "number", value: (pair) => pair.p, show: (pair) => pText(pair.p) },
    { name: "p_adjusted", kind: "number", value: (pair) => pair.adjusted, show: (pair) => pText(pair.adjusted), title: facts.tests.correction },
    ...(bounded() ? [{ name: "reversal", kind: "number", value: (pair) => pair.reversal, show: reversalText, title: "share of its unjudged documents that the system behind would need to be relevant" }] : []),
    { name: "verdict", kind: "text", value: (pair) => facts.verdicts[pair.verdict] },
    { name: "pair", kind: "text", value: () => "", show: button },
  ];
  table("pairs-table", `Pairs by ${measureName()}`, columns, rows);
}
