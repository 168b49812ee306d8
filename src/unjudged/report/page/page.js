// The data, and elements that are made by name: their text is set as text, so no name in the data becomes markup.
const byId = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const state = { measure: 0, a: 0, b: 1, query: 0, all: false };
let facts = null;
let RUNS = 0;

async function unpack() {
  const bytes = Uint8Array.from(atob(byId("data").textContent), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  facts = await new Response(stream).json();
  RUNS = facts.runs.length;
}

const measure = () => facts.measures[state.measure];

function fill(element, attributes, children) {
  for (const [name, setting] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), setting);
    else if (setting !== null && setting !== false) element.setAttribute(name, setting === true ? "" : setting);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined) element.append(child);
  return element;
}

const make = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const draw = (name, attributes = {}, ...children) => fill(document.createElementNS(SVG, name), attributes, children);
const nameOf = (text, kind = null) => make("bdi", { class: kind }, text); // apart from the direction of text around it
const shorten = (text, most) => (text.length <= most ? text : [...text].slice(0, most - 1).join("") + "…");
const known = (x) => x !== null && x !== undefined;
const number = (x, digits = 4) => (known(x) ? x.toFixed(digits) : "");
const signed = (x, digits = 4) => (x > 0 ? "+" : "") + number(x, digits);
const pText = (p) => (p < 0.0001 ? "p < 0.0001" : `p = ${p.toFixed(4)}`);
const share = (x) => `${(100 * x).toFixed(x < 0.1 && x > 0 ? 1 : 0)} %`;
const many = (count, one) => `${count.toLocaleString("en")} ${count === 1 ? one : one.endsWith("y") ? `${one.slice(0, -1)}ies` : `${one}s`}`;
const filled = (text, ...parts) => parts.reduce((said, part) => said.replace("{}", part), text);

// Marks: `colour` is the name of one that figures of the package have too.
const ink = (colour, more = {}) => ({ class: colour, fill: "currentColor", ...more });
const stroke = (colour, width = 1.5, more = {}) => ({ class: colour, fill: "none", stroke: "currentColor", "stroke-width": width, ...more });
const label = (x, y, text, { anchor = "start", size = 12, colour = "ink", turn = null, most = 40 } = {}) =>
  draw("text", ink(colour, { x, y, "font-size": size, "text-anchor": anchor, transform: turn === null ? null : `rotate(${turn} ${x} ${y})` }), shorten(text, most));
const own = (run) => `s${run % 6}`;
const key = (mark, words) => make("li", {}, draw("svg", { width: 20, height: 14, "aria-hidden": "true" }, mark), words);

function ticks(low, high, most = 5) {
  const rough = (high - low) / most || 1;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((size) => size >= rough - 1e-12);
  const found = [];
  for (let i = Math.floor(low / step + 1e-9); i * step < high + step * (1 - 1e-9); i++) found.push(+(i * step).toPrecision(12));
  return found;
}

function showTip(text, event) {
  const tip = byId("tip");
  tip.textContent = text;
  tip.hidden = !text;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(event.clientX + 14 + width > innerWidth ? event.clientX - 14 - width : event.clientX + 14, 4)}px`;
  tip.style.top = `${Math.max(event.clientY + 14 + height > innerHeight ? event.clientY - 14 - height : event.clientY + 14, 4)}px`;
}

// What the pointer is on, by a function of its place in the chart; a click goes to `choose`.
function pointed(chart, at, words, choose = () => undefined) {
  const here = (event) => {
    const box = chart.getBoundingClientRect();
    return at(event.clientX - box.left, event.clientY - box.top);
  };
  chart.addEventListener("mousemove", (event) => showTip(here(event) ? words(here(event)) : "", event));
  chart.addEventListener("mouseleave", () => { byId("tip").hidden = true; });
  chart.addEventListener("click", (event) => { if (here(event)) choose(here(event)); });
}

// A table that sorts by any column with a `value`; `show` is what a cell holds, `kind` its class.
const LIMIT = 200;

function table(home, columns, rows, { caption = null, mark = () => null, shown = rows } = {}) {
  let sorted = -1;
  let down = true;
  const head = columns.map((column, i) => make("th", { scope: "col", class: column.kind ?? null, title: column.title ?? null },
    column.value ? make("button", { type: "button", onclick: () => sort(i) }, column.name) : column.name));
  const body = make("tbody");
  const cell = (column, row) => make("td", { class: column.kind ?? null }, column.show ? column.show(row) : column.kind === "number" ? number(column.value(row)) : nameOf(String(column.value(row))));
  const put = (list) => body.replaceChildren(...list.slice(0, LIMIT).map((row) => make("tr", { class: mark(row) }, columns.map((column) => cell(column, row)))));

  function sort(i) {
    down = sorted === i ? !down : columns[i].kind === "number";
    sorted = i;
    const { value } = columns[i];
    const compare = (x, y) => (typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : (x ?? -Infinity) - (y ?? -Infinity));
    put([...rows].sort((x, y) => (down ? -1 : 1) * compare(value(x), value(y))));
    head.forEach((th, k) => (k === i ? th.setAttribute("aria-sort", down ? "descending" : "ascending") : th.removeAttribute("aria-sort")));
  }

  put(shown);
  const left = rows.length > LIMIT ? make("p", { class: "quiet" }, `The first ${LIMIT} of ${rows.length.toLocaleString("en")}; sort to see others.`) : null;
  home.replaceChildren(make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": caption ?? "Table" },
    make("table", {}, caption ? make("caption", {}, nameOf(caption)) : null, make("thead", {}, make("tr", {}, head)), body)), ...(left ? [left] : []));
}
