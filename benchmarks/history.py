"""What each version took: the compact table at the end of benchmarks/results.md, one column per version.

The cases are read from the report itself: every row of ours in a table that has a column of seconds.
"""

from __future__ import annotations

HEADING = "## By version, in seconds"


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def seconds_by_case(report: str) -> dict[str, float]:
    """Our rows of a report: the case and its seconds. Rows of other tools are left out."""
    found: dict[str, float] = {}
    head: list[str] = []
    task = ""
    for line in report.splitlines():
        if not line.startswith("|"):
            head = []
            continue
        cells = cells_of(line)
        if not head:
            head = cells
        elif not line.startswith("|---"):
            task = cells[0] or task
            ours = head[1] != "tool" or cells[1].startswith("unjudged")
            column = next((i for i, name in enumerate(head) if name == "s" or name.startswith("s ")), None)
            if ours and column is not None and cells[column]:
                found[task if head[0] == "task" else f"{head[0]}: {task}"] = float(cells[column])
    return found


def versions_in(results: str) -> dict[str, dict[str, float]]:
    """The table of an older results.md: version -> case -> seconds."""
    lines = [line for line in results.partition(HEADING)[2].splitlines() if line.startswith("|")]
    if not lines:
        return {}
    names = cells_of(lines[0])[1:]
    kept: dict[str, dict[str, float]] = {name: {} for name in names}
    for line in lines[2:]:
        case, *values = cells_of(line)
        for name, value in zip(names, values, strict=True):
            if value:
                kept[name][case] = float(value)
    return kept


def with_history(report: str, older: str, version: str) -> str:
    """The report, and after it the table by version: what was there, and this version's column anew."""
    versions = {**versions_in(older), version: seconds_by_case(report)}
    cases = dict.fromkeys(case for found in versions.values() for case in found)
    rows = [f"| case | {' | '.join(versions)} |", f"|---|{'---:|' * len(versions)}"]
    for case in cases:
        values = [f"{found[case]:g}" if case in found else "" for found in versions.values()]
        rows.append(f"| {case} | {' | '.join(values)} |")
    return "\n".join([report, "", HEADING, "", *rows])
