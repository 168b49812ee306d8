// One document with its query, and its answer: a grade, or that it cannot be judged. Keys, buttons, export and import.
const items = data.items;
const place = new Map(items.map(([query, name], i) => [`${data.queries[query][0]} ${data.documents[name]}`, i]));
const CANNOT = -2;  // the grade that says so in a file of judgments
const answers = new Map();  // by place: the grade, which is null where it was undone, and when it was given
const steps = [];  // each can be undone: places, the grades that it replaced, and when it did
let current = 0;
let shown = null;

function gradeOf(i) { return answers.get(i)?.grade ?? null; }
function isOpen(i) { return gradeOf(i) === null; }
function nameOf(i) { return data.documents[items[i][1]]; }
function say(text) { at("message").textContent = text; }

function unsaved(error) {
  at("unsaved").textContent = error ? `This browser does not keep your answers (${error.message}): save them before you close the page.` : "";
}

function showSaved() {
  at("saved").textContent = waiting.size ? (writing ? "saving …" : "not saved") : "saved in this browser";
  document.documentElement.dataset.saved = waiting.size ? "no" : "yes";
}

// An answer from another tab or from disk; an older one than ours is ignored.
function take(name, value) {
  const i = Number(name);
  if (!items[i] || typeof value !== "object" || value === null || (answers.get(i)?.t ?? -1) > value.t) return;
  if ([null, CANNOT, ...data.grades].includes(value.grade)) answers.set(i, value);
}

function change(i, grade) {
  const value = { grade, t: Math.max(Date.now(), (answers.get(i)?.t ?? 0) + 1) };
  answers.set(i, value);
  keep(String(i), value);
  return value.t;
}

function step(changes) { steps.push(changes.map(([i, grade]) => [i, gradeOf(i), change(i, grade)])); }

function undo() {
  const last = steps.pop();
  if (!last) return;
  const ours = last.filter(([i, , t]) => answers.get(i)?.t === t);
  for (const [i, before] of ours) change(i, before);
  go(last[0][0]);
  const elsewhere = last.length - ours.length;
  if (elsewhere) say(`${elsewhere} not undone: changed in another tab since.`);
  else say(`Undone: ${last.length === 1 ? nameOf(current) : `${last.length} answers`}`);
}

function showDocument() {
  const [query, title, body] = data.queries[items[current][0]], text = data.texts[items[current][1]];
  at("query").textContent = title ? `${query}: ${title}` : query;
  at("description").textContent = body;
  at("name").textContent = nameOf(current);
  at("text").textContent = text ?? "There is no text for this document.";
  at("text").classList.toggle("none", text === null);
  at("reading").scrollTop = 0;
  shown = current;
}

function show() {
  if (shown !== current) showDocument();
  for (const button of at("grades").children) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.grade) === gradeOf(current)));
  }
  const done = data.queries.map(() => 0), size = data.queries.map(() => 0);
  let cannot = 0;
  items.forEach(([query], i) => {
    size[query] += 1;
    if (!isOpen(i)) done[query] += 1;
    if (gradeOf(i) === CANNOT) cannot += 1;
  });
  const judged = done.reduce((sum, one) => sum + one, 0) - cannot;
  const more = cannot ? `, ${cannot} cannot be judged` : "";
  at("progress").textContent = `document ${current + 1} of ${items.length}, ${judged} judged${more}`;
  at("undo").disabled = steps.length === 0;
  for (const [query, option] of [...at("topics").options].entries()) {
    const says = `${option.dataset.label} (${done[query]}/${size[query]})`;
    if (option.textContent !== says) option.textContent = says;
  }
  at("topics").value = String(items[current][0]);
}

function go(i) {
  current = Math.min(Math.max(i, 0), items.length - 1);
  show();
}

// The first place from `start` on, and then from the beginning, that fits.
function seek(start, fits) {
  for (let n = 0; n < items.length; n += 1) if (fits((start + n) % items.length)) return (start + n) % items.length;
  return null;
}

function nextOpen() {
  const i = seek(current + 1, isOpen);
  go(i ?? current);
  if (i === null) say("Every document is judged: save the answers.");
}

