// One query: the rankings of the two systems side by side.
function chooseQuery(query) {
  state.query = (query + facts.queries.length) % facts.queries.length;
  showQuery();
  byId("query").scrollIntoView();
}

const gradeText = (g) => (g >= 0 ? String(g) : g === -2 ? "cannot be judged" : "unjudged");

function showQuery() {
  const q = state.query;
  const { rankings } = facts;
  byId("query-name").value = q;
  const systems = RUNS > 1 && state.a !== state.b ? [state.a, state.b] : [state.a];
  const scores = systems.map((run) => `${facts.runs[run]} ${number(measure().values[run][q])}`).join(", ");
  const text = rankings.queries?.[q];
  byId("query-words").replaceChildren(...(text ? [make("p", {}, make("strong", {}, nameOf(text)))] : []), make("p", {}, nameOf(`${measure().name}: ${scores}. Unjudged documents are marked.`)));
  const ranks = systems.map((run) => new Map(rankings.shown[run * facts.queries.length + q].map((place, i) => [place, i + 1])));
  byId("rankings").replaceChildren(...systems.map((_, i) => make("div", { id: `ranking-${i}` })));
  systems.forEach((run, i) => {
    const grade = (place) => rankings.grades[q][place];
    const words = (place) => {
      const about = grade(place) < 0 ? rankings.texts?.[rankings.documents[q][place]] : null;
      return [nameOf(rankings.documents[q][place]), ...(about ? [make("div", { class: "quiet" }, nameOf(about))] : [])];
    };
    const other = ranks[1 - i];
    table(byId(`ranking-${i}`), [
      { name: "", kind: "number", show: (place) => String(ranks[i].get(place)) },
      { name: "document", kind: "name", show: words },
      { name: "grade", show: (place) => gradeText(grade(place)) },
      ...(other ? [{ name: "other rank", kind: "number", show: (place) => String(other.get(place) ?? `> ${rankings.depth}`) }] : []),
    ], [...ranks[i].keys()], { caption: facts.runs[run], mark: (place) => (grade(place) < 0 ? "unjudged" : null) });
  });
}

