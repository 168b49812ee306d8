// One pair: what is known about it, and its differences by query.
function choosePair(a, b) {
  if (a === b || (RUNS > 1 && !pairOf(a, b))) return;
  state.a = a;
  state.b = b;
  showPair();
  byId("pair").scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  announce(`${facts.runs[a]} and ${facts.runs[b]}: ${pairOf(a, b).headline}`);
}

function conclusion(pair) {
  const [ahead, other] = betterSign() * pair.difference >= 0 ? [pair.a, pair.b] : [pair.b, pair.a];
  const shown = { "{ahead}": () => nameOf(facts.runs[ahead]), "{other}": () => nameOf(facts.runs[other]) };
  return pair.said.split(/(\{ahead\}|\{other\})/).map((part) => (part in shown ? shown[part]() : part));
}

const decided = (pair) => facts.measures[state.measure].deciding[`${pair.a},${pair.b}`];

const significance = (pair) => `p ${pText(pair.p)}${pair.adjusted === pair.p ? "" : `, ${pText(pair.adjusted)} after correction`}`;

function pairFacts(pair) {
  const means = of("means");
  const { alpha, test, correction } = facts.tests;
  const { judged } = facts.measures[state.measure];
  return [
    [[`mean ${measureName()}`], ["A ", nameOf(facts.runs[pair.a]), ` ${number(means[pair.a])}, B `, nameOf(facts.runs[pair.b]), ` ${number(means[pair.b])}`]],
    [["difference A minus B"], [signed(pair.difference), ...(bounded() ? [`; judging could make it ${signed(pair.low)} to ${signed(pair.high)}`] : [])]],
    [["other queries"], [`${pair.other}: ${signed(pair.queryLow)} to ${signed(pair.queryHigh)} (${percent(1 - alpha)})${judged && ` with ${judged}`}`]],
    [["more judging"], [judgingText(pair)]],
    [["significance"], [`${significance(pair)} (${test}, ${correction}, alpha ${alpha})`]],
    ...(decided(pair) ? [[["which queries decide"], [decided(pair)]]] : []),
    [["queries"], [`A better on ${pair.wins}, equal on ${pair.ties}, B better on ${pair.losses}`]],
  ];
}

function showPair() {
  byId("system-a").value = state.a;
  byId("system-b").value = state.b;
  const pair = pairOf(state.a, state.b);
  if (!pair) {
    byId("pair-words").replaceChildren(make("p", { class: "note" }, "These two were not compared: choose two systems, one of them the baseline if there is one."));
    for (const part of ["differences", "differences-table"]) byId(part).replaceChildren();
  } else {
    byId("pair-words").replaceChildren(
      make("p", { class: "verdict" }, conclusion(pair)),
      make("dl", {}, pairFacts(pair).flatMap(([term, text]) => [make("dt", {}, term), make("dd", {}, text)])));
    drawDifferences(pair);
  }
  marked();
  if (!facts.ranked) return;
  drawByRank();
  showQuery();
}

function drawDifferences(pair) {
  const all = facts.queries.map((_, q) => ({ q, gap: value(pair.a, q) - value(pair.b, q) }));
  all.sort((x, y) => y.gap - x.gap);
  const spec = charts().differences;
  const rows = all.map(({ q, gap }) => ({ query: facts.queries[q], difference: gap, better: betterSign() * gap > 0 ? "A" : "B" }));
  const width = Math.max(widthOf("differences"), 60 + 3 * QUERIES);
  const [left, right, top, bottom] = [52, width - 8, 10, 250];
  const most = Math.min(14, longest(facts.queries));
  const height = bottom + ((right - left) / QUERIES >= 12 ? 8 * most + 14 : 14) + 18;
  const mean = [{ mean: pair.difference, low: pair.low, high: pair.high }];
  const { chart, x, y } = plot(spec, { rows, mean }, { width, height, left, right, top, bottom });
  chart.append(label(right, y.at(pair.difference) - 5, `mean ${signed(pair.difference)}`, { anchor: "end" }));
  const at = (event) => all[Math.min(Math.max(x.index(pointer(chart, event)[0]), 0), QUERIES - 1)];
  chart.addEventListener("mousemove", (event) => {
    const { q, gap } = at(event);
    showTip(`query ${facts.queries[q]}: ${signed(gap)}\nA ${number(value(pair.a, q))}, B ${number(value(pair.b, q))}`, event);
  });
  chart.addEventListener("mouseleave", hideTip);
  if (facts.ranked) chart.addEventListener("click", (event) => chooseQuery(at(event).q));
  const below = make("p", { class: "quiet" }, `Bars ${betterSign() > 0 ? "up: A is better; down" : "down: A is better; up"}: B is. Thick line: the mean difference${bounded() ? "; hollow box: what judging could make of it" : ""}.${facts.ranked ? " Choose a bar, or a query in the table, to see its rankings." : ""}`);
  figure("differences", spec.title.text, "The table below has the same numbers", chart, below);
  differencesTable(pair, all);
}

