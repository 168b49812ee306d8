"""The page and the figure of what was measured, from the CSV files in docs/evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isnan
from typing import Any, NamedTuple

from held import EVIDENCE, Held, read_held, read_rows

from unjudged.report.figure import Figure, Scale, dot, line, width_of, words

LISTED = 1
"""So many settings that held too rarely are named for each claim; all are in its file."""


class Claim(NamedTuple):
    """One kind of answer: its file, its title, how it was measured, and how its settings are put together."""

    file: str
    title: str
    text: str
    group: Callable[[Held], str]
    ours: Callable[[Held], bool] = lambda _: True
    """Which rows are of this package's own method, and not of others beside it."""
    least: float | None = None
    """Every setting that held more rarely than this is named."""


def _last(row: Held) -> str:
    return row.setting.rpartition(", ")[2]


def _tested(row: Held) -> str:
    design, kind, _ = row.setting.rsplit(", ", 2)
    if kind not in {"shifted", "one run"}:
        return "no difference"
    return f"{kind}, {design if design in {'random 20 %', 'mixed 5'} else 'other designs'}"


def _level(row: Held) -> str:
    return f"{row.promised:.0%}".replace("%", " %")


CLAIMS = (
    Claim(
        "calibrated",
        "Calibrated intervals",
        """Each group of TREC-8 (40 groups, 71 pooled runs, pool of depth 100) and of DL-2019 (12 groups, 37 official
runs, depth 10) is left out in turn. The others are calibrated on the pool without the
documents that only its runs retrieved, and its runs get intervals. The truth is their score under all judgments. Runs unlike the others get bounds and are not counted. The share p and the power 1.15
of the scale were chosen on TREC-8, so only DL-2019 is a test of them.""",
        _level,
    ),
    Claim(
        "calibrated-parts",
        "Calibrated intervals, by how much is unjudged",
        """A level holds on average over runs, not for each kind of run. These are the same intervals, over all six
measures. Runs of one group fail together, so the trials are fewer than the intervals. Use 90 or 95 % where much is unjudged.""",
        lambda row: row.setting.partition(" by ")[0],
    ),
    Claim(
        "new-kinds",
        "Calibrated intervals, for runs of a new kind",
        """The calibration has automatic runs only and is applied to the manual runs of TREC-8, or has runs of BM25 only
and is applied to the other runs of DL-2019. Either one group of the new kind takes no part in the pool, or none does.
All but one of the manual runs are recognised as unlike and get bounds. Of the neural runs about three in four are, and
the intervals of the rest fail.""",
        lambda row: row.setting,
    ),
    Claim(
        "sampling",
        "Intervals from random samples",
        """Six runs, from nearly the worst to the best, and 500 samples of each design. The truth is the plain measure with
the whole pool judged. The odd topics of TREC-8 chose the variance, the rule that refuses, and how far intervals of sums reach
to the side of missed relevant documents. What is different for AP and nDCG from samples of one stratum was chosen on the even
topics and on DL-2019. What did not choose is the test. But the rule that refuses was chosen after all three had been seen.
Sums that are nearly known, such as RBP(p=0.8) where all first ten documents are judged, rest on few labels and hold too often.""",
        lambda row: row.setting.removeprefix("even topics, ").rpartition(", ")[0],
    ),
    Claim(
        "drawn",
        "Holes of new runs, drawn",
        """Five runs of five groups are pooled, and three of other groups are new. Of their unjudged documents 20 to 100 are
drawn by what each may change: all topics of TREC-8 (to rank 30 for AP and RBP), the even ones of DL-2019. The odd ones
chose that the first labels correct the predictions. A trial is one draw, with three means or differences. The file has widths beside the bounds, and the worst tenth of the runs.
Measured are estimates before their means are moved to what is possible. Outputs show moved ones.""",
        _last,
        least=0.93,
    ),
    Claim(
        "looks",
        "Judging until decided",
        """Pairs that differ by less than .03 (close), by more than .1 (far), or not at all: each query twice, with labels
swapped. A look after every ten labels, up to 200; held are replays without a wrong decision. The file has the interval for one look, which decides .18 to .30
of the equal pairs, and the labels needed. Measured are P@10, RBP and nDCG@10 on both collections, AP@10 on DL-2019, and AP@30 on
TREC-8, all before means are moved to what is possible.""",
        lambda row: row.setting,
        lambda row: row.setting.endswith("looks"),
    ),
    Claim(
        "scattered",
        "Labels scattered over pairs",
        """Labels are drawn from all that the 37 official runs of DL-2019 have among their first ten, without any pool.
With an effective number below 3 there is no estimate.""",
        lambda row: row.setting,
    ),
    Claim(
        "queries",
        "Intervals for other queries",
        """The scores of 33 runs of each collection are populations. Samples of 5 to 50 queries are drawn with replacement.
Hall's correction needs a measure with a highest value; DCG and GMAP have Student's t. The file has Student's t and the
bootstrap for all.""",
        _last,
        lambda row: row.setting.startswith("this package"),
    ),
    Claim(
        "collections",
        "Means over several collections",
        """Collections of very different size, simulated and drawn from the queries of real runs. Where five queries carry
more than half of the uncertainty, the output says so.""",
        lambda row: "simulated" if row.collection == "simulated" else row.setting.partition(",")[0],
    ),
    Claim(
        "simulated",
        "Bounds, and model intervals with the true prevalence",
        """Simulated collections: relevance that is the same at all ranks (flat), that falls with rank (falling), and one
where the first ten documents and a fifth of the rest are judged (pool). Model intervals are given the true prevalence.
With a wrong one they fail: estimated from the judged documents, 95 % intervals held in 0 to 84 % of the left-out runs of
TREC-8 and DL-2019, so the package takes no such estimate.""",
        lambda row: row.setting.split(", ")[1],
    ),
    Claim(
        "predictions",
        "Estimates with predictions, from whole queries",
        """People judge 3 to 40 queries and a model 200 more, drawn from DL-2019 or simulated. AP of these runs rests on a
handful of queries that a small sample misses, and no method that sees only the sample can know that.""",
        _last,
    ),
    Claim(
        "tests",
        "Tests on estimates from samples",
        """xinfAP, infNDCG, statAP, and the estimates of P@10 and RBP(p=0.8) that `compare` shows, by the paired t test. *Simulated* and *exchanged*: there is no difference. *Shifted*:
the true difference of two runs is tested. *One run*: the true mean of a run is, which is the coverage of its interval.
Designs that judge the first ten documents completely are as good as judging everything. A random 20 % and *mixed 5* are
not, because their bias differs from run to run. Equal systems are told apart in .045 to .054 of the tests on sums, but in .03
by P@10 from *mixed 5* on TREC-8, where few labels bear on ranks 6 to 10.""",
        _tested,
    ),
    Claim(
        "families",
        "Ten equal systems",
        """Ten equal systems are simulated, and 10, 6 or 3 of them are pooled to rank 10. The promise is that none is called
better in 95 % of the collections, after Holm's correction over 45 pairs. The file has the t test as judged
beside it: with 6 of 10 pooled it names a better system in more than 80 %.""",
        _last,
        lambda row: row.setting.endswith(", better"),
    ),
    Claim(
        "gate",
        "The gate",
        """Pairs of real runs and samples of their queries, all judged. At the boundary the true difference is minus the
margin, .01. There passing and failing are both wrong, and each may happen in 5 % of the trials. `gate-power.csv` has how
often a gate passes a system that is not worse. `gate-again.csv` has 100 looks while queries grow from 30 to 900: one
look's test passes wrongly in .27 to .28 of the trials, the sequential one in .03 to .04. Where the new system is better by
.02, it takes 2.0 to 2.3 times the queries until half of the trials pass.""",
        lambda _: "all",
    ),
    Claim(
        "segments",
        "Segments of the queries",
        """All segments have the same mean. They come from one pair of systems, or each from another pair. The promise
is that they are not said to differ. Then the 95 % interval of one segment.""",
        _last,
    ),
    Claim(
        "agreement",
        "Agreement of judges and of leaderboards",
        """Simulated judges who agree more on some queries than on others, and simulated leaderboards of 20 systems. The
interval should contain the mean over sets of as many queries.""",
        _last,
    ),
)

