// The text of a document: as it is, or parts of its markup; images; the words of the query marked.
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

// New elements from names in the list; their text is text.
const KEPT = new Set("p br ul ol li dl dt dd table caption thead tbody tfoot tr th td b strong i em u s sub sup small code pre blockquote hr div span".split(" "));

function elements(parts, into) {
  for (const part of parts) {
    if (typeof part === "string") { into.append(part); continue; }
    const [name, given, inside] = part;
    const made = document.createElement(KEPT.has(name) ? name : "p");
    if (name === "h") made.className = "heading";
    for (const [attribute, value] of Object.entries(given)) if (["dir", "colspan", "rowspan"].includes(attribute)) made.setAttribute(attribute, value);
    elements(inside, made);
    into.append(made);
  }
}

function showText(i) {
  const box = at("text"), content = contentOf(items[i][1]);
  box.replaceChildren();
  const text = content === undefined ? "Loading …" : content?.text ?? null;
  box.classList.toggle("none", content === undefined || (text === null && !content.parts));
  box.classList.toggle("markup", Boolean(content?.parts));
  const long = !whole && text?.length > FIRST + 1000;
  if (content?.parts) elements(content.parts, box);
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

// Latin words match with common endings, words of other scripts with spaces with short ones, and those without spaces anywhere.
function pattern(words) {
  const latin = /^[\p{Script=Latin}\p{N}\p{M}]+$/u, spaced = /^[\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}\p{M}]+$/u;
  const forms = words.map((word) => {
    if (!latin.test(word) && !spaced.test(word)) return word;
    const stem = latin.test(word) && word.length > 3 ? word.replace(/s$/, "") : word;
    return `(?<![\\p{L}\\p{N}])${stem}${latin.test(word) ? "(?:s|es|ed|ing)?" : "\\p{L}{0,2}"}(?![\\p{L}\\p{N}])`;
  });
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
