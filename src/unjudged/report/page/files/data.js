// The facts are JSON. The arrays are one gzip block, read as the facts' index says; numbers lie byte by byte of
// significance, first all first bytes, then all second bytes.
const facts = JSON.parse(document.getElementById("facts-data").textContent);
const arrays = {};
const KINDS = { f8: [8, Float64Array], f4: [4, Float32Array], i4: [4, Int32Array], u2: [2, Uint16Array], u1: [1, Uint8Array] };

async function readArrays() {
  const text = atob(document.getElementById("arrays-data").textContent);
  const packed = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const block = new Uint8Array(await new Response(stream).arrayBuffer());
  for (const [name, [kind, start, count]] of Object.entries(facts.arrays)) {
    if (kind === "json") {
      arrays[name] = JSON.parse(new TextDecoder().decode(block.subarray(start, start + count)));
      continue;
    }
    const [size, Type] = KINDS[kind];
    const bytes = new Uint8Array(count * size);
    for (let part = 0; part < size; part++) {
      const from = start + part * count;
      for (let i = 0; i < count; i++) bytes[i * size + part] = block[from + i];
    }
    arrays[name] = new Type(bytes.buffer);
  }
}

const RUNS = facts.runs.length;
const QUERIES = facts.queries.length;
const state = { measure: 0, a: 0, b: 0, query: 0 };
const INTERVALS = Object.keys(facts.intervals);

const of = (name) => arrays[name + state.measure];
const charts = () => facts.measures[state.measure].charts;
const bounded = () => facts.measures[state.measure].bounded;
const betterSign = () => facts.measures[state.measure].sign; // -1 where lower values are better
const measureName = () => facts.measures[state.measure].name;
const value = (run, query) => of("values")[run * QUERIES + query];
const ends = (kind, run) => [of(kind)[2 * run], of(kind)[2 * run + 1]];

function byMean() {
  const means = of("means");
  return [...Array(RUNS).keys()].sort((i, j) => betterSign() * (means[j] - means[i]) || i - j);
}

// Where each pair is among the pairs; a pair is stored once, as `first` minus `second`.
let placeOfPair = null;

function indexPairs() {
  placeOfPair = new Int32Array(RUNS * RUNS).fill(-1);
  for (let k = 0; k < arrays.first.length; k++) placeOfPair[arrays.first[k] * RUNS + arrays.second[k]] = k;
}

// Everything about system a minus system b, or null if they were not compared.
function pairOf(a, b) {
  let k = placeOfPair[a * RUNS + b];
  const swapped = k < 0;
  if (swapped) k = placeOfPair[b * RUNS + a];
  if (k < 0) return null;
  const sign = swapped ? -1 : 1;
  const ends = (low, high) => (swapped ? [-of(high)[k], -of(low)[k]] : [of(low)[k], of(high)[k]]);
  const [low, high] = ends("low", "high");
  const difference = sign * of("difference")[k];
  const [middle, half] = [difference + sign * of("query_shift")[k], of("query_half")[k]];
  const [wins, ties] = [of("wins")[k], of("ties")[k]];
  const losses = QUERIES - wins - ties;
  return {
    a, b, low, high, difference,
    queryLow: middle - half,
    queryHigh: middle + half,
    p: of("p")[k],
    adjusted: of("p_adjusted")[k],
    headline: facts.headlines[of("headline")[k]],
    more: facts.more[of("more_judging")[k]],
    other: facts.other[of("other_queries")[k]],
    said: arrays.conclusions[of("conclusion")[k]],
    flip: of("flip")[k],
    loss: of("loss")[k],
    seen: of("seen")[k],
    wins: swapped ? losses : wins,
    losses: swapped ? wins : losses,
    ties,
  };
}

const filled = (text, ...parts) => parts.reduce((said, part) => said.replace("{}", part), text);

// What more judging could do to a pair, and how much of it that takes.
function judgingText(pair) {
  const behind = (betterSign() * pair.difference > 0 ? "B" : "A");
  const { missing } = facts.measures[state.measure];
  if (pair.more === "unknown" && missing) return `${pair.more}: ${missing}`;
  const needed = pair.more.includes("blur") ? pair.loss : pair.flip;
  if (pair.difference === 0 || Number.isNaN(needed) || pair.more.startsWith("cannot")) return pair.more;
  const seen = Number.isNaN(pair.seen) ? "" : filled(facts.shares.seen, percentText(pair.seen));
  if (pair.more.includes("blur") && needed > pair.seen) return `${pair.more}: ${filled(facts.shares.corrected, percentText(pair.seen), behind)}`;
  const share = Number.isFinite(needed) ? filled(facts.shares.needed, percentText(needed), behind) : filled(facts.shares.not_even, behind);
  return `${pair.more}: ${share}${seen}`;
}

const shareText = (share) => (Number.isNaN(share) ? "" : Number.isFinite(share) ? percentText(share) : "none");

// Where the documents of each ranking and of each query begin.
const firstShown = [0];
const firstDocument = [0];

function indexRankings() {
  if (!facts.ranked) return; // scores of a table have no documents
  for (const count of arrays.shown_counts) firstShown.push(firstShown[firstShown.length - 1] + count);
  for (const names of arrays.documents) firstDocument.push(firstDocument[firstDocument.length - 1] + names.length);
}

// The documents of a ranking: their places among the documents of the query, best first.
function ranking(run, query) {
  const s = run * QUERIES + query;
  return arrays.shown.subarray(firstShown[s], firstShown[s + 1]);
}

const documentName = (query, place) => arrays.documents[query][place];
const grade = (query, place) => arrays.grades[firstDocument[query] + place];
