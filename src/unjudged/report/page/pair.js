// Two systems: the conclusion, what it rests on, and the difference on every query as a dot in its range.
function choosePair(a, b) {
  Object.assign(state, { a, b });
  showPair();
  byId("pair").scrollIntoView();
}

function judgingText(pair) {
  const { missing } = measure();
  const { needed, not_even: notEven, seen, corrected } = facts.shares;
  const behind = facts.runs[pair.other];
  if (pair.more === "unknown" && missing) return `${pair.more}: ${missing}`;
  const blurs = pair.more.includes("blur");
  const least = blurs || (pair.more.includes("unlikely") && known(pair.loss)) ? pair.loss : pair.flip;
  if (pair.difference === 0 || pair.more.startsWith("cannot")) return pair.more;
  const beside = known(pair.seen) ? filled(seen, share(pair.seen)) : "";
  if (!known(least)) return pair.more.includes("unlikely") ? `${pair.more}, ${filled(notEven, behind)}${beside}` : pair.more;
  if (blurs && known(pair.seen) && least > pair.seen) return `${pair.more}: ${filled(corrected, share(pair.seen), behind)}`;
  return `${pair.more}: ${filled(needed, share(least), behind)}${beside}`;
}

function queriesText(pair) {
  const ends = known(pair.queryLow) ? `${signed(pair.queryLow)} to ${signed(pair.queryHigh)} (${facts.level}), ` : "";
  const after = pair.adjusted === pair.p ? "" : `, ${pText(pair.adjusted)} after correction`;
  const won = known(pair.wins) && pair.difference ? `; better on ${pair.wins} of ${facts.queries.length}` : "";
  return `${pair.others}: ${ends}${pText(pair.p)}${after}${won}`;
}

function showPair() {
  for (const side of ["a", "b"]) byId(`system-${side}`).value = state[side];
  const pair = state.a === state.b ? null : pairOf(state.a, state.b);
  byId("differences").replaceChildren();
  byId("differences-table").replaceChildren();
  if (pair) {
    const { mean, name, low } = measure();
    const bounds = known(low.find(known)) && known(pair.low) && pair.low < pair.high ? `; judging could make it ${signed(pair.low)} to ${signed(pair.high)}` : "";
    const rows = [
      [name, `${number(mean[pair.ahead])} and ${number(mean[pair.other])}, difference ${signed(pair.difference)}${bounds}`],
      ["other queries", queriesText(pair)],
      ["more judging", judgingText(pair)],
    ];
    byId("pair-words").replaceChildren(make("p", {}, make("strong", {}, nameOf(pair.said))), make("dl", {}, rows.flatMap(([term, text]) => [make("dt", {}, term), make("dd", {}, nameOf(text))])));
    const rowsByQuery = byQuery(pair);
    drawDifferences(pair, rowsByQuery);
    queriesTable(pair, rowsByQuery);
  } else {
    byId("pair-words").replaceChildren(make("p", {}, state.a === state.b ? "Choose another system." : "These two were not compared: each was with the baseline."));
  }
  if (facts.holes) showQuery();
}

// Largest difference first.
function byQuery({ ahead, other, turned, k }) {
  const { values, ranges } = measure();
  const rows = facts.queries.map((_, q) => {
    const [low, high] = ranges ? [ranges[k][0][q], ranges[k][1][q]] : [null, null];
    return { q, a: values[ahead][q], b: values[other][q], gap: values[ahead][q] - values[other][q], low: turned && known(high) ? -high : low, high: turned && known(low) ? -low : high };
  });
  return rows.filter((row) => known(row.a)).sort((x, y) => y.gap - x.gap);
}