// What is judged: white is judged, colour is not, hatched has no ranking.
function drawHoles() {
  const { judged, ranked, top } = facts.holes;
  const { order } = measure();
  const width = byId("heat").clientWidth;
  const queries = facts.queries.length;
  const down = RUNS > 40 ? 7 : 18;
  const room = RUNS > 40 ? 8 : Math.min(150, 7.2 * Math.max(...facts.runs.map((name) => name.length)) + 14);
  const across = Math.max(5, Math.min(24, Math.floor((width - room - 4) / queries)));
  const height = 4 + down * RUNS;
  const hatch = (id) => draw("pattern", { id, width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, draw("path", stroke("quiet", 1.5, { d: "M0 0V5" })));
  const chart = draw("svg", { width: Math.ceil(room + across * queries + 4), height, role: "img", "aria-label": `Judged documents among the first ${top}, by system and query` }, draw("defs", {}, hatch("none")));
  const paths = Array.from({ length: top + 1 }, () => []);
  const missing = [];
  order.forEach((run, i) => {
    if (down >= 18) chart.append(label(room - 8, 2 + down * (i + 0.7), facts.runs[run], { anchor: "end", most: 20 }));
    facts.queries.forEach((_, q) => {
      const cell = `M${room + q * across} ${2 + i * down}h${across - 1}v${down - 1}h${1 - across}z`;
      if (!ranked[run][q]) missing.push(cell);
      else paths[Math.round(top * (1 - judged[run][q] / ranked[run][q]))].push(cell);
    });
  });
  chart.append(draw("rect", stroke("rule", 1, { x: room - 1, y: 1, width: across * queries + 1, height: down * RUNS + 1 })));
  paths.forEach((parts, level) => { if (level && parts.length) chart.append(draw("path", ink("hot", { d: parts.join(""), "fill-opacity": level / top }))); });
  if (missing.length) chart.append(draw("path", { d: missing.join(""), fill: "url(#none)" }));
  const at = (x, y) => {
    const [q, i] = [Math.floor((x - room) / across), Math.floor((y - 2) / down)];
    return q >= 0 && i >= 0 && q < queries && i < RUNS ? { run: order[i], q } : null;
  };
  const words = ({ run, q }) => `${facts.runs[run]}, query ${facts.queries[q]}: ${ranked[run][q] ? `${judged[run][q]} of the first ${ranked[run][q]} documents are judged` : "no ranking"}`;
  pointed(chart, at, words, ({ run, q }) => { state.a = run; if (state.b === run) state.b = order.find((other) => other !== run) ?? run; if (RUNS > 1) showPair(); chooseQuery(q); });
  byId("heat").replaceChildren(chart);
  const shade = (opacity) => [draw("rect", ink("hot", { width: 20, height: 13, "fill-opacity": opacity })), draw("rect", stroke("rule", 1, { x: 0.5, y: 0.5, width: 19, height: 12 }))];
  byId("heat-words").textContent = `The first ${top} documents of each ranking: a row per system, the best first, and a column per query.`;
  byId("shades").replaceChildren(key(shade(0), "all judged"), key(shade(0.5), "half"), key(shade(1), "none judged"),
    ...(missing.length ? [key([draw("defs", {}, hatch("missing")), draw("rect", { width: 20, height: 13, fill: "url(#missing)" })], "no ranking")] : []));
}

function showDetails() {
  const rows = [...facts.counts, ...(facts.test ? [["test", `${facts.test}, alpha ${facts.alpha}${facts.baseline === null ? "" : `, baseline ${facts.baseline}`}`]] : []), ["made by", `unjudged ${facts.version}`]];
  byId("facts").replaceChildren(make("dl", {}, rows.flatMap(([term, text]) => [make("dt", {}, term), make("dd", {}, nameOf(text))])),
    ...(facts.command ? [make("p", {}, "To make this page again:"), make("pre", { tabindex: 0 }, facts.command)] : []));
  byId("definitions").replaceChildren(...facts.measures.map(({ name, definition }) => make("details", {}, make("summary", {}, name), make("pre", { tabindex: 0 }, definition))));
  table(byId("files"), ["name", "file", "bytes", "SHA-256"].map((name, i) => ({ name, kind: i === 2 ? "number" : "name", show: (row) => nameOf(row[i]) })), facts.files);
  byId("methods").textContent = facts.methods[0];
  byId("bibtex").textContent = facts.methods[1];
  byId("tables").replaceChildren(...facts.tables.map(({ title, words, notes, columns, rows: lines }) => {
    const home = make("div");
    table(home, columns.map(([name, numeric], i) => ({ name, kind: numeric ? "number" : "name", value: (row) => (numeric ? parseFloat(row[i]) : row[i]), show: (row) => nameOf(row[i]) })), lines);
    return make("div", {}, make("h2", {}, nameOf(title)), words.map((text) => make("p", {}, nameOf(text))), home, notes.map((text) => make("p", { class: "quiet" }, nameOf(text))));
  }));
}

function drawAll() {
  showFirst();
  if (RUNS > 2) drawPairs();
  if (RUNS > 1) showPair();
  else if (facts.holes) showQuery();
  if (facts.holes) drawHoles();
}

function options(select, names) {
  select.replaceChildren(...names.map((name, i) => make("option", { value: i }, shorten(name, 60))));
}

function listen() {
  byId("theme").addEventListener("change", (event) => { document.documentElement.dataset.theme = event.target.value; });
  if (facts.holes) {
    options(byId("query-name"), facts.queries);
    byId("query-name").addEventListener("change", (event) => { state.query = Number(event.target.value); showQuery(); });
    byId("previous").addEventListener("click", () => chooseQuery(state.query - 1));
    byId("following").addEventListener("click", () => chooseQuery(state.query + 1));
  }
  for (const side of RUNS > 1 ? ["a", "b"] : []) {
    options(byId(`system-${side}`), facts.runs);
    byId(`system-${side}`).addEventListener("change", (event) => { state[side] = Number(event.target.value); showPair(); });
  }
  let [waiting, width] = [0, innerWidth];
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 150);
  });
  for (const form of document.querySelectorAll("form")) form.addEventListener("submit", (event) => event.preventDefault());
}

// The pair to show first: the best system and the one that stands out, or else the next one.
function chooseFirst() {
  const { order, hot } = measure();
  const base = facts.baseline === null ? order[0] : facts.runs.indexOf(facts.baseline);
  const others = order.filter((run) => run !== base);
  const open = others.filter((run) => pairOf(base, run)?.headline !== "better");
  [state.a, state.b] = [base, open.find((run) => hot.includes(facts.runs[run])) ?? open[0] ?? others[0]];
}

async function start() {
  await unpack();
  for (const [part, shown] of [["pairs", RUNS > 2], ["pair", RUNS > 1], ["query", facts.holes], ["holes", facts.holes]]) if (!shown) byId(part).remove();
  if (RUNS > 1) { indexPairs(); chooseFirst(); }
  listen();
  for (const [part, svg] of Object.entries(facts.figures || {})) byId(part).append(document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true));
  drawAll();
  showNotes();
  showDetails();
  document.documentElement.dataset.ready = "true";
}

start().catch((error) => {
  const failure = byId("failure");
  failure.textContent = `This page could not draw itself: ${error.message}. It needs a browser of 2024 or later.`;
  failure.hidden = false;
  throw error;
});
