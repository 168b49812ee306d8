// The text of a document: as it is, or with the harmless part of its markup; images; the words of the query marked.
const FIRST = 50000;  // characters that are shown at once; a key shows the rest
const chunks = new Map();
let whole = false;

function contentOf(document_) {
  let n = 0;
  while (data.chunks[n + 1] <= document_) n += 1;
  if (!chunks.has(n)) {
    const element = at(`texts-${n}`);
    if (!element || (document.readyState === "loading" && !at(`texts-${n + 1}`))) return undefined;
    if (chunks.size > 3) chunks.clear();
    chunks.set(n, JSON.parse(element.textContent));
  }
  return chunks.get(n)[document_ - data.chunks[n]];
}

const KEPT = new Set(["P", "BR", "UL", "OL", "LI", "DL", "DT", "DD", "TABLE", "CAPTION", "THEAD", "TBODY", "TFOOT", "TR", "TH", "TD",
  "B", "STRONG", "I", "EM", "U", "S", "SUB", "SUP", "SMALL", "CODE", "PRE", "BLOCKQUOTE", "HR", "DIV", "SPAN"]);
const DROPPED = new Set(["SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT", "HEAD", "IFRAME", "OBJECT", "SVG", "MATH", "TITLE"]);

// New elements, made from names in the list and from text; no attribute of the document is copied but its direction and spans.
function harmless(node, into) {
  for (const child of node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) into.append(child.data);
    if (child.nodeType !== Node.ELEMENT_NODE) continue;
    const name = child.nodeName.toUpperCase();
    if (DROPPED.has(name)) continue;
    if (name === "IMG") { into.append(`[image${child.getAttribute("alt") ? `: ${child.getAttribute("alt")}` : ""}]`); continue; }
    const heading = /^H[1-6]$/.test(name);
    if (!heading && !KEPT.has(name)) { harmless(child, into); continue; }
    const made = document.createElement(heading ? "p" : name.toLowerCase());
    if (heading) made.className = "heading";
    if (/^(ltr|rtl|auto)$/.test(child.getAttribute("dir") ?? "")) made.dir = child.getAttribute("dir");
    for (const span of ["colspan", "rowspan"]) if (/^[0-9]{1,3}$/.test(child.getAttribute(span) ?? "")) made.setAttribute(span, child.getAttribute(span));
    harmless(child, made);
    into.append(made);
  }
}

function showText(i) {
  const box = at("text"), content = contentOf(items[i][1]);
  box.replaceChildren();
  const text = content === undefined ? "Loading …" : content?.text ?? null;
  box.classList.toggle("none", typeof text !== "string" || content === undefined);
  box.classList.toggle("markup", Boolean(data.html && content?.text));
  const long = !whole && !data.html && text?.length > FIRST + 1000;
  if (data.html && content?.text) harmless(new DOMParser().parseFromString(text, "text/html").body, box);
  else box.textContent = text === null ? (content?.images ? "" : "The file of documents has no text for this one.") : long ? text.slice(0, FIRST) : text;
  at("rest").hidden = !long;
  if (long) at("rest").textContent = `Show all: ${(text.length - FIRST).toLocaleString("en")} more characters (a)`;
  at("images").replaceChildren(...(content?.images ?? []).map(({ name, source }) => {
    const image = document.createElement("img");
    image.alt = `Image ${name}`;
    image.src = source;
    return image;
  }));
  mark();
}

function showAll() {
  if (at("rest").hidden) return;
  whole = true;
  showText(state.at);
  at("reading").focus({ preventScroll: true });
}

const COMMON = new Set("a an and are as at be by do does did for from has have how in is it its of on or that the this to was were what when where which who why will with".split(" "));

function wordsOf(query) {
  const topic = data.topics[data.queries[query]];
  const words = (topic?.title ?? "").toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return [...new Set(words)].filter((word) => !COMMON.has(word) && (word.length > 1 || /\P{ASCII}/u.test(word)));
}

// Scripts without spaces between words are matched anywhere, others at the start of a word with a short ending.
function pattern(words) {
  const spaced = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}\p{N}\p{M}]+$/u;
  const forms = words.map((word) => spaced.test(word) ? `(?<![\\p{L}\\p{N}])${word}\\p{L}{0,2}(?![\\p{L}\\p{N}])` : word);
  return new RegExp(forms.join("|"), "giu");
}

function mark() {
  const box = globalThis.CSS?.highlights;
  if (!box) return;
  box.delete("words");
  const words = wordsOf(items[state.at][0]);
  at("marked").disabled = !words.length;
  if (!at("marked").checked || !words.length) return;
  const found = new Highlight(), wanted = pattern(words);
  const walker = document.createTreeWalker(at("text"), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const match of node.data.matchAll(wanted)) {
      const range = new StaticRange({ startContainer: node, startOffset: match.index, endContainer: node, endOffset: match.index + match[0].length });
      found.add(range);
    }
  }
  box.set("words", found);
}
