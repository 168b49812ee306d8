// Answers on disk. IndexedDB says when an answer is written, and a killed browser loses none of those. Where it fails,
// localStorage takes them. Each name is written alone, so that several tabs with this page never write over each other;
// of two values for one name the later one counts. Tabs tell each other what they keep through localStorage.
const at = (id) => document.getElementById(id);
const data = JSON.parse(at("data").textContent);
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

async function write(batch) {
  if (base) { try { await inBase(batch); return; } catch { /* another way follows */ } }
  for (const [name, value] of batch) localStorage.setItem(`${key}-${name}`, JSON.stringify(value));
}

function keep(name, value) {
  waiting.set(name, value);
  try { localStorage.setItem(`${key}-told`, JSON.stringify([name, value])); } catch { /* they ask before they export */ }
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
    for (let n = 0; n < localStorage.length; n += 1) {
      const name = localStorage.key(n), own = name.slice(key.length + 1);
      if (name.startsWith(`${key}-`) && own !== "told") found.push([own, JSON.parse(localStorage.getItem(name))]);
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
