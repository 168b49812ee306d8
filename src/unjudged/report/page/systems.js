// The first screen: the systems in their ranges, the next step and the notes; then who is better.
const SEVERAL = 30; // more systems than this are first shown in part
const FIRST = 6;
const WHOLE = 20; // names of at most so many letters stay on one line
const STRIPS = 20; // from so many systems on there is a strip per system instead of a matrix
const MARKS = { // of headlines
  better: ["s0", (x, y, r) => draw("rect", ink("s0", { x: x - r, y: y - r, width: 2 * r, height: 2 * r, rx: 1 }))],
  "needs judging": ["hot", (x, y, r) => draw("path", ink("hot", { d: `M${x} ${y - r}l${r} ${1.8 * r}h${-2 * r}z` }))],
  "needs queries": ["range", (x, y, r) => draw("circle", stroke("quiet", 1.5, { cx: x, cy: y, r: 0.6 * r }))],
  "needs both": ["hot-range", (x, y, r) => draw("path", stroke("hot", 1.5, { d: `M${x} ${y - r}l${r} ${1.8 * r}h${-2 * r}z` }))],
  "few queries": ["range", (x, y, r) => draw("circle", ink("quiet", { cx: x, cy: y, r: 0.35 * r }))],
};
const OPEN_FIRST = ["needs judging", "needs both", "needs queries", "few queries", "better"];
let pairAt = null; // where each pair is among the pairs of a measure; each is stored once, as a minus b

function indexPairs() {
  pairAt = new Int32Array(RUNS * RUNS).fill(-1);
  const { a, b } = facts.measures[0].pairs;
  a.forEach((first, k) => { pairAt[first * RUNS + b[k]] = k; });
}

// Everything about two systems, the one ahead first, or null if they were not compared.
function pairOf(one, two) {
  const forth = pairAt[one * RUNS + two];
  const k = forth < 0 ? pairAt[two * RUNS + one] : forth;
  return k < 0 ? null : pairNumber(k);
}

function pairNumber(k) {
  const { pairs, sign } = measure();
  const turned = sign * pairs.difference[k] < 0;
  const of = (name) => pairs[name][k];
  const ends = (low, high) => (!known(of(low)) ? [null, null] : turned ? [-of(high), -of(low)] : [of(low), of(high)]);
  const [low, high] = ends("low", "high");
  const [queryLow, queryHigh] = ends("query_low", "query_high");
  const losses = facts.queries.length - of("wins") - of("ties");
  const [ahead, other] = turned ? [of("b"), of("a")] : [of("a"), of("b")];
  return {
    k, turned, ahead, other, low, high, queryLow, queryHigh,
    difference: turned ? -of("difference") : of("difference"),
    p: of("p"), adjusted: of("p_adjusted"), flip: of("flip"), loss: of("loss"), seen: of("seen"),
    wins: known(of("wins")) ? (turned === (sign > 0) ? losses : of("wins")) : null,
    headline: facts.words.headline[of("headline")],
    more: facts.words.more_judging[of("more_judging")],
    others: facts.words.other_queries[of("other_queries")],
    said: pairs.sentences[of("said")].replace("{ahead}", facts.runs[ahead]).replace("{other}", facts.runs[other]),
  };
}

function showFirst() {
  const { headline, lede, next, hot, name } = measure();
  const counts = `${many(RUNS, "system")} · ${many(facts.queries.length, "query")}`;
  byId("size").replaceChildren(nameOf(facts.title), ` · ${counts}`);
  byId("headline").replaceChildren(nameOf(headline));
  byId("lede").replaceChildren(nameOf(lede.join(" ")));
  byId("measures").replaceChildren(...facts.measures.map((one, k) => make("button", {
    type: "button", title: one.definition.split("\n")[0], "aria-pressed": String(k === state.measure), onclick: () => { state.measure = k; drawAll(); },
  }, one.name)));
  byId("measures").hidden = facts.measures.length < 2;
  showSystems(hot, name);
  byId("next").hidden = !next.length;
  byId("next").replaceChildren(make("strong", {}, "Next: "), next[0] ?? "", ...(next[1] ? [make("code", {}, next[1])] : []));
}

