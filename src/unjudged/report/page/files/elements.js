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
const percent = (x) => `${Math.round(100 * x)}%`;
const percentText = (x) => (x < 0.1 ? `${(100 * x).toFixed(1)}%` : percent(x));
const longest = (names) => Math.max(...names.map((name) => name.length));
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

// Tables that sort, filter and save themselves as CSV. A column has a name, `value` (what sorts and is saved) and
// perhaps `heading` (what readers see instead of the name), `show` (what the cell holds) and `kind` ("number" or "name").
const LIMIT = 100;
const tables = {};

function table(place, caption, columns, rows, settings = {}) {
  const before = tables[place] || { sort: settings.sort ?? -1, down: settings.down ?? false, filter: "", all: false };
  const now = (tables[place] = before);
  const home = byId(place);
  const head = columns.map((column, i) => heading(column, i));
  const body = make("tbody");
  const count = make("span", { class: "quiet", role: "status" });
  const more = make("button", { type: "button", onclick: () => { now.all = true; show(); } }, "Show all rows");
  const filter = make("input", { type: "search", value: now.filter, "aria-label": `Filter: ${caption}`, placeholder: "Filter" });
  filter.addEventListener("input", () => { now.filter = filter.value; show(); });
  const saving = make("button", { type: "button", onclick: saveAll }, "Save as CSV");
  const whole = make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, head)), body);
  const around = { class: "scroll", tabindex: 0, role: "region", "aria-label": caption };
  home.replaceChildren(make("div", { class: "tools" }, filter, saving, count, more), make("div", around, whole));

  function heading(column, i) {
    const press = () => {
      now.down = now.sort === i ? !now.down : column.kind === "number";
      now.sort = i;
      show();
    };
    const button = make("button", { type: "button", onclick: press, title: column.title || null }, column.heading ?? column.name);
    return make("th", { scope: "col", class: column.kind === "number" ? "number" : null }, button);
  }

  function chosen() {
    const wanted = now.filter.trim().toLocaleLowerCase();
    const kept = !wanted ? [...rows] : rows.filter((row) =>
      columns.some((column) => column.kind !== "number" && String(column.value(row)).toLocaleLowerCase().includes(wanted)));
    if (now.sort >= 0) {
      const { value } = columns[now.sort];
      const sign = now.down ? -1 : 1;
      const numeric = columns[now.sort].kind === "number";
      kept.sort((x, y) => sign * (numeric ? value(x) - value(y) || 0 : String(value(x)).localeCompare(String(value(y)), "en", { numeric: true })));
    }
    return kept;
  }

  function show() {
    const kept = chosen();
    const shown = now.all ? kept : kept.slice(0, LIMIT);
    body.replaceChildren(...shown.map((row) => make("tr", { class: settings.mark ? settings.mark(row) : null }, columns.map((column) => cell(column, row)))));
    head.forEach((th, i) => {
      if (i === now.sort) th.setAttribute("aria-sort", now.down ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    });
    count.textContent = shown.length < kept.length ? `${shown.length} of ${many(kept.length, "row", "rows")}` : many(kept.length, "row", "rows");
    more.hidden = shown.length === kept.length;
  }

  function cell(column, row) {
    const raw = column.value(row);
    const content = column.show ? column.show(row) : column.kind === "number" ? number(raw) : nameOf(String(raw));
    const long = column.kind === "name" && String(raw).length > 60 ? String(raw) : null;
    return make("td", { class: column.kind === "number" ? "number" : column.kind || null, title: long }, content);
  }

  function saveAll() {
    const saved = settings.saved ? chosen().map(settings.saved) : chosen();
    const lines = [columns.map((column) => column.name), ...saved.map((row) => columns.map((column) => column.value(row)))];
    save(csv(lines), "text/csv", `${place}.csv`);
  }
  show();
}