HEAD = """\
# How often each answer held, in numbers

`make coverage` measures all of this and writes this page, its figure and the tables (CSV) beside it. Constants of the
methods were chosen on TREC-8 and DL-2019, so these are not unseen data. [Can I trust this number?](../trust.md) has the
short version.

To measure your own collection, put its files and the groups of its runs where
`scripts/trust/left_out_runs.py` looks for them (`tracks`) and run `make coverage DATA=FOLDER`.

A *setting* is one combination of collection, measure and design. It held *too rarely* if the share is more than two
standard errors below the promised one, taking the trials as independent. One in 40 does so by chance.

"""


def coverage_page() -> str:
    """The page in Markdown."""
    return HEAD + "\n".join([_headlines(), *(_section(claim) for claim in CLAIMS)])


def write_pages() -> None:
    """Write the page, the figure, and the tables in other pages."""
    (EVIDENCE / "coverage.md").write_text(coverage_page())
    (EVIDENCE / "coverage.svg").write_text(coverage_figure())
    for page in EVIDENCE.parent.rglob("*.md"):
        page.write_text(with_tables(page.read_text()))


def measured(claim: Claim) -> list[Held]:
    """Return the settings of this package's own method that could be measured."""
    return [row for row in read_held(claim.file) if row.trials and claim.ours(row)]