function showNotes() {
  const { notes } = facts;
  byId("notes").hidden = !notes.length;
  byId("notes").querySelector("summary").textContent = `${many(notes.length, "note")}`;
  byId("notes").append(...notes.map((text) => make("p", {}, nameOf(text))));
}

function showSystems(hot, name) {
  const one = measure();
  const ends = ["mean", "low", "high", "query_low", "query_high"].flatMap((end) => one[end]).filter(known);
  const steps = ticks(Math.min(...ends, Math.min(...ends) >= 0 ? 0 : Infinity), Math.max(...ends));
  const [low, high] = [steps[0], steps.at(-1)];
  const at = (x) => `${(100 * (x - low)) / (high - low || 1)}%`;
  const isHot = (run) => hot.includes(facts.runs[run]);
  const colour = (run) => (isHot(run) ? "hot" : null);
  const legend = [["bar: after judging", one.low], ["blue: estimated", one.estimate_low], ["line: other queries", one.query_low]];
  const kind = facts.runs.every((run) => run.length <= WHOLE) ? "name whole" : "name";
  const columns = [
    { name: "system", kind, value: (run) => facts.runs[run], show: (run) => nameOf(facts.runs[run], colour(run)) },
    { name, kind: "number", value: (run) => one.sign * one.mean[run], show: (run) => make("span", { class: colour(run), title: number(one.mean[run]) }, number(one.mean[run], 3)) },
    {
      name: make("span", { class: "ends" }, [number(low, 1), legend.filter(([, of]) => known(of.find(known))).map(([said]) => said).join("; "), number(high, 1)].map((text) => make("span", {}, text))),
      kind: "spread", show: (run) => range(run, at, isHot(run)),
    },
    ...(RUNS > 1 && facts.baseline === null ? [{ name: "place", kind: "number", value: (run) => -one.place_low[run], show: (run) => placeOf(run) }] : []),
    ...(facts.holes ? [{ name: "top ten judged", kind: "number", value: (run) => facts.judged[run], show: (run) => make("span", { class: colour(run) }, share(facts.judged[run])) }] : []),
    ...(RUNS > 2 && facts.baseline === null ? [{ name: "better than", kind: RUNS > 12 ? "number" : "name", value: (run) => beaten(run).length, show: (run) => beatenText(run) }] : []),
  ];
  const few = RUNS > SEVERAL && !state.all ? one.order.filter((run, k) => k < FIRST || facts.runs[run] === hot[0]) : one.order;
  table(byId("systems"), columns, one.order, { shown: few });
  const more = make("button", { type: "button", onclick: () => { state.all = true; drawAll(); } }, `Show all ${RUNS} systems`);
  if (few.length < RUNS) byId("systems").append(more);
}

function placeOf(run) {
  const { place_low: low, place_high: high } = measure();
  return low[run] === high[run] ? String(low[run]) : `${low[run]}–${high[run]}`;
}

