// Sections about further results: pictures that were drawn beforehand, and tables.
function pictureFigure({ place, title, description, svg }) {
  const address = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  const picture = make("img", { class: "picture", src: address, alt: `${title}. ${description}. The tables below have the numbers.` });
  const asPng = () => {
    const canvas = make("canvas", { width: 2 * picture.naturalWidth, height: 2 * picture.naturalHeight });
    const context = canvas.getContext("2d");
    context.fillStyle = "white";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, "image/png", `${place}.png`));
  };
  const asSvg = () => save(svg, "image/svg+xml", `${place}.svg`);
  const buttons = [["SVG", asSvg], ["PNG", asPng]].map(([kind, press]) =>
    make("button", { type: "button", "aria-label": `Save “${title}” as ${kind}`, onclick: press }, kind));
  byId(place).replaceChildren(make("figure", { "aria-labelledby": `${place}-title` },
    make("figcaption", {}, make("strong", { id: `${place}-title` }, title), make("span", { class: "buttons" }, buttons)),
    make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `${title}, figure` }, picture)));
}

function extraTable({ place, caption, columns, rows }) {
  table(place, caption, columns.map(({ name, number: numeric, decimals }, i) => ({
    name: name || "quantity",
    kind: numeric ? "number" : "name",
    value: (row) => row[i] ?? (numeric ? NaN : ""),
    show: numeric ? (row) => (typeof row[i] === "number" ? number(row[i], decimals) : row[i] ?? "") : null,
  })), rows);
}

function showExtras() {
  for (const { place, words, figures, tables: listed } of facts.extras) {
    byId(`${place}-words`).replaceChildren(...words.map((line) => make("p", {}, nameOf(line))));
    figures.forEach(pictureFigure);
    listed.forEach((one) => {
      extraTable(one);
      byId(one.place).append(...one.notes.map((note) => make("p", { class: "quiet" }, nameOf(note))));
    });
  }
}
