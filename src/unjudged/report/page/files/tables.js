// Tables that sort, filter and save themselves as CSV. A column has a name, `value` (what sorts and is saved) and
// perhaps `show` (what the cell holds) and `kind` ("number" or "name").
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
    const button = make("button", { type: "button", onclick: press, title: column.title || null }, column.name);
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
    const lines = [columns.map((column) => column.name), ...chosen().map((row) => columns.map((column) => column.value(row)))];
    save(csv(lines), "text/csv", `${place}.csv`);
  }
  show();
}
