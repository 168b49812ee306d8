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
  const about = `${many(RUNS, "system", "systems")}, highest mean first; the table below has the same numbers`;
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