def with_tables(page: str) -> str:
    """Return a page with what was measured between its markers."""
    for name, table in TABLES.items():
        before, begin, rest = page.partition(f"<!-- {name} -->\n")
        if begin:
            page = before + begin + table() + rest[rest.index("<!-- end -->") :]
    return page


def _overview() -> str:
    rows = []
    for claim in CLAIMS:
        own = measured(claim)
        title = f"[{claim.title}](evidence/coverage.md#{_anchor(claim.title)})"
        rows.append([title, len(own), sum(row.off < 0 for row in own), sum(row.off > 0 for row in own)])
    return _markdown(["answer", "settings", "too rarely", "too often"], rows) + "\n"


def _anchor(title: str) -> str:
    return title.lower().replace(",", "").replace(" ", "-")


def _section(claim: Claim) -> str:
    own = measured(claim)
    groups: dict[tuple[str, str], list[Held]] = {}
    for row in own:
        groups.setdefault((row.collection, claim.group(row)), []).append(row)
    lines = [[*key, *_summary(rows)] for key, rows in sorted(groups.items(), key=_place)]
    head = ["collection", "setting", "settings", "trials of each", "promised", "held"]
    off = (row for row in own if (row.off < 0 if claim.least is None else row.held < claim.least))
    short = sorted(off, key=lambda row: row.held - row.promised)
    listed = LISTED if claim.least is None else len(short)
    named = [f"{_named(row)} {_share(row.held)}" for row in short[:listed]]
    more = f"; and {len(short) - listed} more" if len(short) > listed else ""
    what = "Too rarely" if claim.least is None else f"Below {_share(claim.least)}"
    below = f"{what}: {'; '.join(named)}{more}." if short else "None held too rarely."
    every = [row for row in read_held(claim.file) if claim.ours(row)]
    refused = sum(not row.trials for row in every)
    told = f" {refused} settings are refused, or answered too rarely to measure." if refused else ""
    table = _markdown(head, lines, labels=2)
    return (
        f"## {claim.title}\n\n{claim.text}\n\n{table}\n\n{below}{told} [{claim.file}.csv]({claim.file}.csv)\n"
    )


def _named(row: Held) -> str:
    measure = "" if row.measure == "all" else f", {row.measure}"
    return f"{row.collection}, {row.setting.removeprefix('this package ')}{measure}"


def _place(group: tuple[tuple[str, str], list[Held]]) -> bool:
    """Simulated collections come last, others stay in their order."""
    return group[0][0].startswith("simulated")


def _summary(rows: Sequence[Held]) -> list[str]:
    shares, levels = ([row.held for row in rows], [row.promised for row in rows])
    trials = "\N{EN DASH}".join(f"{count:,}" for count in _ends([row.trials for row in rows]))
    ends = ("\N{EN DASH}".join(map(_share, _ends(own))) for own in (levels, shares))
    return [str(len(rows)), trials, *ends]


def _ends(values: Sequence[Any]) -> list[Any]:
    return sorted({min(values), max(values)})


def _headlines() -> str:
    pairs = [row for row in read_rows("headlines") if row["setting"] == "two groups left out"]
    head = ["collection", "rule", "pairs", "decided", "lost", "wrong sign", "size at most"]
    keys = dict.fromkeys((row["collection"], row["rule"]) for row in pairs)
    own = {key: [row for row in pairs if (row["collection"], row["rule"]) == key] for key in keys}
    rules = _markdown(head, [[*key, *_over_measures(rows)] for key, rows in own.items()], labels=2)
    each = read_rows("headlines-each")
    names = ("collection", "headline", "share", "not_significant", "wrong_sign")
    head = ["collection", "headline", "share", "not significant", "wrong sign"]
    some = [row for row in each if row["measure"] == "nDCG@10"]
    became = _markdown(head, [[row[name] for name in names] for row in some], labels=2)
    gates = [row for row in read_rows("headlines-gate") if row["measure"] == "nDCG@10"]
    shown = ("collection", "judging", "undecided", "false_passes", "false_fails", "boundary")
    head = ["collection", "judging", "undecided", "false passes", "false fails", "passes at the boundary"]
    outcomes = _markdown(head, [[row[name] for name in shown] for row in gates], labels=2)
    return f"""\
## Headlines

Every two groups are left out of the judging, and each run of one is compared with each run of the other, by RBP, nDCG@10
and AP, without a correction. All judgments are the truth. *Lost*: pairs that are not significant in truth, or have the other sign. *Size*:
how often the rule names a better system when queries are resampled and the true difference is 0 (.05 is allowed). Pairs
have groups, runs and queries in common, so these are counts and not independent trials. Ten definitions of the share seen
were tried on eight collections, these two among them, before this one was chosen. So this is no proof.

{rules}

What became of each headline, by nDCG@10:

{became}

Gates with margin .01, where the old run's group is left out, by nDCG@10:

{outcomes}

All measures, and pairs of which one run was left out: [headlines.csv](headlines.csv),
[headlines-each.csv](headlines-each.csv), [headlines-gate.csv](headlines-gate.csv)
"""