function differencesTable(pair, all) {
  const choose = ({ q }) => make("button", { type: "button", onclick: () => chooseQuery(q), "aria-label": `Show query ${facts.queries[q]}` }, "Show");
  const judged = (run, q) => arrays.judged_top[run * QUERIES + q];
  const whole = (name, run) => ({ name, kind: "number", value: ({ q }) => judged(run, q), show: ({ q }) => String(judged(run, q)), title: `judged documents among the first ${facts.top}` });
  table("differences-table", "Differences by query", [
    { name: "query", kind: "name", value: ({ q }) => facts.queries[q] },
    { name: "A", kind: "number", value: ({ q }) => value(pair.a, q) },
    { name: "B", kind: "number", value: ({ q }) => value(pair.b, q) },
    { name: "difference", kind: "number", value: ({ gap }) => gap, show: ({ gap }) => signed(gap) },
    ...(facts.ranked ? [
      whole("A judged", pair.a),
      whole("B judged", pair.b),
      { name: "rankings", kind: "text", value: () => "", show: choose },
    ] : []),
  ], all);
}

// One query: the rankings of the two systems side by side.
function chooseQuery(query) {
  state.query = (query + QUERIES) % QUERIES;
  showQuery();
  byId("query").scrollIntoView();
  announce(`query ${facts.queries[state.query]}`);
}

const gradeText = (g) => (g >= 0 ? String(g) : g === -1 ? "unjudged" : g === -2 ? "cannot be judged" : "unjudged, not pooled");

function showQuery() {
  byId("query-name").value = state.query;
  const q = state.query;
  const systems = RUNS > 1 ? [state.a, state.b] : [0];
  const ranks = systems.map((run) => new Map(Array.from(ranking(run, q), (place, i) => [place, i + 1])));
  const behind = systems.length < 2 ? -1 : value(state.a, q) < value(state.b, q) ? 0 : value(state.a, q) > value(state.b, q) ? 1 : -1;
  const turning = behind < 0 || !bounded() ? [] : couldTurn(q, ranks, behind);
  byId("query-words").replaceChildren(...queryWords(q, systems, behind, turning));
  byId("rankings").replaceChildren(...systems.map((_, i) => make("div", { id: `ranking-${i}` })));
  systems.forEach((run, i) => rankingTable(`ranking-${i}`, q, run, ranks[i], ranks[1 - i], "AB"[i], new Set(turning)));
}

// Unjudged documents that the system behind ranks higher: if they are relevant, the gap shrinks.
function couldTurn(q, ranks, behind) {
  const [own, other] = [ranks[behind], ranks[1 - behind]];
  const cutoff = facts.measures[state.measure].cutoff ?? Infinity;
  return [...own.keys()].filter((place) => grade(q, place) < 0 && own.get(place) <= cutoff && own.get(place) < (other.get(place) ?? Infinity));
}

function queryWords(q, systems, behind, turning) {
  const scores = systems.map((run, i) => [i ? ", " : "", systems.length > 1 ? `${"AB"[i]} ` : "", nameOf(facts.runs[run]), ` ${number(value(run, q))}`]);
  const first = make("p", {}, `${measureName()} of query `, nameOf(facts.queries[q]), ": ", ...scores.flat(), ".");
  const note = make("p", { class: "quiet" }, `The first ${facts.depth} documents of each ranking; unjudged ones are marked.`);
  if (systems.length < 2) return [first, note];
  if (behind < 0) return [first, make("p", {}, "The two are equal on this query."), note];
  if (!bounded()) return [first, note];
  const name = nameOf(facts.runs[systems[behind]]);
  const text = turning.length
    ? [`${many(turning.length, "unjudged document", "unjudged documents")} among the first ${facts.depth} could help `, name, " to catch up, because it ranks them higher: "]
    : [`No unjudged document among the first ${facts.depth} could help `, name, " to catch up."];
  const listed = turning.slice(0, 10).flatMap((place, i) => [i ? ", " : "", nameOf(documentName(q, place))]);
  return [first, make("p", {}, ...text, ...listed, turning.length > 10 ? ", …" : turning.length ? "." : ""), note];
}

function rankingTable(place, q, run, own, other, letter, turning) {
  const columns = [
    { name: "rank", kind: "number", value: (d) => own.get(d), show: (d) => String(own.get(d)) },
    { name: "document", kind: "name", value: (d) => documentName(q, d) },
    { name: "grade", kind: "text", value: (d) => gradeText(grade(q, d)) },
  ];
  if (other) {
    columns.push({ name: `rank in ${letter === "A" ? "B" : "A"}`, kind: "number", title: `> ${facts.depth}: lower, or not retrieved`, value: (d) => other.get(d) ?? Infinity, show: (d) => (other.has(d) ? String(other.get(d)) : `> ${facts.depth}`) });
    if (bounded()) columns.push({ name: "could turn it", kind: "text", value: (d) => (turning.has(d) ? "yes" : "") });
  }
  const title = RUNS > 1 ? `${letter}: ${facts.runs[run]}` : facts.runs[run];
  table(place, title, columns, [...own.keys()], { mark: (d) => (grade(q, d) < 0 ? "unjudged" : null) });
}