function range(run, at, hot) {
  const one = measure();
  const [middle, colour] = [8, hot ? "hot" : "ink"];
  const span = (x, width, y, height, shade) => draw("rect", ink(shade, { x, y, width, height, rx: 2 }));
  const wide = (from, to) => `${Math.max(parseFloat(at(to)) - parseFloat(at(from)), 0.2)}%`;
  const said = [`mean ${number(one.mean[run])}`];
  const parts = [];
  if (known(one.low[run])) {
    parts.push(span(at(one.low[run]), wide(one.low[run], one.high[run]), 1, 14, hot ? "hot-range" : "range"));
    said.push(`judging could make it ${number(one.low[run])} to ${number(one.high[run])}`);
  }
  if (known(one.estimate_low[run])) {
    parts.push(span(at(one.estimate_low[run]), wide(one.estimate_low[run], one.estimate_high[run]), 5, 6, "truth"));
    said.push(`estimated ${number(one.estimate_low[run])} to ${number(one.estimate_high[run])}`);
  }
  if (known(one.query_low[run])) {
    parts.push(draw("line", stroke(colour, 1.5, { x1: at(one.query_low[run]), x2: at(one.query_high[run]), y1: middle, y2: middle })));
    said.push(`other queries would give ${number(one.query_low[run])} to ${number(one.query_high[run])} (${facts.level})`);
  }
  parts.push(draw("circle", ink(colour, { cx: at(one.mean[run]), cy: middle, r: 5 })));
  const picture = draw("svg", { width: "100%", height: 16, role: "img", "aria-label": said.join("; "), overflow: "visible" }, parts);
  pointed(picture, () => true, () => said.join("\n"));
  return picture;
}

const beaten = (run) => measure().order.filter((other) => other !== run && isBetter(run, other));
const isBetter = (run, other) => {
  const pair = pairOf(run, other);
  return pair !== null && pair.headline === "better" && pair.ahead === run;
};
const beatenText = (run) => (RUNS <= 12 ? nameOf(beaten(run).map((other) => facts.runs[other]).join(", ")) : `${beaten(run).length} of ${RUNS - 1}`);

// Who is better: every pair once, the system of the row ahead of the column's.
function describe(pair) {
  return [pair.said, `${signed(pair.difference)} ${measure().name}, ${pText(pair.p)}`].join("\n");
}

function drawPairs() {
  const { pairs, means } = measure();
  const beats = RUNS < STRIPS ? [] : [key(draw("rect", ink("quiet", { width: 20, height: 12, y: 1 })), "worse: the other is better")];
  byId("legend").replaceChildren(...beats, ...[...new Set(pairs.headline)].sort().map((h) => {
    const headline = facts.words.headline[h];
    return key(RUNS < STRIPS ? MARKS[headline][1](10, 7, 6) : draw("rect", ink(MARKS[headline][0], { width: 20, height: 12, y: 1 })), means[headline]);
  }));
  if (facts.baseline !== null) byId("matrix").replaceChildren();
  else if (RUNS < STRIPS) drawMatrix();
  else drawStrips();
  const matrix = "The system of a row is ahead of the system of a column.";
  const strips = "A strip per system: at its left the systems that are better, at its right those that it is better than.";
  byId("matrix-words").textContent = facts.baseline !== null ? "" : RUNS < STRIPS ? matrix : strips;
  byId("pairs-all").querySelector("summary").textContent = `All ${pairs.a.length.toLocaleString("en")} pairs`;
  byId("pairs-all").ontoggle = pairsTable;
  if (facts.baseline !== null) byId("pairs-all").open = true;
  pairsTable();
}

function pairsTable() {
  if (!byId("pairs-all").open) return;
  const rank = (pair) => OPEN_FIRST.indexOf(pair.headline);
  const rows = Array.from(measure().pairs.a, (_, k) => pairNumber(k))
    .sort((x, y) => rank(x) - rank(y) || Math.abs(y.difference) - Math.abs(x.difference));
  table(byId("pairs-table"), [
    { name: "ahead", kind: "name", value: (pair) => facts.runs[pair.ahead], show: (pair) => make("button", { type: "button", onclick: () => choosePair(pair.ahead, pair.other) }, shorten(facts.runs[pair.ahead], 40)) },
    { name: "other", kind: "name", value: (pair) => facts.runs[pair.other] },
    { name: "difference", kind: "number", value: (pair) => Math.abs(pair.difference), show: (pair) => signed(pair.difference) },
    { name: "p", kind: "number", value: (pair) => pair.p, show: (pair) => pText(pair.p).replace(/^p (= )?/, "") },
    { name: "after correction", kind: "number", value: (pair) => pair.adjusted, show: (pair) => pText(pair.adjusted).replace(/^p (= )?/, "") },
    { name: "headline", value: (pair) => pair.headline },
  ], rows);
}

