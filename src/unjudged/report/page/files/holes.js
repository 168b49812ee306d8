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
  const rows = Array.from({ length: depth }, (_, i) => {
    const every = shares.map((share) => 100 * share[i]).filter((x) => !Number.isNaN(x));
    const mean = every.reduce((sum, share) => sum + share, 0) / every.length;
    return { rank: i + 1, low: Math.min(...every), high: Math.max(...every), mean, A: 100 * shares[state.a][i], B: 100 * shares[state.b][i] };
  });
  const spec = structuredClone(facts.judged);
  const named = { A: facts.runs[state.a], B: facts.runs[state.b] };
  for (const layer of spec.layer) if (layer.description in named) layer.description += `: ${named[layer.description]}`;
  if (RUNS === 1) spec.layer[1].description = facts.runs[0];
  const width = Math.min(widthOf("by-rank"), 1100);
  const { chart } = plot(spec, { rows }, { width, height: 274, left: 52, right: width - 14, top: 12, bottom: 230 });
  const said = `At rank 1 ${percent(rows[0].mean / 100)} are judged, at rank ${depth} ${percent(rows[depth - 1].mean / 100)}`;
  figure("by-rank", spec.title.text, said, chart, legendOf(spec));
}

function drawHeat() {
  const order = byMean();
  const width = widthOf("heat");
  const room = Math.min(180, 0.3 * width, 8 * longest(facts.runs) + 14);
  const across = Math.max(6, Math.min(24, Math.floor((width - room) / QUERIES)));
  const down = RUNS > 40 ? 8 : 18;
  const [named, titled] = [down >= 8, across >= 13];
  const top = titled ? Math.min(80, 7 * longest(facts.queries) + 12) : 8;
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

// Sections on the sample and on segments.
function extraTable({ place, caption, columns, rows }) {
  table(place, caption, columns.map(({ name, kind, decimals, p }, i) => ({
    name: name || "quantity",
    kind,
    value: (row) => row[i] ?? (kind === "number" ? NaN : ""),
    show: kind === "number" ? (row) => (typeof row[i] === "number" ? (p ? pText(row[i]) : number(row[i], decimals)) : row[i] ?? "") : null,
  })), rows);
}

function showExtras() {
  for (const { place, words, table: one } of facts.extras) {
    byId(`${place}-words`).replaceChildren(...words.map((line) => make("p", {}, nameOf(line))));
    extraTable(one);
    byId(one.place).append(...one.notes.map((note) => make("p", { class: "quiet" }, nameOf(note))));
  }
}