def _over_measures(rows: Sequence[dict[str, str]]) -> list[str]:
    """Sum up the rows of one rule over its measures; the size is the largest."""
    pairs = sum(int(row["pairs"]) for row in rows)
    decided = sum(float(row["decided"]) * int(row["pairs"]) for row in rows) / pairs
    lost, wrong = (str(sum(int(row[name]) for row in rows)) for name in ("lost", "wrong"))
    return [f"{pairs:,}", _share(decided), lost, wrong, max(row["size"] for row in rows)]


def _share(value: float) -> str:
    return "-" if isnan(value) else f"{value:.3f}".removeprefix("0") if value < 1 else "1.00"


def _markdown(head: Sequence[str], rows: Iterable[Sequence[object]], labels: int = 1) -> str:
    rule = ["---"] * labels + ["---:"] * (len(head) - labels)
    lines = [f"| {' | '.join(map(str, line))} |" for line in [head, *rows]]
    return "\n".join([lines[0], f"|{'|'.join(rule)}|", *lines[1:]])


def _left_out_group() -> str:
    rows = read_rows("left-out-group")
    runs = list(rows[0])[1:3]
    lines = [
        [
            row["judgments"],
            *(row[run] for run in runs),
            f"{row['difference']} ({row['low']} to {row['high']})",
            row["headline"],
        ]
        for row in rows
    ]
    return _markdown(["judgments", *runs, "difference", "headline"], lines) + "\n"


def _clusters() -> str:
    answers = {"t": "t", "careful": "careful p", "t without clusters": "t without clusters"}
    sizes: dict[tuple[str, str], dict[str, str]] = {}
    for row in read_rows("clusters"):
        if row["correlation"] == "0.2":
            own = sizes.setdefault((row["differences"], row["clusters"]), {})
            own[row["answer"]] = _share(float(row["size"]))
    lines = [[*of, *(own[answer] for answer in answers)] for of, own in sizes.items()]
    return _markdown(["differences", "clusters", *answers.values()], lines) + "\n"


TABLES = {"clusters": _clusters, "coverage": _overview, "left-out-group": _left_out_group}
WIDTH, LEFT, ROW = 640, 4, 58
X = Scale(-0.30, 0.08, 36, WIDTH - 20)
"""How much more or less often than promised; what is further off stands at the end."""


def coverage_figure() -> str:
    """Promised against held: a dot for each setting, and the name of what failed most."""
    figure = Figure(
        ROW * len(CLAIMS) + 44,
        "Most answers hold as often as they promise; what fails has a name",
        width=WIDTH,
        why="Each dot is one setting: how much more or less often it held than promised.",
    )
    bottom = ROW * len(CLAIMS) + 12
    for tick in range(-30, 9, 10):
        label = "as promised" if tick == 0 else f"{tick} points".replace("-", "\N{MINUS SIGN}")
        figure.add(line([(X(tick / 100), 0), (X(tick / 100), bottom)], "rule" if tick else "ink", 1))
        figure.add(words(X(tick / 100), bottom + 18, label, anchor="middle", size=12, colour="quiet"))
    for place, claim in enumerate(CLAIMS):
        figure.add(_marks(claim, ROW * place + 30))
    return figure.svg()


def _marks(claim: Claim, y: float) -> Iterator[str]:
    yield words(LEFT, y - 12, claim.title)
    own = sorted(measured(claim), key=lambda row: row.held - row.promised, reverse=True)
    for row in own:
        yield dot(X(max(row.held - row.promised, X.low)), y, "hot" if row.off < 0 else "truth", 3.5)
    if short := [row for row in own if row.off < 0]:
        gap = max(short[-1].held - short[-1].promised, X.low)
        named = f"{_named(short[-1])}: {_share(short[-1].held)}{' (further left)' if gap == X.low else ''}"
        yield words(
            max(min(X(gap), WIDTH - 4 - width_of(named, 12)), LEFT), y + 20, named, size=12, colour="quiet"
        )
