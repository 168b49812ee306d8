// The answers: per document one judgment (a grade, or the reason why it cannot be judged, or "later") and a comment.
const held = { a: new Map(), c: new Map() };
const kinds = { judged: 0, cannot: 0, later: 0 };
const doneOf = data.queries.map(() => 0);
const sizeOf = data.queries.map(() => 0);
for (const [query] of items) sizeOf[query] += 1;
const steps = [];  // each can be undone: the values that it replaced
let exported = 0;  // when the answers were last exported
const fresh = new Set();  // documents with answers since then

function kind(i) {
  const one = held.a.get(i);
  if (!one) return "open";
  return one.grade !== undefined ? "judged" : one.cannot !== undefined ? "cannot" : one.later ? "later" : "open";
}

function isDone(i) { return kind(i) === "judged" || kind(i) === "cannot"; }

function count(i, by) {
  const now = kind(i);
  if (now !== "open") kinds[now] += by;
  if (isDone(i)) doneOf[items[i][0]] += by;
}

// A value from another tab or from disk; an older one than ours is ignored.
function take(name, value) {
  const i = Number.parseInt(name, 10), part = name.at(-1);
  if (!items[i] || !held[part] || typeof value !== "object" || value === null) return;
  if ((held[part].get(i)?.t ?? -1) > value.t) return;
  if (part === "a" && value.grade !== undefined && !data.grades.includes(value.grade)) return;
  hold(part, i, value);
}

function hold(part, i, value) {
  if (part === "a") count(i, -1);
  held[part].set(i, value);
  if (part === "a") count(i, 1);
  if (value.t > exported) fresh.add(i); else fresh.delete(i);
}

function change(part, i, value) {
  const stamped = { ...value, t: Math.max(Date.now(), (held[part].get(i)?.t ?? 0) + 1) };
  hold(part, i, stamped);
  keep(`${i}${part}`, stamped);
  return stamped.t;
}

// Change several values as one step that can be undone.
function step(changes) {
  steps.push(changes.map(([part, i, value]) => {
    const before = held[part].get(i) ?? {};
    return [part, i, before, change(part, i, value)];
  }));
}

function undo() {
  const last = steps.pop();
  if (!last) return;
  const ours = last.filter(([part, i, , t]) => held[part].get(i)?.t === t);
  for (const [part, i, before] of ours) change(part, i, before);
  const [, i] = last[0];
  const elsewhere = last.length - ours.length;
  const what = last.length === 1 ? nameOf(i) : `${ours.length} answers`;
  go(i);
  say(elsewhere ? `${elsewhere} not undone: changed in another tab since.` : `Undone: ${what}`);
}

const FILTERS = {
  all: () => true,
  open: (i) => kind(i) === "open",
  later: (i) => kind(i) === "later",
  cannot: (i) => kind(i) === "cannot",
  judged: (i) => kind(i) === "judged",
  commented: (i) => Boolean(held.c.get(i)?.text),
};

function seek(from, by, fits) {
  for (let i = from + by; i >= 0 && i < items.length; i += by) if (fits(i)) return i;
  return null;
}
