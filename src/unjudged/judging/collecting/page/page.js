"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const items = data.items;
  const place = new Map(items.map((item, i) => [`${item.query} ${item.document}`, i]));
  const key = `unjudged-judge-${data.checksum}`;
  const state = { grades: {}, comments: {}, at: 0 };
  const done = [];

  function say(text) { at("message").textContent = text; }

  function unsaved(error) {
    at("unsaved").textContent = `This browser does not save your answers (${error.message}): export them before you close the page.`;
  }

  // One record for each document, so that several tabs with this page never write over each other's answers.
  function stored(name) {
    try { return JSON.parse(localStorage.getItem(`${key}${name}`)); } catch (error) {
      if (error instanceof SyntaxError) say(`A saved answer cannot be read: ${error.message}`); else unsaved(error);
      return null;
    }
  }

  function store(name, value) {
    try { localStorage.setItem(`${key}${name}`, JSON.stringify(value)); } catch (error) { unsaved(error); }
  }

  function save(i) { store(`-${i}`, { grade: state.grades[i], comment: state.comments[i] }); }

  function take(i, record) {
    if (data.grades.includes(record.grade)) state.grades[i] = record.grade; else delete state.grades[i];
    if (typeof record.comment === "string") state.comments[i] = record.comment; else delete state.comments[i];
  }

  function load() {
    const all = stored("");  // as older pages saved everything
    for (const i of items.keys()) {
      const record = stored(`-${i}`) ?? (all && { grade: all.grades?.[i], comment: all.comments?.[i] });
      if (record) take(i, record);
    }
  }

  function follow(event) {
    const i = Number(event.key?.startsWith(`${key}-`) ? event.key.slice(key.length + 1) : NaN);
    if (!items[i] || event.newValue === null) return;
    const record = stored(`-${i}`);
    if (record) take(i, record);
    show();
  }

  function show() {
    const item = items[state.at];
    const topic = data.topics[item.query] ?? {};
    at("query").textContent = topic.title ? `${item.query}: ${topic.title}` : item.query;
    at("description").textContent = topic.description ?? "";
    at("narrative").textContent = topic.narrative ?? "";
    at("more").hidden = !topic.narrative;
    at("name").textContent = item.document;
    const text = at("text");
    text.textContent = item.text ?? "The file of documents has no text for this one.";
    text.classList.toggle("none", item.text === null);
    text.scrollTop = 0;
    for (const button of at("grades").children) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.grade) === state.grades[state.at]));
    }
    const comment = state.comments[state.at] ?? "";
    if (at("comment").value !== comment) at("comment").value = comment;
    at("previous").disabled = state.at === 0;
    at("next").disabled = state.at === items.length - 1;
    at("undo").disabled = done.length === 0;
    const judged = Object.keys(state.grades).length;
    at("progress").textContent = `document ${state.at + 1} of ${items.length}, ${judged} judged`;
    at("bar").max = items.length;
    at("bar").value = judged;
  }

  function go(i) {
    state.at = Math.min(Math.max(i, 0), items.length - 1);
    store("-at", state.at);
    show();
  }

  function nextOpen() {
    for (let step = 1; step <= items.length; step += 1) {
      const i = (state.at + step) % items.length;
      if (!(i in state.grades)) { go(i); return; }
    }
    say("Every document is judged: export the qrels.");
    show();
  }

  function grade(value) {
    done.push([state.at, state.grades[state.at]]);
    state.grades[state.at] = value;
    say(`${items[state.at].document}: ${value}`);
    save(state.at);
    nextOpen();
  }

  function undo() {
    const last = done.pop();
    if (!last) return;
    const [i, before] = last;
    if (before === undefined) delete state.grades[i]; else state.grades[i] = before;
    save(i);
    say(`Undone: ${items[i].document}`);
    go(i);
  }

  function qrels() {
    const lines = [];
    items.forEach((item, i) => {
      const comment = (state.comments[i] ?? "").replace(/\s+/g, " ").trim();
      if (comment) lines.push(`# comment ${item.query} ${item.document} ${comment}`);
      lines.push(`${item.query} 0 ${item.document} ${state.grades[i] ?? -1}`);
    });
    return `${[...data.marks, ...lines].join("\n")}\n`;
  }

  function download() {
    if (!at("unsaved").textContent) load();
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([qrels()], { type: "text/plain" }));
    link.download = data.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    say(`Exported ${Object.keys(state.grades).length} judgments to ${data.file}.`);
  }

  async function read(file) {
    const answers = new Map();
    let foreign = 0;
    for (const line of (await file.text()).split("\n")) {
      const comment = /^# comment (\S+) (\S+) (.*)$/.exec(line.trim());
      const words = line.trim().split(/\s+/);
      if (!comment && (words.length !== 4 || line.startsWith("#"))) continue;
      const i = place.get(comment ? `${comment[1]} ${comment[2]}` : `${words[0]} ${words[2]}`);
      const value = comment ? -1 : Number(words[3]);
      if (i === undefined || (value >= 0 && !data.grades.includes(value))) foreign += comment ? 0 : 1;
      else if (comment) answers.set(i, { ...answers.get(i), comment: comment[3] });
      else if (value >= 0) answers.set(i, { ...answers.get(i), grade: value });
    }
    const differs = (mine, theirs) => mine !== undefined && theirs !== undefined && mine !== theirs;
    const other = [...answers].filter(([i, { grade: one, comment }]) =>
      differs(state.grades[i], one) || differs(state.comments[i] || undefined, comment));
    const question = `${file.name} has other answers than yours for ${other.length} of the documents. Replace yours?`;
    const kept = other.length && !confirm(question) ? other.map(([i]) => i) : [];
    let taken = 0;
    for (const [i, answer] of answers) {
      if (kept.includes(i)) continue;
      if (answer.grade !== undefined) {
        done.push([i, state.grades[i]]);
        taken += 1;
      }
      take(i, { grade: answer.grade ?? state.grades[i], comment: answer.comment ?? state.comments[i] });
      save(i);
    }
    show();
    const yours = kept.length ? `, kept your answers for ${kept.length} documents` : "";
    say(`Imported ${taken} judgments${yours}${foreign ? `, ignored ${foreign} lines that do not fit this task` : ""}.`);
  }

  function press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === at("comment")) {
      if (event.key === "Escape") at("comment").blur();
      return;
    }
    const value = /^[0-9]$/.test(event.key) ? Number(event.key) : -1;
    const moves = {
      ArrowLeft: () => go(state.at - 1),
      ArrowRight: () => go(state.at + 1),
      n: nextOpen,
      u: undo,
      c: () => at("comment").focus(),
    };
    if (data.grades.includes(value)) grade(value);
    else if (Object.hasOwn(moves, event.key)) moves[event.key]();
    else return;
    event.preventDefault();
  }

  for (const value of data.grades) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.grade = String(value);
    button.textContent = data.labels[value] ? `${value}: ${data.labels[value]}` : String(value);
    button.addEventListener("click", () => grade(value));
    at("grades").append(button);
  }
  at("task").textContent = data.task;
  document.title = data.task;
  at("previous").addEventListener("click", () => go(state.at - 1));
  at("next").addEventListener("click", () => go(state.at + 1));
  at("open").addEventListener("click", nextOpen);
  at("undo").addEventListener("click", undo);
  at("export").addEventListener("click", download);
  at("import").addEventListener("change", (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (file) read(file);
  });
  at("comment").addEventListener("input", (event) => {
    state.comments[state.at] = event.target.value;
    save(state.at);
  });
  document.addEventListener("keydown", press);
  addEventListener("storage", follow);
  addEventListener("beforeunload", (event) => {
    if (at("unsaved").textContent && Object.keys(state.grades).length) event.preventDefault();
  });
  load();
  const last = stored("-at") ?? stored("")?.at;
  go(Number.isInteger(last) ? last : 0);
  document.documentElement.dataset.ready = "";
})();
