"""Every allocation fails once: each must give a MemoryError or the right result, and nothing else.

CPython's hook for tests makes them fail. The compiled scanner allocates through Python's raw allocator, so
the hook reaches its arrays too.
"""

from __future__ import annotations

import faulthandler
import io
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from fuzz.oracle import Outcome, outcome, same
from unjudged.data.columns import QRELS, RUN
from unjudged.data.scan import scanner
from unjudged.data.tables import Ids, Table

QUERIES, DOCUMENTS, MOST = 5, 40, 100_000
LINES = [
    b"%d Q0 document-%d 1 %d.5 tag\n" % (q, d, d * 7 % 11) for q in range(QUERIES) for d in range(DOCUMENTS)
]
TEXT, REPEATED = b"".join(LINES), b"".join([*LINES[:DOCUMENTS], LINES[0]])
STARTS = np.arange(0, QUERIES * DOCUMENTS + 1, DOCUMENTS)
NAMES = [f"document-{d}" for d in range(DOCUMENTS)]
IDS = Ids.of([str(q) for q in range(QUERIES)]), STARTS, Ids.of(NAMES * QUERIES)
SCORES = np.arange(QUERIES * DOCUMENTS, dtype=float)[:, None] % 7
ROWS, DISCOUNTS = np.arange(QUERIES * DOCUMENTS, dtype=np.int32), np.ones(DOCUMENTS)
TABLE = Table(IDS[0], STARTS, IDS[2], SCORES, np.zeros(0, np.int64))
RUNS = {str(q): {name: float(d % 5) for d, name in enumerate([*NAMES, "\udc80"])} for q in range(QUERIES)}
PLAIN = {
    query: {f"{name}é": score for name, score in run.items() if name.isascii()} for query, run in RUNS.items()
}
NUMBERED = {str(q): q for q in range(QUERIES)}


def unordered(add: Callable[[scanner.UnorderedRows], None]) -> Any:
    rows = scanner.UnorderedRows(1 << 20)
    add(rows)
    order, matched, repeated = scanner.GroupedRows([rows]).match(0, scanner.PARTS, scanner.Index(*IDS))
    return sorted(order.tolist()), sorted(matched.row.tolist()), repeated  # hashes decide which part is first


CALLS: dict[str, Callable[[], Any]] = {
    "read_table": lambda: scanner.read_table(io.BytesIO(TEXT), RUN),
    "read_table, bad line": lambda: scanner.read_table(io.BytesIO(TEXT), QRELS),
    "scan_run": lambda: scanner.scan_run(io.BytesIO(TEXT), scanner.Index(*IDS), RUN),
    "scan_run, twice": lambda: scanner.scan_run(io.BytesIO(REPEATED), scanner.Index(*IDS), RUN),
    "scan_unordered": lambda: unordered(lambda rows: scanner.scan_unordered(io.BytesIO(TEXT), rows, RUN)),
    "scan_unordered, twice": lambda: unordered(
        lambda rows: scanner.scan_unordered(io.BytesIO(REPEATED), rows, RUN)
    ),
    "UnorderedRows.add": lambda: unordered(lambda rows: rows.add(TABLE)),
    "match_table": lambda: scanner.match_table(TABLE, scanner.Index(*IDS)),
    "ids_of_strings": lambda: scanner.ids_of_strings([*NAMES, "é", *NAMES]),
    "stretches_of_strings": lambda: scanner.stretches_of_strings([*NAMES, "é", *NAMES]),
    "best_first": lambda: scanner.best_first(TABLE),
    "number_names": lambda: scanner.number_names(IDS[2]),
    "take_names": lambda: scanner.take_names(IDS[2], np.arange(20)),
    "match_dicts": lambda: scanner.match_dicts(PLAIN, NUMBERED, NAMES * QUERIES, STARTS, 2**31),
    "table_of_dicts": lambda: scanner.table_of_dicts(PLAIN),
    "nested_rows": lambda: scanner.nested_rows(TABLE, False),
    "environment_variable": lambda: scanner.environment_variable("PATH"),
    "count_grades": lambda: scanner.count_grades(ROWS, STARTS, 1, np.inf),
    "sum_precisions": lambda: scanner.sum_precisions(ROWS, ROWS, STARTS, 1, np.inf),
    "sum_gains": lambda: scanner.sum_gains(SCORES[:, 0].copy(), ROWS, ROWS, STARTS, DISCOUNTS),
    "sum_best_gains": lambda: scanner.sum_best_gains(SCORES[:, 0].copy(), STARTS, DISCOUNTS),
}


def attempts(call: Callable[[], Any]) -> Iterator[Outcome | None]:
    """The outcome of the call with its first allocation failing, then its second, until all have failed."""
    import _testcapi  # type: ignore[import-not-found]

    def failing(number: int) -> Any:
        _testcapi.set_nomemory(number, number + 1)
        try:
            return call()
        finally:
            _testcapi.remove_mem_hooks()

    in_a_row = 0
    for number in range(1, MOST):
        found = attempt(partial(failing, number))
        yield found
        in_a_row = 0 if found is None else in_a_row + 1
        if in_a_row == 50:  # later than its last allocation
            return


def attempt(call: Callable[[], Any]) -> Outcome | None:
    try:
        return outcome(call)
    except MemoryError:
        return None
    except SystemError as error:  # what CPython makes of a failure that it, or numpy, could not report
        if not re.search("without (exception set|setting an exception)", str(error)):
            raise
        return None


def main() -> None:
    faulthandler.enable()
    print(f"{'call':<22}{'failed allocations':>20}")
    for name, call in CALLS.items():
        expected = outcome(call)
        found = list(attempts(call))
        for result in found:
            if result is not None:
                same(name, expected, result)
        print(f"{name:<22}{sum(result is None for result in found):>20}", flush=True)


if __name__ == "__main__":
    main()
