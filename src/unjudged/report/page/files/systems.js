// The systems by mean. Each interval has a lane, a shape and a line of its own, named in the legend:
// bounds are a hollow box, the calibrated interval is a solid bar in it, that for other queries a dashed line below.
const ROW = 26;

function glyph(kind) {
  const picture = draw("svg", { width: 44, height: 18, "aria-hidden": "true" });
  picture.append(...intervalMarks(kind, 4, 40, kind === "queries" ? -11 : -2));
  if (kind === "mean") picture.append(draw("path", { class: "ink", d: "M22 2V16" }));
  return picture;
}

function intervalMarks(kind, from, to, top) {
  const width = Math.max(to - from, 1);
  if (kind === "bounds") return [draw("rect", { class: "bounds", x: from, y: top + 6, width, height: 10 })];
  if (kind === "calibrated") return [draw("rect", { class: "calibrated", x: from, y: top + 8.5, width, height: 5 })];
  if (kind === "queries") {
    return [
      draw("path", { class: "queries", d: `M${from} ${top + 20}H${to}` }),
      ...[from, to].map((x) => draw("circle", { class: "queries-end", cx: x, cy: top + 20, r: 2.5 })),
    ];
  }
  return [];
}

const COVERS = {
  bounds: () => `bounds: ${facts.intervals.bounds.covers}, on these queries`,
  calibrated: (level) => `calibrated, ${level}: on these queries, if the run is like the pooled ones`,
  queries: (level) => `${level} interval for other queries, with these judgments`,
};

function intervalLegend() {
  const items = INTERVALS.map((kind) => [glyph(kind), COVERS[kind](percent(facts.intervals[kind].confidence))]);
  return make("ul", { class: "legend" }, [[glyph("mean"), "mean"], ...items].map((parts) => make("li", {}, parts)));
}

function drawSystems() {
  const order = byMean();
  const means = of("means");
  const width = widthOf("intervals");
  const left = Math.min(220, Math.max(90, 0.3 * width));
  const right = width - 64;
  const above = RUNS > 15 ? 18 : 4;
  const bottom = above + 4 + ROW * RUNS;
  const every = order.flatMap((run) => [means[run], ...INTERVALS.flatMap((kind) => ends(kind, run))]).filter(Number.isFinite);
  const [low, high] = [Math.min(...every), Math.max(...every)];
  const x = scale(low, high, left, right);
  const chart = draw("svg", { width, height: bottom + 42 });
  bottomAxis(chart, ticks(low, high), low, high, x, bottom, `mean ${measureName()}`, above);
  if (RUNS > 15) for (const tick of ticks(low, high)) chart.append(label(x(tick), 12, String(tick), { anchor: "middle", faint: true }));
  order.forEach((run, row) => {
    const top = above + ROW * row;
    chart.append(label(left - 8, top + 17, facts.runs[run], { anchor: "end", most: Math.floor((left - 8) / 8) }));
    for (const kind of INTERVALS) {
      const [from, to] = ends(kind, run);
      if (!Number.isNaN(from)) chart.append(...intervalMarks(kind, x(Math.max(from, low)), x(Math.min(to, high)), top));
    }
    chart.append(draw("path", { class: "ink", d: `M${x(means[run])} ${top + 3}V${top + 23}` }), label(right + 8, top + 17, number(means[run])));
  });
  const about = `${many(RUNS, "system", "systems")}, highest mean first; the table below has the same numbers`;
  figure("intervals", `Mean ${measureName()} with intervals`, about, chart, intervalLegend());
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
    ...INTERVALS.flatMap((kind) => between(kind, kind)),
  ];
  if (RUNS > 1) {
    const ranks = of("rank_intervals");
    const whole = (name, title, value) => ({ name, kind: "number", title, value, show: (run) => String(value(run)) });
    columns.push(
      whole("best rank", "1 + the systems that are clearly better", (run) => ranks[2 * run]),
      whole("worst rank", "all but the systems that are clearly worse", (run) => ranks[2 * run + 1]),
      whole("tier", "a tier ends where its first system clearly beats the next", (run) => of("tier")[run]),
    );
  }
  table("systems-table", `Systems by mean ${measureName()}`, columns, order);
}
