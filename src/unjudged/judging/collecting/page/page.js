// What is seen: one document with its topic, the grades, the list of topics; keys and buttons.
const state = { at: 0, filter: "all" };
const REMIND = 50;  // answers after which the page asks for an export
const LABELS = { open: "not judged", judged: "judged", cannot: "cannot be judged", later: "for later" };

function nameOf(i) { return data.documents[items[i][1]]; }
function say(text) { at("message").textContent = text; }

function unsaved(error) {
  at("unsaved").textContent = error ? `This browser does not save your answers (${error.message}): export them before you close the page.` : "";
}

function showSaved() {
  at("saved").textContent = waiting.size ? (writing ? "saving …" : "not saved") : "saved";
  document.documentElement.dataset.saved = waiting.size ? "no" : "yes";
}

function showTopic(query) {
  const name = data.queries[query], topic = data.topics[name] ?? {};
  at("query").textContent = topic.title ? `${name}: ${topic.title}` : name;
  at("description").textContent = topic.description ?? "";
  at("narrative").textContent = topic.narrative ?? "";
  at("more").hidden = !topic.narrative;
}

const rows = [];
const listed = [];  // what the list of topics says
function showTopics(query) {
  for (const [q, row] of rows.entries()) {
    const says = `${doneOf[q]}/${sizeOf[q]}${q === query ? " here" : ""}`;
    if (listed[q] === says) continue;
    listed[q] = says;
    const button = row.firstChild;
    button.lastChild.textContent = `${doneOf[q]}/${sizeOf[q]}`;
    if (q === query) button.setAttribute("aria-current", "true"); else button.removeAttribute("aria-current");
    row.classList.toggle("done", doneOf[q] === sizeOf[q]);
  }
}

function showAnswer() {
  const i = state.at, one = held.a.get(i) ?? {};
  for (const button of at("grades").children) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.grade) === one.grade));
  }
  at("cannot").setAttribute("aria-pressed", String(kind(i) === "cannot"));
  at("later").setAttribute("aria-pressed", String(kind(i) === "later"));
  at("given").textContent = kind(i) === "cannot" ? `Cannot be judged: ${one.cannot}` : "";
  const comment = held.c.get(i)?.text ?? "";
  if (at("comment").value !== comment) at("comment").value = comment;
  if (comment) at("remark").hidden = false;
}

function showCounts() {
  const more = ["cannot", "later"].filter((one) => kinds[one]).map((one) => `, ${kinds[one]} ${LABELS[one]}`).join("");
  at("progress").textContent = `document ${state.at + 1} of ${items.length}, ${kinds.judged} judged${more}`;
  at("bar").value = kinds.judged + kinds.cannot;
  at("reminder").textContent = fresh.size >= REMIND ? `${fresh.size} answers since the last export: export them.` : "";
  at("undo").disabled = steps.length === 0;
  for (const option of at("filter").options) {
    const number = option.value === "all" ? items.length : option.value === "open" ? items.length - kinds.judged - kinds.cannot - kinds.later : kinds[option.value];
    const says = `${option.dataset.label} (${number})`;
    if (number !== undefined && option.textContent !== says) option.textContent = says;
  }
}

let shown = null;
let scrolled = false;  // asking where the text is costs a layout
function show() {
  const [query] = items[state.at];
  if (shown !== state.at) {
    if (shown === null || items[shown][0] !== query) showTopic(query);
    at("name").textContent = nameOf(state.at);
    whole = false;
    at("remark").hidden = true;
    at("reason").hidden = true;
    shown = state.at;
    showText(state.at);
    if (scrolled) at("reading").scrollTop = 0;
    scrolled = false;
  }
  showAnswer();
  showCounts();
  showTopics(query);
}

function go(i) {
  state.at = Math.min(Math.max(i, 0), items.length - 1);
  keep("at", { at: state.at, exported, t: Date.now() });
  show();
}

function move(by) {
  const i = seek(state.at, by, FILTERS[state.filter]);
  if (i !== null) go(i);
  else say(state.filter === "all" ? "No further document." : "No further document of those that you chose to see.");
}

function nextOpen() {
  for (const wanted of ["open", "later"]) {
    const fits = (i) => kind(i) === wanted;
    const i = seek(state.at, 1, fits) ?? seek(-1, 1, fits);
    if (i === null) continue;
    go(i);
    if (wanted === "later") say("Only documents that you marked for later are left.");
    return;
  }
  say("Every document is judged: export the qrels.");
  show();
}

function onwards() {
  if (state.filter === "all" || state.filter === "open") nextOpen();
  else if (seek(state.at, 1, FILTERS[state.filter]) === null) show();
  else move(1);
}

function answer(value, words) {
  const i = state.at;
  step([["a", i, value]]);
  say(`${nameOf(i)}: ${words}`);
  if (document.activeElement !== at("reading")) at("reading").focus({ preventScroll: true });
  onwards();
}

function grade(value) { answer({ grade: value }, String(value)); }

function later() {
  if (kind(state.at) === "later") answer({}, LABELS.open); else answer({ later: true }, LABELS.later);
}

function ask() {
  at("reason").hidden = false;
  at("why").value = held.a.get(state.at)?.cannot ?? "";
  at("why").focus();
}

function cannot() {
  const why = plain(at("why").value);
  if (!why) { say("Say why this document cannot be judged."); at("why").focus(); return; }
  at("reason").hidden = true;
  answer({ cannot: why }, `${LABELS.cannot}: ${why}`);
}

