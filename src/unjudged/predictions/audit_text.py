"""An audit as text and as data."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

from unjudged.predictions.auditing import Audit
from unjudged.uncertainty.estimate import Estimate


def as_text(found: Audit) -> str:
    """Sections of aligned columns."""
    weighted = ", weighted by 1 / probability of being judged" if found.weighted else ""
    lines = [f"{found.documents} documents judged by people and predicted{weighted}"]
    if found.missing:
        lines.append(f"{found.missing} documents judged by people have no prediction")
    lines.append("")
    rows = [["AUC", str(found.auc)]]
    rows += [["kappa, relevant or not", str(found.kappa)]] if found.kappa else []
    rows += [["kappa, grades", str(found.kappa_of_grades)]] if found.kappa_of_grades else []
    lines += _columns(rows)
    if found.confusion is None:
        lines += ["", "No confusion matrix: the predictions are scores, and no threshold was given"]
    else:
        lines += ["", "Share of documents, human grade (rows) by predicted label (columns)"]
        head = ["", *map(str, found.confusion.predicted)]
        cells = zip(found.confusion.human, found.confusion.share.tolist(), strict=True)
        lines += _columns([head, *([str(g), *(f"{share:.4f}" for share in row)] for g, row in cells)])
    lines += ["", "Predictions by human grade", *_columns(_ratings(found))]
    lines += ["", f"Calibration: share of grade {found.rel} or higher by prediction"]
    points = [[_span(p.low, p.high), str(p.documents), str(p.relevant)] for p in found.curve]
    lines += _columns([["prediction", "documents", "relevant"], *points])
    if found.biases:
        lines += ["", f"{found.measure} by the predictions minus by people"]
        biases = [[b.run, f"{b.human:.4f}", _signed(b.bias)] for b in found.biases]
        lines += _columns([["run", "by people", "bias"], *biases])
    return "\n".join(lines)


def _ratings(found: Audit) -> list[list[str]]:
    rows = [["grade", "documents", "mean prediction", "over-rating"]]
    for rating in found.ratings:
        over = "" if rating.over is None else f"{rating.over:+.4f}"
        rows.append([str(rating.grade), str(rating.documents), f"{rating.mean:.4f}", over])
    return rows


def as_dict(found: Audit) -> dict[str, Any]:
    """Numbers at full precision; what is not a number is null."""
    confusion = None
    if found.confusion is not None:
        confusion = {
            "human": list(found.confusion.human),
            "predicted": list(found.confusion.predicted),
            "share": found.confusion.share.tolist(),
            "documents": found.confusion.count.tolist(),
        }
    return {
        "rel": found.rel,
        "documents": found.documents,
        "missing": found.missing,
        "weighted": found.weighted,
        "auc": _interval(found.auc),
        "kappa": _interval(found.kappa),
        "kappa_of_grades": _interval(found.kappa_of_grades),
        "confusion": confusion,
        "by_grade": [
            dict(zip(("grade", "documents", "mean", "over_rating"), r, strict=True)) for r in found.ratings
        ],
        "calibration": [
            {
                "from": p.low,
                "to": p.high,
                "documents": p.documents,
                "mean": p.mean,
                "relevant": _interval(p.relevant),
            }
            for p in found.curve
        ],
        "measure": found.measure,
        "bias": [{"run": b.run, "human": b.human, "bias": _interval(b.bias)} for b in found.biases],
    }


def _interval(estimate: Estimate | None) -> dict[str, float | str | None] | None:
    if estimate is None or isnan(estimate.value):
        return None
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "method": estimate.method}


def _signed(estimate: Estimate) -> str:
    return f"{estimate.value:+.4f} [{estimate.low:+.4f}, {estimate.high:+.4f}]"


def _span(low: float, high: float) -> str:
    return f"{low:g}" if low == high else f"{low:.4g} to {high:.4g}"


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Aligned columns, the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        others = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  " + "  ".join([row[0].ljust(widths[0]), *others]).rstrip())
    return lines
