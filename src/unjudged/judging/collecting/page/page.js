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

  function load() {
    let saved = null;
    try { saved = JSON.parse(localStorage.getItem(key)); } catch (error) { say(`Saved answers cannot be read: ${error.message}`); }
    if (!saved || typeof saved !== "object") return;
    for (const i of items.keys()) {
      if (data.grades.includes(saved.grades?.[i])) state.grades[i] = saved.grades[i];
      if (typeof saved.comments?.[i] === "string") state.comments[i] = saved.comments[i];
    }
    if (Number.isInteger(saved.at) && items[saved.at]) state.at = saved.at;
  }

  function save() {
    try { localStorage.setItem(key, JSON.stringify(state)); } catch (error) { say(`Not saved in the browser: ${error.message}. Export often.`); }
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
    at("comment").value = state.comments[state.at] ?? "";
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
    save();
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
    save();
    nextOpen();
  }

  function undo() {
    const last = done.pop();
    if (!last) return;
    const [i, before] = last;
    if (before === undefined) delete state.grades[i]; else state.grades[i] = before;
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
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([qrels()], { type: "text/plain" }));
    link.download = data.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    say(`Exported ${Object.keys(state.grades).length} judgments to ${data.file}.`);
  }

  async function read(file) {
    let taken = 0;
    let foreign = 0;
    for (const line of (await file.text()).split("\n")) {
      const comment = /^# comment (\S+) (\S+) (.*)$/.exec(line.trim());
      if (comment) {
        const i = place.get(`${comment[1]} ${comment[2]}`);
        if (i !== undefined) state.comments[i] = comment[3];
        continue;
      }
      const words = line.trim().split(/\s+/);
      if (words.length !== 4 || line.startsWith("#")) continue;
      const value = Number(words[3]);
      const i = place.get(`${words[0]} ${words[2]}`);
      if (i === undefined || (value >= 0 && !data.grades.includes(value))) foreign += 1;
      else if (value >= 0) {
        done.push([i, state.grades[i]]);
        state.grades[i] = value;
        taken += 1;
      }
    }
    save();
    show();
    say(`Imported ${taken} judgments${foreign ? `, ignored ${foreign} lines that do not fit this task` : ""}.`);
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
    save();
  });
  document.addEventListener("keydown", press);
  load();
  show();
  document.documentElement.dataset.ready = "";
})();