function drawDifferences(pair, rows) {
  const { name, sign, ranges } = measure();
  const width = Math.max(byId("differences").clientWidth, 320);
  const [left, right, top, bottom] = [44, width - 118, 14, 254];
  const mean = width - 92;
  const colours = [own(pair.ahead), own(pair.ahead) === own(pair.other) ? own(pair.other + 1) : own(pair.other)];
  const ends = [0, pair.difference, ...rows.flatMap((row) => [row.gap, row.low, row.high]).filter(known)];
  const steps = ticks(Math.min(...ends), Math.max(...ends), 6);
  const y = (x) => bottom - ((Math.min(Math.max(x, steps[0]), steps.at(-1)) - steps[0]) / (steps.at(-1) - steps[0])) * (bottom - top);
  const chart = draw("svg", { width, height: 280, role: "img", "aria-label": `Difference in ${name} on each query; the table below has the same` });
  for (const tick of steps) chart.append(draw("path", stroke(tick ? "rule" : "quiet", 1, { d: `M${left} ${y(tick)}H${right}` })), label(left - 6, y(tick) + 4, String(tick), { anchor: "end", colour: "quiet" }));
  const step = (right - left) / rows.length;
  const radius = Math.max(Math.min(0.42 * step, 4.5), 1.5);
  const bar = (x, low, high, wide) => draw("rect", ink("range", { x: x - wide / 2, y: y(high), width: wide, height: Math.max(y(low) - y(high), 1.5), rx: 2 }));
  rows.forEach(({ gap, low, high }, i) => {
    const x = left + (i + 0.5) * step;
    if (known(low)) chart.append(bar(x, low, high, Math.min(0.7 * step, 12)));
    chart.append(draw("circle", ink(gap === 0 ? "quiet" : colours[sign * gap > 0 ? 0 : 1], { cx: x, cy: y(gap), r: radius })));
  });
  if (known(pair.low)) chart.append(bar(mean, pair.low, pair.high, 13));
  if (known(pair.queryLow)) chart.append(draw("path", stroke("ink", 1.5, { d: `M${mean} ${y(pair.queryLow)}V${y(pair.queryHigh)}` })));
  const beside = Math.min(y(pair.difference) + 4, bottom - 35); // so that three lines have room
  chart.append(draw("circle", ink("ink", { cx: mean, cy: y(pair.difference), r: 5 })), label(mean + 12, beside, signed(pair.difference, 3), { size: 13 }));
  if (known(pair.queryLow)) chart.append(label(mean + 12, beside + 16, signed(pair.queryLow, 2) + " to", { colour: "quiet" }), label(mean + 12, beside + 31, signed(pair.queryHigh, 2), { colour: "quiet" }));
  chart.append(label((left + right) / 2, bottom + 20, "queries", { anchor: "middle", colour: "quiet" }), label(mean, bottom + 20, "mean", { anchor: "middle", colour: "quiet" }));
  const at = (x, height) => { const i = Math.floor((x - left) / step); return height < bottom + 10 && rows[i] ? rows[i] : null; };
  pointed(chart, at, ({ q, gap, low, high }) => `${facts.queries[q]}: ${signed(gap)}${known(low) ? `\njudging could make it ${signed(low)} to ${signed(high)}` : ""}`, ({ q }) => { if (facts.holes) chooseQuery(q); });
  const dot = (colour) => draw("circle", ink(colour, { cx: 10, cy: 7, r: 5 }));
  const span = draw("rect", ink("range", { y: 1, width: 20, height: 12, rx: 2 }));
  const keys = [pair.ahead, pair.other].map((run, i) => key(dot(colours[i]), nameOf(`${facts.runs[run]} is better`)));
  if (known(pair.low)) keys.push(key(span, "what judging could make of it"));
  keys.push(key(draw("path", stroke("ink", 1.5, { d: "M10 0V14" })), `other queries (${facts.level})`));
  byId("differences").replaceChildren(make("ul", { class: "legend" }, keys), chart);
  if (!ranges && known(pair.low)) byId("differences").append(make("p", { class: "quiet" }, "A page of fewer systems also shows what judging could make of each query."));
}

function queriesTable(pair, rows) {
  table(byId("differences-table"), [
    { name: "query", kind: "name", value: ({ q }) => facts.queries[q], show: ({ q }) => (facts.holes ? make("button", { type: "button", onclick: () => chooseQuery(q) }, shorten(facts.queries[q], 40)) : nameOf(facts.queries[q])) },
    { name: shorten(facts.runs[pair.ahead], 24), kind: "number", value: ({ a }) => a },
    { name: shorten(facts.runs[pair.other], 24), kind: "number", value: ({ b }) => b },
    { name: "difference", kind: "number", value: ({ gap }) => gap, show: ({ gap }) => signed(gap) },
  ], rows);
}
