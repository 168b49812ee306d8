from history import with_history

REPORT = """\
| task | tool | s | time / ours |
|---|---|---:|---:|
| large | unjudged | 0.40 | 1.00x |
|  | pytrec_eval | 6.65 | 16.67x |

| rows as | s | time / text |
|---|---:|---:|
| pandas | 0.16 | 0.75x |

Measures: AP."""


def table(results: str) -> list[str]:
    return [line for line in results.partition("## By version")[2].splitlines() if line.startswith("|")]


def test_our_rows_become_one_column_per_version() -> None:
    assert table(with_history(REPORT, "", "0.1")) == [
        "| case | 0.1 |",
        "|---|---:|",
        "| large | 0.4 |",
        "| rows as: pandas | 0.16 |",
    ]


def test_an_older_version_keeps_its_column_and_this_one_is_replaced() -> None:
    first = with_history(REPORT, "", "0.1")
    again = with_history(REPORT.replace("0.40", "0.30"), first, "0.2")
    faster = with_history(REPORT.replace("| large |", "| larger |"), again, "0.2")
    assert table(again)[2:] == ["| large | 0.4 | 0.3 |", "| rows as: pandas | 0.16 | 0.16 |"]
    assert table(faster)[2:] == [
        "| large | 0.4 |  |",
        "| rows as: pandas | 0.16 | 0.16 |",
        "| larger |  | 0.4 |",
    ]