function remark() {
  at("remark").hidden = false;
  at("comment").focus();
}

function choose(filter) {
  state.filter = filter;
  at("filter").value = filter;
  if (FILTERS[filter](state.at)) return;
  const i = seek(state.at, 1, FILTERS[filter]) ?? seek(-1, 1, FILTERS[filter]);
  if (i !== null) { go(i); return; }
  say("There are no such documents.");
  choose("all");
}

function scroll(to) {
  const box = at("reading"), view = getComputedStyle(box).overflowY === "visible" ? document.scrollingElement : box;
  const pages = { " ": 0.85, PageDown: 0.85, PageUp: -0.85, ArrowDown: 0.1, ArrowUp: -0.1 };
  if (to === "End") showAll();
  const top = to === "Home" ? 0 : to === "End" ? view.scrollHeight : view.scrollTop + pages[to] * Math.min(box.clientHeight, innerHeight);
  view.scrollTo({ top, behavior: "instant" });
}

const KEYS = {
  ArrowLeft: () => move(-1),
  ArrowRight: () => move(1),
  n: nextOpen,
  u: undo,
  c: remark,
  x: ask,
  l: later,
  a: showAll,
  h: () => at("marked").click(),
  "?": () => { at("help").open = !at("help").open; },
};

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target.closest?.("textarea, input, select, button, summary");
  if (event.key === "Escape") {
    at("reason").hidden = true;
    if (target) at("reading").focus({ preventScroll: true });
    return;
  }
  if (target === at("why") && event.key === "Enter") { cannot(); event.preventDefault(); return; }
  if (target?.matches("textarea, select, input:not([type=checkbox])")) return;
  if (target && (event.key === " " || event.key === "Enter")) return;
  const value = /^[0-9]$/.test(event.key) ? Number(event.key) : -1;
  const to = event.key === " " && event.shiftKey ? "PageUp" : event.key;
  if (data.grades.includes(value)) grade(value);
  else if ([" ", "PageDown", "PageUp", "ArrowDown", "ArrowUp", "Home", "End"].includes(to)) scroll(to);
  else if (Object.hasOwn(KEYS, event.key)) KEYS[event.key]();
  else return;
  event.preventDefault();
}

function element(name, text, more = {}) {
  return Object.assign(document.createElement(name), { textContent: text, ...more });
}

function build() {
  for (const value of data.grades) {
    const { label = "", description = "" } = data.labels[value] ?? {};
    const button = element("button", label ? `${value}: ${label}` : String(value), { type: "button", title: description });
    button.dataset.grade = String(value);
    button.addEventListener("click", () => grade(value));
    at("grades").append(button);
    if (description) at("meanings").append(element("dt", button.textContent), element("dd", description, { dir: "auto" }));
  }
  at("guidelines").textContent = data.guidelines;
  at("task").textContent = data.task;
  document.title = data.task;
  at("bar").max = items.length;
  at("marking").hidden = !globalThis.CSS?.highlights || !Object.keys(data.topics).length;
  const first = new Map();
  items.forEach(([query], i) => { if (!first.has(query)) first.set(query, i); });
  for (const [query, name] of data.queries.entries()) {
    const row = document.createElement("li"), button = element("button", "", { type: "button" });
    const title = data.topics[name]?.title;
    button.append(element("span", title ? `${name}: ${title}` : name, { dir: "auto" }), element("span", ""));
    button.addEventListener("click", () => {
      const inside = (i) => items[i][0] === query;
      go(seek(-1, 1, (i) => inside(i) && kind(i) === "open") ?? first.get(query));
      if (!wide.matches) at("list").open = false;
    });
    row.append(button);
    rows.push(row);
    at("topics").append(row);
  }
  const wide = matchMedia("(min-width: 64rem)");
  at("list").open = wide.matches;
  at("more").open = wide.matches;
  const buttons = { previous: KEYS.ArrowLeft, next: KEYS.ArrowRight, open: nextOpen, undo, export: download, later, cannot: ask, note: remark, rest: showAll, sure: cannot };
  for (const [id, act] of Object.entries(buttons)) at(id).addEventListener("click", () => act());
  at("filter").addEventListener("change", (event) => choose(event.target.value));
  at("marked").addEventListener("change", mark);
  at("import").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (file) read(file).finally(() => { at("import").value = ""; });
  });
  at("reading").addEventListener("scroll", () => { scrolled = true; });
  at("comment").addEventListener("input", (event) => {
    change("c", state.at, { text: event.target.value });
    showCounts();
  });
}

async function takeKept() { for (const [name, value] of await kept()) take(name, value); }

async function start() {
  build();
  show();
  await openBase();
  const found = await kept();
  const last = found.filter(([name, value]) => name === "at" && Number.isInteger(value?.at)).sort((one, two) => one[1].t - two[1].t).at(-1)?.[1];
  exported = last?.exported ?? 0;
  for (const [name, value] of found) take(name, value);
  go(last?.at ?? 0);
  document.addEventListener("keydown", press);
  addEventListener("storage", (event) => {
    if (event.key !== `${key}-told` || !event.newValue) return;
    take(...JSON.parse(event.newValue));
    show();
  });
  addEventListener("beforeunload", (event) => { if (waiting.size && fresh.size) event.preventDefault(); });
  if (document.readyState === "loading") await new Promise((ready) => { document.addEventListener("DOMContentLoaded", ready); });
  showText(state.at);
  while (writing) await new Promise((soon) => { setTimeout(soon, 5); });
  document.documentElement.dataset.ready = "";
}

start();