function drawMatrix() {
  const { order } = measure();
  const size = 30;
  const room = Math.min(150, 7.2 * Math.max(...order.map((run) => facts.runs[run].length)) + 14);
  const whole = room + size * (RUNS - 1) + 4;
  const chart = draw("svg", { width: whole, height: whole, role: "img", "aria-label": "Every pair of systems; the table below has the same" });
  const [across, down] = [order.slice(1), order.slice(0, -1)];
  const most = Math.floor((room - 10) / 6.6);
  across.forEach((run, j) => chart.append(label(room + (j + 0.5) * size + 4, room - 8, facts.runs[run], { turn: -90, most })));
  down.forEach((run, i) => {
    const y = room + (i + 0.5) * size;
    chart.append(label(room - 8, y + 4, facts.runs[run], { anchor: "end", most }));
    across.slice(i).forEach((other, j) => {
      const x = room + (i + j + 0.5) * size;
      chart.append(draw("rect", stroke("rule", 1, { x: x - size / 2, y: y - size / 2, width: size, height: size })));
      const pair = pairOf(run, other);
      if (pair) chart.append(MARKS[pair.headline][1](x, y, 8));
    });
  });
  const at = (x, y) => {
    const [j, i] = [x, y].map((pixel) => Math.floor((pixel - room) / size));
    return i >= 0 && j >= i && j < RUNS - 1 ? pairOf(down[i], across[j]) : null;
  };
  pointed(chart, at, describe, (pair) => choosePair(pair.ahead, pair.other));
  byId("matrix").replaceChildren(chart);
}

// A strip per system: how many systems are better than it, how many are open and why, and how many it is better than.
function drawStrips() {
  const { order } = measure();
  const [row, room, width] = [13, 130, byId("matrix").clientWidth];
  const chart = draw("svg", { width, height: row * RUNS, role: "img", "aria-label": "For each system: how many are better, open, and worse" });
  const unit = (width - room - 8) / RUNS;
  const counts = order.map((run) => {
    const found = { worse: 0, better: 0 };
    for (const other of order) {
      const pair = other === run ? null : pairOf(run, other);
      if (!pair) continue;
      const which = pair.headline !== "better" ? pair.headline : pair.ahead === run ? "better" : "worse";
      found[which] = (found[which] ?? 0) + 1;
    }
    return found;
  });
  const kinds = [["worse", "quiet"], ...OPEN_FIRST.map((headline) => [headline, MARKS[headline][0]])];
  const paths = new Map(kinds.map(([kind]) => [kind, []]));
  order.forEach((run, i) => {
    let x = room;
    chart.append(label(room - 8, row * (i + 0.8) - 2, facts.runs[run], { anchor: "end", size: 11, most: 18 }));
    for (const [kind] of kinds) {
      const wide = (counts[i][kind] ?? 0) * unit;
      if (wide) paths.get(kind).push(`M${x.toFixed(1)} ${row * i}h${wide.toFixed(1)}v${row - 2}h${-wide.toFixed(1)}z`);
      x += wide;
    }
  });
  for (const [kind, colour] of kinds) chart.append(draw("path", ink(colour, { d: paths.get(kind).join("") })));
  const at = (x, y) => { const i = Math.floor(y / row); return i >= 0 && i < RUNS ? [i] : null; };
  const words = ([i]) => [facts.runs[order[i]], ...kinds.filter(([kind]) => counts[i][kind]).map(([kind]) => `${{ worse: "beaten by", better: "better than" }[kind] ?? kind}: ${counts[i][kind]}`)].join("\n");
  pointed(chart, at, words, ([i]) => choosePair(order[i], order[i ? 0 : 1]));
  byId("matrix").replaceChildren(chart);
}
