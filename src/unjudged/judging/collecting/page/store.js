// Answers on disk. IndexedDB says when an answer is written, and a killed browser loses none of those. Where it fails,
// localStorage takes them. Each name is written alone, so that several tabs with this page never write over each other;
// of two values for one name the later one counts. Tabs tell each other what they keep through localStorage.
const key = `unjudged-judge-${data.checksum}`;
const waiting = new Map();  // what is not on disk yet
let base = null;
let writing = false;

function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function openBase() {
  try {
    const request = indexedDB.open(key, 1);
    request.onupgradeneeded = () => request.result.createObjectStore("answers");
    base = await result(request);
    base.onclose = () => { base = null; };
  } catch { base = null; }
}

function inBase(batch) {
  return new Promise((resolve, reject) => {
    const transaction = base.transaction("answers", "readwrite", { durability: "strict" });
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error ?? new Error("the browser stopped writing"));
    const store = transaction.objectStore("answers");
    for (const [name, value] of batch) {
      const request = store.get(name);
      request.onsuccess = () => {
        try { if (!(request.result?.t > value.t)) store.put(value, name); } catch (error) { reject(error); }
      };
    }
  });
}

function inStorage(batch) {
  for (const [name, value] of batch) localStorage.setItem(`${key}-${name}`, JSON.stringify(value));
}

async function write(batch) {
  if (base) { try { await inBase(batch); return; } catch { /* another way follows */ } }
  inStorage(batch);
}

function keep(name, value) {
  waiting.set(name, value);
  if (name !== "at") { try { localStorage.setItem(`${key}-told`, JSON.stringify([name, value])); } catch { /* they ask before they export */ } }
  flush();
}

async function flush() {
  if (writing) return;
  writing = true;
  showSaved();
  while (waiting.size) {
    const batch = [...waiting];
    try { await write(batch); } catch (error) { unsaved(error); break; }
    for (const [name, value] of batch) if (waiting.get(name) === value) waiting.delete(name);
    if (!waiting.size) unsaved(null);
  }
  writing = false;
  showSaved();
}

async function kept() {
  const found = [];
  try {
    const older = JSON.parse(localStorage.getItem(key)) ?? {};  // as the first pages saved everything
    for (const [i, grade] of Object.entries(older.grades ?? {})) found.push([`${i}a`, { grade, t: 0 }]);
    for (const [i, text] of Object.entries(older.comments ?? {})) found.push([`${i}c`, { text, t: 0 }]);
    if (Number.isInteger(older.at)) found.push(["at", { at: older.at, t: 0 }]);
    for (let n = 0; n < localStorage.length; n += 1) {
      const name = localStorage.key(n);
      if (!name.startsWith(`${key}-`)) continue;
      const own = name.slice(key.length + 1), value = JSON.parse(localStorage.getItem(name));
      if (/^(at|[0-9]+[ac])$/.test(own) && typeof value === "object") found.push([own, value]);
      else if (/^[0-9]+$/.test(own)) {  // as later pages did, one record for each document
        if (value.grade !== undefined) found.push([`${own}a`, { grade: value.grade, t: 0 }]);
        if (value.comment) found.push([`${own}c`, { text: value.comment, t: 0 }]);
      } else if (own === "at") found.push(["at", { at: value, t: 0 }]);
    }
  } catch (error) { if (error instanceof SyntaxError) say(`A saved answer cannot be read: ${error.message}`); }
  if (base) {
    try {
      const store = base.transaction("answers").objectStore("answers");
      const [names, values] = await Promise.all([result(store.getAllKeys()), result(store.getAll())]);
      names.forEach((name, n) => found.push([name, values[n]]));
    } catch { base = null; }
  }
  return found;
}
