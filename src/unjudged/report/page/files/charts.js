// Figures in SVG. Each can be saved as SVG or PNG with its colours as they are on the screen.
const PROPERTIES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "font-weight", "opacity"];

const TALL = 900; // does not fit on one sheet of paper

function figure(place, title, description, chart, below = null) {
  const titled = `${place}-figure`;
  const [width, height] = ["width", "height"].map((side) => chart.getAttribute(side));
  chart.setAttribute("viewBox", `0 0 ${width} ${height}`); // paper is narrower than a screen: the figure shrinks
  chart.setAttribute("class", "chart");
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", `${title}. ${description}`);
  const buttons = ["SVG", "PNG"].map((kind) =>
    make("button", { type: "button", "aria-label": `Save “${title}” as ${kind}`, onclick: () => saveFigure(chart, place, kind) }, kind));
  byId(place).replaceChildren(
    make("figure", { "aria-labelledby": titled, class: height > TALL ? "tall" : null },
      make("figcaption", {}, make("strong", { id: titled }, title), make("span", { class: "buttons" }, buttons)), below,
      make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `${title}, figure` }, chart)));
}

// The figure by itself: styles written into the elements, with the page's background.
function standalone(chart) {
  const copy = chart.cloneNode(true);
  const [from, to] = [chart, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const property of PROPERTIES) to[i].setAttribute(property, style.getPropertyValue(property));
    to[i].removeAttribute("class");
  });
  const [width, height] = ["width", "height"].map((side) => chart.getAttribute(side));
  copy.setAttribute("xmlns", SVG);
  const colour = getComputedStyle(document.body).backgroundColor;
  copy.prepend(draw("rect", { width, height, fill: colour }));
  return new XMLSerializer().serializeToString(copy);
}

function saveFigure(chart, name, kind) {
  const text = standalone(chart);
  if (kind === "SVG") return save(text, "image/svg+xml", `${name}.svg`);
  const picture = new Image();
  picture.onload = () => {
    const canvas = make("canvas", { width: 2 * chart.getAttribute("width"), height: 2 * chart.getAttribute("height") });
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, "image/png", `${name}.png`));
  };
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  return undefined;
}

const widthOf = (place) => Math.max(Math.floor(byId(place).clientWidth) - 4, 280);

function ticks(low, high, most = 6) {
  const rough = (high - low) / most || 1;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((size) => size >= rough - 1e-12);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) found.push(+(i * step).toPrecision(12));
  return found;
}

const scale = (low, high, from, to) => (x) => from + ((x - low) / (high - low || 1)) * (to - from);

function label(x, y, text, settings = {}) {
  const { most = 999, anchor = "start", size = 12, faint = false, turn = null } = settings;
  return draw("text", {
    x, y, "text-anchor": anchor, "font-size": size, class: faint ? "faint isolated" : "isolated",
    transform: turn === null ? null : `rotate(${turn} ${x} ${y})`,
  }, shorten(text, most), text.length > most ? draw("title", {}, text) : null);
}

const TALL_AXIS = 400; // the numbers are repeated above, because those below are out of sight

function bottomAxis(chart, { at, low, high, from, to, title }, y, top) {
  const steps = title === "rank" ? [low, ...ticks(low, high).filter((tick) => tick > low && Number.isInteger(tick))] : ticks(low, high);
  for (const tick of steps) {
    chart.append(draw("path", { class: "grid", d: `M${at(tick)} ${top}V${y}` }));
    for (const line of y - top > TALL_AXIS ? [top - 6, y + 16] : [y + 16]) chart.append(label(at(tick), line, String(tick), { anchor: "middle", faint: true }));
  }
  chart.append(draw("path", { class: "axis", d: `M${from} ${y}H${to}` }), label((from + to) / 2, y + 33, title, { anchor: "middle" }));
}

function leftAxis(chart, at, y, left, right, show = String) {
  for (const tick of at) {
    chart.append(draw("path", { class: "grid", d: `M${left} ${y(tick)}H${right}` }), label(left - 6, y(tick) + 4, show(tick), { anchor: "end", faint: true }));
  }
}

// Where the pointer is in a chart's own units.
function pointer(chart, event) {
  const box = chart.getBoundingClientRect();
  return [
    ((event.clientX - box.left) / box.width) * chart.getAttribute("width"),
    ((event.clientY - box.top) / box.height) * chart.getAttribute("height"),
  ];
}
