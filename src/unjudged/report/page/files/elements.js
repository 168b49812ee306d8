// Elements are made by name and their text is set as text, so no name in the data can become markup.
const byId = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

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

// A name from the data, set apart from the direction of the text around it.
const nameOf = (text) => make("bdi", {}, text);
const shorten = (text, most) => (text.length <= most ? text : [...text].slice(0, Math.max(most - 1, 1)).join("") + "…");

const number = (x, digits = 4) => (Number.isNaN(x) ? "" : Number.isFinite(x) ? x.toFixed(digits) : x > 0 ? "∞" : "-∞");
const signed = (x) => (x > 0 ? "+" : "") + number(x);
const pText = (p) => (p < 0.0001 ? "< 0.0001" : p.toFixed(4));
const percent = (x) => `${Math.round(100 * x)} %`;
const percentText = (x) => (x < 0.1 ? `${(100 * x).toFixed(1)} %` : percent(x));
const many = (count, one, more) => `${count.toLocaleString("en")} ${count === 1 ? one : more}`;

function announce(text) {
  byId("live").textContent = text;
}

function showTip(text, event) {
  const tip = byId("tip");
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = event.clientX + 14 + box.width > innerWidth ? event.clientX - 14 - box.width : event.clientX + 14;
  const top = event.clientY + 14 + box.height > innerHeight ? event.clientY - 14 - box.height : event.clientY + 14;
  tip.style.left = `${Math.max(left, 4)}px`;
  tip.style.top = `${Math.max(top, 4)}px`;
}

function hideTip() {
  byId("tip").hidden = true;
}

function save(content, kind, name) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: kind }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// Quotes where needed; text that a spreadsheet would run as a formula gets a leading quote.
function csvCell(cell) {
  if (typeof cell === "number") return Number.isNaN(cell) ? "" : String(cell);
  const text = (/^[=+\-@\t\r\n＝＋－＠]/.test(cell) ? "'" : "") + cell;
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const csv = (rows) => rows.map((row) => row.map(csvCell).join(",") + "\n").join("");

function options(select, names) {
  select.replaceChildren(...names.map((name, i) => make("option", { value: i }, shorten(name, 80))));
}
