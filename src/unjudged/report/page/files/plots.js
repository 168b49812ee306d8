// Draws the descriptions of charts that the figures of the package are made from too: the part of Vega-Lite that
// they use. Marks of a layer that have one colour are one path, so that thousands of pairs are a few elements.
const FILLED = ["bar", "area", "point"];
const LEAST_FONT = 8;
const LEGEND_ROW = 24; // pixels of a band in a legend
const SYMBOLS = {
  square: (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  circle: (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  diamond: (x, y, r) => `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}z`,
  "triangle-up": (x, y, r) => `M${x} ${y - 0.87 * r}L${x + r} ${y + 0.87 * r}H${x - r}z`,
  cross: (x, y, r) => {
    const [s, t] = [0.4 * r, 0.6 * r];
    return `M${x - r} ${y - s}h${t}v${-t}h${2 * s}v${t}h${t}v${2 * s}h${-t}v${t}h${-2 * s}v${-t}h${-t}z`;
  },
};

const layersOf = (spec) => spec.layer ?? [spec];
const ranged = ({ domain, range }, value) => range[domain.indexOf(value)];

// Where the values of an axis lie between two pixels: names in bands, numbers on a line.
function axisOf(spec, rowsOf, axis, from, to) {
  const layers = layersOf(spec).filter(({ encoding }) => encoding[axis]);
  const { type, field, sort, title, scale: given = {} } = layers[0].encoding[axis];
  if (type === "nominal") {
    const names = sort ?? [...new Set(rowsOf(layers[0]).map((row) => row[field]))];
    const place = new Map(names.map((name, i) => [name, i]));
    const step = (to - from) / names.length;
    return { from, to, names, step, title, place, at: (name) => from + (place.get(name) + 0.5) * step, index: (pixel) => Math.floor((pixel - from) / step) };
  }
  let [low, high] = given.domain ?? [Infinity, -Infinity];
  if (!given.domain) {
    for (const layer of layers) {
      const { [axis]: first, [`${axis}2`]: second } = layer.encoding;
      const ends = rowsOf(layer).flatMap((row) => [row[first.field], second ? row[second.field] : layer.mark.type === "bar" ? 0 : NaN]);
      for (const end of ends.filter(Number.isFinite)) [low, high] = [Math.min(low, end), Math.max(high, end)];
    }
  }
  const at = scale(low, high, from, to);
  return { from, to, low, high, title, at: (value) => at(Math.min(Math.max(value, low), high)) };
}

const within = ({ bandPosition = 0.5 }, step = 0) => (bandPosition - 0.5) * step;

// The path of one row.
function outline({ mark, encoding, usermeta }, row, x, y) {
  const [left, right, low, high] = ["x", "x2", "y", "y2"].map((channel) => encoding[channel] && row[encoding[channel].field]);
  const middle = y.at(low) + within(encoding.y ?? {}, y.step);
  const thick = (mark.height?.band ?? 0) * (y.step ?? 0);
  if (mark.type === "bar" && x.names) return `M${x.at(left) - 0.4 * x.step} ${y.at(0)}h${0.8 * x.step}V${middle}h${-0.8 * x.step}z`;
  if (mark.type === "bar") return `M${x.at(left)} ${middle - thick / 2}H${Math.max(x.at(right), x.at(left) + 1)}v${thick}H${x.at(left)}z`;
  if (mark.type === "rect") return `M${x.from} ${middle}H${x.to}V${Math.min(y.at(high), middle - 1)}H${x.from}z`;
  if (mark.type === "rule" && encoding.y2) return `M${x.at(left)} ${middle}V${y.at(high) + within(encoding.y2, y.step)}`;
  if (mark.type === "rule") return encoding.x ? `M${x.at(left)} ${middle}H${x.at(right)}` : `M${x.from} ${middle}H${x.to}`;
  const { scale: shapes, field } = encoding.shape;
  return SYMBOLS[ranged(shapes, row[field])](x.at(left), middle, (x.step * usermeta.shares[row[field]]) / 2);
}

// The paths of a layer by colour; those of lines and areas go through all rows.
function outlines(layer, rows, x, y) {
  const { mark, encoding } = layer;
  if (mark.type === "line" || mark.type === "area") {
    const edge = (channel) => rows.map((row) => `${x.at(row[encoding.x.field])} ${y.at(row[encoding[channel].field])}`).filter((point) => !point.includes("NaN"));
    const points = encoding.y2 ? [...edge("y"), ...edge("y2").reverse()] : edge("y");
    return new Map([[mark.color, points.length ? `M${points.join("L")}${encoding.y2 ? "z" : ""}` : ""]]);
  }
  const parts = new Map();
  for (const row of rows) {
    const path = outline(layer, row, x, y);
    const colour = encoding.color ? ranged(encoding.color.scale, row[encoding.color.field]) : mark.color;
    if (path.includes("NaN")) continue;
    if (!parts.has(colour)) parts.set(colour, []);
    parts.get(colour).push(path);
  }
  return new Map([...parts].map(([colour, paths]) => [colour, paths.join("")]));
}

function painted({ mark }, colour, d) {
  const filled = mark.filled ?? FILLED.includes(mark.type);
  const [ink, none] = [`var(--${colour.slice(1).toLowerCase()})`, "none"];
  return draw("path", { d, fill: filled ? ink : none, stroke: filled ? none : ink, "stroke-width": mark.strokeWidth ?? mark.thickness ?? 1, "stroke-dasharray": mark.strokeDash?.join(" ") ?? null });
}

// Names beside bands; they are left out where bands are too narrow, and cut where they have no room.
function bandLabels(chart, axis, other, onTop, room) {
  const font = Math.min(12, Math.floor(Math.abs(axis.step)));
  if (font < (onTop === null || onTop ? LEAST_FONT : 12)) return;
  const most = Math.floor((room - 6) / (0.66 * font));
  axis.names.forEach((name, i) => {
    const middle = axis.from + (i + 0.5) * axis.step + font / 3;
    if (onTop === null) chart.append(label(other - 6, middle, name, { anchor: "end", size: font, most }));
    else chart.append(label(middle, onTop ? other - 6 : other + 8, name, { anchor: onTop ? "start" : "end", turn: -90, size: font, most }));
  });
}

// A chart in a box of pixels: `left` to `right` and `top` to `bottom` are the area of the marks in `width` x `height`.
function plot(spec, data, { width, height, left, right, top, bottom }) {
  const rowsOf = (layer) => data[(layer.data ?? spec.data).name];
  const x = axisOf(spec, rowsOf, "x", left, right);
  const bands = layersOf(spec)[0].encoding.y.type === "nominal";
  const y = axisOf(spec, rowsOf, "y", ...(bands ? [top, bottom] : [bottom, top]));
  const chart = draw("svg", { width, height });
  if (y.names) bandLabels(chart, y, left, null, left);
  else leftAxis(chart, ticks(y.low, y.high, 8), y.at, left, right, /\(%\)$/.test(y.title) ? (tick) => `${tick}%` : String);
  if (!x.names) bottomAxis(chart, x, bottom, top);
  for (const layer of layersOf(spec)) {
    for (const [colour, path] of outlines(layer, rowsOf(layer), x, y)) chart.append(painted(layer, colour, path));
  }
  if (x.names) {
    const onTop = layersOf(spec)[0].encoding.x.axis?.orient === "top";
    bandLabels(chart, x, onTop ? top : bottom, onTop, onTop ? top : height - bottom - 18);
    if (!y.names) chart.append(draw("path", { class: "axis", d: `M${left} ${y.at(0)}H${right}` }), label((left + right) / 2, height - 4, x.title, { anchor: "middle", faint: true }));
  }
  return { chart, x, y };
}

// The marks of a description that are explained, each with its words.
function legendOf(spec) {
  const items = layersOf(spec).filter(({ description }) => description).map((layer) => {
    const { x, x2 } = layer.encoding;
    const span = x2 || layer.mark.type === "line";
    const rows = [{ [x.field]: span ? 4 : 22, ...(x2 && { [x2.field]: 40 }) }, ...(layer.mark.type === "line" ? [{ [x.field]: 40 }] : [])];
    const between = layer.encoding.y2 ? 0 : within(layer.encoding.y, LEGEND_ROW);
    const [[colour, path]] = outlines(layer, rows, { at: (value) => value }, { at: () => 11 - between, step: LEGEND_ROW });
    return make("li", {}, draw("svg", { width: 44, height: 22, "aria-hidden": "true" }, painted(layer, colour, path)), nameOf(layer.description));
  });
  return make("ul", { class: "legend" }, items);
}