function answer(grade) {
  step([[current, grade]]);
  say(`${nameOf(current)}: ${grade === CANNOT ? "cannot be judged" : grade}`);
  nextOpen();
  at("reading").focus({ preventScroll: true });
}

async function takeKept() { for (const [name, value] of await kept()) take(name, value); }

async function download() {
  await takeKept();
  show();
  const grades = items.map((_, i) => gradeOf(i) ?? -1), judged = grades.filter((grade) => grade >= 0).length;
  const lines = items.map(([query, name], i) => `${data.queries[query][0]} 0 ${data.documents[name]} ${grades[i]}`);
  const head = [`# unjudged-answers: ${judged} of ${items.length} documents judged`, ...data.marks];
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([`${[...head, ...lines].join("\n")}\n`], { type: "text/plain" }));
  link.download = data.file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  say(`Saved ${judged} judgments as ${data.file}.`);
}

// Take the answers of a file for documents that are not judged here.
async function read(file) {
  const rows = (await file.text()).split("\n").filter((line) => line.trim() && !line.startsWith("#"));
  const changes = [];
  let foreign = 0;
  for (const row of rows) {
    const [query, , name, grade] = row.trim().split(/\s+/), i = place.get(`${query} ${name}`);
    const value = /^[+-]?[0-9]+$/.test(grade) ? Number(grade) : NaN;
    const fits = i !== undefined && (value < 0 || data.grades.includes(value));
    if (!fits) foreign += 1;
    else if (isOpen(i) && (value >= 0 || value === CANNOT)) changes.push([i, value]);
  }
  if (changes.length) step(changes);
  show();
  say(`Loaded ${changes.length} answers${foreign ? `, ignored ${foreign} lines that do not fit this task` : ""}.`);
}

const keys = new Map([
  ...data.grades.map((grade) => [String(grade), () => answer(grade)]),
  ["x", () => answer(CANNOT)],
  ["u", undo],
  ["n", nextOpen],
  ["ArrowLeft", () => go(current - 1)],
  ["ArrowRight", () => go(current + 1)],
]);

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("select")) return;
  const act = keys.get(event.key);
  if (!act) return;
  act();
  event.preventDefault();
}

function build() {
  for (const grade of [...data.grades, CANNOT]) {
    const label = grade === CANNOT ? "x: cannot judge" : data.labels[grade] ? `${grade}: ${data.labels[grade]}` : String(grade);
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: label });
    button.dataset.grade = String(grade);
    button.addEventListener("click", () => answer(grade));
    at("grades").append(button);
  }
  for (const [query, [name, title]] of data.queries.entries()) {
    const option = document.createElement("option");
    option.value = String(query);
    option.dataset.label = title ? `${name}: ${title}` : name;
    at("topics").append(option);
  }
  document.title = at("task").textContent = data.task;
  const buttons = { previous: "ArrowLeft", next: "ArrowRight", open: "n", undo: "u" };
  for (const [id, name] of Object.entries(buttons)) at(id).addEventListener("click", keys.get(name));
  at("export").addEventListener("click", download);
  at("topics").addEventListener("change", (event) => {
    const inside = (i) => items[i][0] === Number(event.target.value);
    go(seek(0, (i) => inside(i) && isOpen(i)) ?? seek(0, inside));
    at("reading").focus({ preventScroll: true });
  });
  at("import").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (file) read(file).finally(() => { at("import").value = ""; });
  });
}

async function start() {
  build();
  await openBase();
  await takeKept();
  go(seek(0, isOpen) ?? 0);
  at("reading").focus({ preventScroll: true });
  document.addEventListener("keydown", press);
  addEventListener("storage", (event) => {
    if (event.key !== `${key}-told` || !event.newValue) return;
    take(...JSON.parse(event.newValue));
    show();
  });
  addEventListener("beforeunload", (event) => { if (waiting.size) event.preventDefault(); });
  keep("opened", { t: Date.now() });  // so that a browser that saves nothing is known at once
  while (writing) await new Promise((soon) => { setTimeout(soon, 5); });
  document.documentElement.dataset.ready = "";
}

start();
