// Answers as a file: qrels whose first line counts them, and back again.
const NOTE = /^# (comment|cannot-judge|later) (\S+) (\S+) ?(.*)$/;
const CANNOT = -2;  // the grade that says so in a file of judgments
const HEAD = /^# unjudged-answers: ([0-9]+) of ([0-9]+) documents judged$/;

function plain(text) { return (text ?? "").replace(/\s+/g, " ").trim(); }

function qrels() {
  const lines = [...data.marks];
  items.forEach(([query, document_], i) => {
    const one = held.a.get(i) ?? {}, pair = `${data.queries[query]} ${data.documents[document_]}`;
    const comment = plain(held.c.get(i)?.text);
    if (comment) lines.push(`# comment ${pair} ${comment}`);
    if (kind(i) === "cannot") lines.push(`# cannot-judge ${pair} ${plain(one.cannot)}`.trimEnd());
    if (kind(i) === "later") lines.push(`# later ${pair}`);
    lines.push(`${data.queries[query]} 0 ${data.documents[document_]} ${kind(i) === "cannot" ? CANNOT : one.grade ?? -1}`);
  });
  return `# unjudged-answers: ${kinds.judged} of ${items.length} documents judged\n${lines.join("\n")}\n`;
}

async function download() {
  await takeKept();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([qrels()], { type: "text/plain" }));
  link.download = data.file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  exported = Math.max(Date.now(), ...[...fresh].map((i) => Math.max(held.a.get(i)?.t ?? 0, held.c.get(i)?.t ?? 0)));
  fresh.clear();
  keep("at", { at: state.at, exported, t: Date.now() });
  show();
  say(`Exported ${kinds.judged} judgments to ${data.file}.`);
}

function parsed(text) {
  const found = new Map();
  let foreign = 0;
  for (const line of text.split("\n").map((one) => one.trim())) {
    const note = NOTE.exec(line), words = line.split(/\s+/);
    if (!note && (words.length !== 4 || line.startsWith("#"))) continue;
    const i = place.get(note ? `${note[2]} ${note[3]}` : `${words[0]} ${words[2]}`);
    const value = note ? -1 : Number(words[3]);
    if (i === undefined || (value >= 0 && !data.grades.includes(value))) { foreign += note ? 0 : 1; continue; }
    const one = found.get(i) ?? {};
    if (note?.[1] === "comment") one.c = { text: note[4] };
    else if (note?.[1] === "cannot-judge") one.a = { cannot: note[4] };
    else if (note?.[1] === "later") one.a = { later: true };
    else if (value >= 0) one.a = { grade: value };
    else if (value === CANNOT && one.a?.cannot === undefined) one.a = { cannot: "no reason given" };
    found.set(i, one);
  }
  return [found, foreign];
}

function damage(text) {
  const [first, ...lines] = text.trim().split(/\r?\n/), head = HEAD.exec(first);
  const answers = lines.filter((line) => !line.startsWith("#")).map((line) => !/ -[0-9]+$/.test(line));
  return Boolean(head) && `${answers.filter(Boolean).length} ${answers.length}` !== `${head[1]} ${head[2]}`;
}

async function read(file) {
  const text = await file.text();
  if (damage(text) && !confirm(`${file.name} was cut or edited after its export: it has other answers than it says. Import what it has?`)) {
    say(`Imported nothing: ${file.name} was cut or edited.`);
    return;
  }
  const [found, foreign] = parsed(text);
  const differs = (mine, theirs) => mine !== undefined && theirs !== undefined && mine !== theirs;
  const other = new Set([...found].filter(([i, { a, c }]) => {
    const mine = held.a.get(i) ?? {};
    const changed = a && isDone(i) && (mine.grade !== a.grade || mine.cannot !== a.cannot);
    return changed || differs(held.c.get(i)?.text || undefined, c?.text);
  }).map(([i]) => i));
  const question = `${file.name} has other answers than yours for ${other.size} of the documents. Replace yours?`;
  const kept_ = other.size && !confirm(question) ? other : new Set();
  const changes = [];
  let taken = 0;
  for (const [i, { a, c }] of found) {
    if (kept_.has(i)) continue;
    if (a && !(a.later && isDone(i))) {
      changes.push(["a", i, a]);
      taken += a.later ? 0 : 1;
    }
    if (c) changes.push(["c", i, c]);
  }
  if (changes.length) step(changes);
  show();
  const yours = kept_.size ? `, kept your answers for ${kept_.size} documents` : "";
  say(`Imported ${taken} judgments${yours}${foreign ? `, ignored ${foreign} lines that do not fit this task` : ""}.`);
}
