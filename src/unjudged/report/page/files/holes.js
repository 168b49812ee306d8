// How much is judged: by rank, and by query and run.
function judgedShare(run) {
  return Array.from({ length: facts.by_rank }, (_, i) => {
    const ranked = arrays.ranked_at[run * facts.by_rank + i];
    return ranked ? arrays.judged_at[run * facts.by_rank + i] / ranked : NaN;
  });
}

function drawByRank() {
  const shares = facts.runs.map((_, run) => judgedShare(run));
  const depth = Math.max(1, ...shares.map((share) => share.filter((x) => !Number.isNaN(x)).length));
  const at = (i) => shares.map((share) => share[i]).filter((x) => !Number.isNaN(x));
  const ranksUsed = [...Array(depth).keys()];
  const width = Math.min(widthOf("by-rank"), 1100);
  const [left, right, top, bottom] = [52, width - 14, 12, 230];
  const x = scale(1, Math.max(depth, 2), left, right);
  const y = scale(0, 1, bottom, top);
  const chart = draw("svg", { width, height: 274 });
  leftAxis(chart, [0, 0.25, 0.5, 0.75, 1], y, left, right, percent);
  bottomAxis(chart, [1, ...ticks(1, depth).filter((tick) => tick > 1 && Number.isInteger(tick))], 1, Math.max(depth, 2), x, bottom, "rank", top);
  const line = (values) => ranksUsed.filter((i) => !Number.isNaN(values[i])).map((i, n) => `${n ? "L" : "M"}${x(i + 1)} ${y(values[i])}`).join("");
  const every = ranksUsed.map(at);
  const mean = every.map((values) => values.reduce((sum, share) => sum + share, 0) / values.length);
  const edge = (values, pick, reverse) => { const points = values.map((all, i) => `${x(i + 1)} ${y(pick(...all))}`); return (reverse ? points.reverse() : points).join("L"); };
  chart.append(draw("path", { class: "band", d: `M${edge(every, Math.max)}L${edge(every, Math.min, true)}z` }), draw("path", { class: "line-all", d: line(mean) }));
  const items = [["line-all", RUNS > 1 ? "mean of all systems; the band runs from the lowest to the highest" : facts.runs[0]]];
  if (RUNS > 1) {
    [[state.a, "line-a", "A"], [state.b, "line-b", "B"]].forEach(([run, name, letter]) => {
      chart.append(draw("path", { class: name, d: line(shares[run]) }));
      items.push([name, `${letter}: ${facts.runs[run]}`]);
    });
  }
  const legend = make("ul", { class: "legend" }, items.map(([name, text]) =>
    make("li", {}, draw("svg", { width: 36, height: 12, "aria-hidden": "true" }, draw("path", { class: name, d: "M2 6H34" })), nameOf(text))));
  figure("by-rank", "Judged share of the documents at each rank", `At rank 1 ${percent(mean[0])} are judged, at rank ${depth} ${percent(mean[depth - 1])}`, chart, legend);
}

function drawHeat() {
  const order = byMean();
  const width = widthOf("heat");
  const room = Math.min(180, 0.3 * width);
  const across = Math.max(6, Math.min(24, Math.floor((width - room) / QUERIES)));
  const down = RUNS > 40 ? 8 : 18;
  const [named, titled] = [down >= 8, across >= 13];
  const top = titled ? 80 : 8;
  const chart = draw("svg", { width: Math.ceil(room + across * QUERIES + 2), height: top + down * RUNS + 4 });
  const paths = Array.from({ length: facts.top + 1 }, () => []);
  order.forEach((run, row) => facts.queries.forEach((_, q) => {
    const s = run * QUERIES + q;
    const level = arrays.retrieved_top[s] ? Math.round((facts.top * arrays.judged_top[s]) / arrays.retrieved_top[s]) : 0;
    paths[level].push(`M${room + q * across} ${top + row * down}h${across - 1}v${down - 1}h${1 - across}z`);
  }));
  paths.forEach((parts, level) => {
    if (parts.length) chart.append(draw("path", { class: level ? "heat" : "none", "fill-opacity": level ? 0.08 + (0.92 * level) / facts.top : 1, d: parts.join("") }));
  });
  const font = Math.min(12, down);
  if (named) order.forEach((run, row) => chart.append(label(room - 6, top + (row + 0.5) * down + font / 3, facts.runs[run], { anchor: "end", size: font, most: Math.floor(room / (0.6 * font)) })));
  if (titled) facts.queries.forEach((name, q) => chart.append(label(room + (q + 0.5) * across + 4, top - 5, name, { turn: -90, size: 11, most: 11 })));
  chart.addEventListener("mousemove", (event) => {
    const [px, py] = pointer(chart, event);
    const [q, row] = [Math.floor((px - room) / across), Math.floor((py - top) / down)];
    if (q < 0 || row < 0 || q >= QUERIES || row >= RUNS) { hideTip(); return; }
    const s = order[row] * QUERIES + q;
    const found = arrays.retrieved_top[s] ? `${arrays.judged_top[s]} of the first ${arrays.retrieved_top[s]} documents are judged` : "no ranking";
    showTip(`${facts.runs[order[row]]}, query ${facts.queries[q]}: ${found}`, event);
  });
  chart.addEventListener("mouseleave", hideTip);
  const shades = [0, 2, 5, 8, facts.top].map((level) => make("li", {}, draw("svg", { width: 14, height: 14, "aria-hidden": "true" }, draw("rect", { width: 14, height: 14, class: level ? "heat" : "none", "fill-opacity": level ? 0.08 + (0.92 * level) / facts.top : 1 })), level ? `${level} of ${facts.top}` : "none"));
  figure("heat", `Judged documents among the first ${facts.top}, by system and query`, "Systems by mean from top to bottom, queries from left to right; the table below has the shares by system", chart, make("ul", { class: "legend" }, shades));
  holesTable(order);
}

function holesTable(order) {
  const shareAt = (run, q) => (arrays.retrieved_top[run * QUERIES + q] ? arrays.judged_top[run * QUERIES + q] / arrays.retrieved_top[run * QUERIES + q] : 0);
  const whole = (run) => facts.queries.filter((_, q) => shareAt(run, q) === 1).length;
  const share = (run) => facts.queries.reduce((sum, _, q) => sum + shareAt(run, q), 0) / QUERIES;
  table("holes-table", "How much is judged, by system", [
    { name: "system", kind: "name", value: (run) => facts.runs[run] },
    { name: `judged share of the first ${facts.top}`, kind: "number", value: share },
    { name: `queries with the first ${facts.top} judged`, kind: "number", value: whole, show: (run) => String(whole(run)) },
  ], order);
}

function groupsTable() {
  const whole = (name, field) => ({ name, kind: "number", value: (group) => group[field], show: (group) => String(group[field]) });
  table("groups-table", "What each group contributed to the pool", [
    { name: "group", kind: "name", value: (group) => group.name },
    whole("documents", "documents"),
    whole("relevant", "relevant"),
    whole("only this group", "unique"),
    whole("relevant, only this group", "unique_relevant"),
  ], facts.groups);
}
