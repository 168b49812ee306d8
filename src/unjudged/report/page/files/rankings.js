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
