// What was evaluated, the controls, and the start.
function showWords() {
  const parts = facts.measures.map((measure) => [
    make("h3", {}, measure.name),
    make("ul", { class: "words" }, measure.words.map((line) => make("li", {}, nameOf(line)))),
  ]);
  byId("words").replaceChildren(...parts.flat(), ...facts.notes.map((note) => make("p", { class: "note" }, nameOf(note))));
}

function showEvaluated() {
  const { counts, tests } = facts;
  const rows = [
    ["systems", many(RUNS, "system", "systems")],
    ["queries", many(QUERIES, "query", "queries")],
    ...(counts ? [
      ["judgments", `${many(counts.judged, "document", "documents")} judged, ${counts.relevant.toLocaleString("en")} of them relevant; ${counts.pooled_unjudged.toLocaleString("en")} pooled but not judged`],
      ["how they were made", facts.origin],
      ["retrieved, not judged", many(counts.retrieved_unjudged, "document", "documents")],
    ] : [["judgments", "unknown: the scores come from a table"]]),
  ];
  if (tests) rows.push(["test", `${tests.test}, ${tests.correction}, alpha ${tests.alpha}${tests.baseline === null ? "" : `, baseline ${tests.baseline}`}`]);
  rows.push(["made by", `unjudged ${facts.version}`]);
  const list = make("dl", {}, rows.flatMap(([term, text]) => [make("dt", {}, term), make("dd", {}, nameOf(text))]));
  const command = facts.command ? [make("p", {}, "To make this page again:"), make("pre", { tabindex: 0 }, facts.command)] : [];
  byId("facts").replaceChildren(list, ...command);
  byId("measures").replaceChildren(...facts.measures.map((measure) => make("details", {},
    make("summary", { title: measure.definition }, measure.name), make("pre", { tabindex: 0 }, measure.definition))));
  table("files", "Files", [
    { name: "name", kind: "name", value: (file) => file.name },
    { name: "file", kind: "name", value: (file) => file.file ?? "in memory" },
    { name: "bytes", kind: "number", value: (file) => file.bytes ?? NaN, show: (file) => (file.bytes === undefined ? "" : file.bytes.toLocaleString("en")) },
    { name: "SHA-256", kind: "code", value: (file) => file.sha256 ?? "" },
  ], facts.files);
}

function drawAll() {
  drawSystems();
  if (RUNS > 2) drawMatrix();
  if (RUNS > 1) {
    showPair();
  } else if (facts.ranked) {
    drawByRank();
    showQuery();
  }
  if (facts.ranked) drawHeat();
}

function chooseFirstPair() {
  const order = byMean();
  const base = facts.tests.baseline === null ? -1 : facts.runs.indexOf(facts.tests.baseline);
  if (RUNS === 2 && base < 0) [state.a, state.b] = [1, 0]; // new minus old, as in the answer
  else [state.a, state.b] = base < 0 ? order : [order.find((run) => run !== base), base];
}

function listen() {
  const measure = byId("measure");
  options(measure, facts.measures.map(({ name }) => name));
  facts.measures.forEach(({ definition }, i) => { measure.options[i].title = definition; });
  measure.addEventListener("change", () => { state.measure = Number(measure.value); drawAll(); });
  const theme = byId("theme");
  theme.addEventListener("change", () => { document.documentElement.dataset.theme = theme.value; });
  if (facts.ranked) {
    options(byId("query-name"), facts.queries);
    byId("query-name").addEventListener("change", (event) => { state.query = Number(event.target.value); showQuery(); });
    byId("previous").addEventListener("click", () => chooseQuery(state.query - 1));
    byId("next").addEventListener("click", () => chooseQuery(state.query + 1));
  }
  if (RUNS > 1) {
    for (const side of ["a", "b"]) {
      const select = byId(`system-${side}`);
      options(select, facts.runs);
      select.addEventListener("change", () => { state[side] = Number(select.value); showPair(); });
    }
    byId("swap").addEventListener("click", () => { [state.a, state.b] = [state.b, state.a]; showPair(); });
  }
  let waiting = 0;
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 150);
  });
  for (const form of document.querySelectorAll("form")) form.addEventListener("submit", (event) => event.preventDefault());
}

async function start() {
  byId("size").textContent = `${many(RUNS, "system", "systems")}, ${many(QUERIES, "query", "queries")}, ${many(facts.measures.length, "measure", "measures")}`;
  await readArrays();
  indexRankings();
  if (RUNS > 1) { indexPairs(); chooseFirstPair(); }
  listen();
  showWords();
  drawAll();
  showExtras();
  showEvaluated();
  document.documentElement.dataset.ready = "true";
}

start().catch((error) => {
  const failure = byId("failure");
  failure.textContent = `This page could not draw itself: ${error.message}. It needs a browser of 2024 or later.`;
  failure.hidden = false;
  throw error;
});
