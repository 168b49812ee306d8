"""Text that trec_eval prints: lines of a name, a query or `all`, and a value; help and version."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from unjudged.compat.trec_eval.command_line import Options
from unjudged.compat.trec_eval.translation import Column, columns
from unjudged.measures.kernel.averages import GEOMETRIC
from unjudged.rankings.judged import Floats, Integers, JudgedRankings

HELP = """trec_eval [-h] [-q] [-m measure[.params]] [-c] [-n] [-l <num>] [-J] [-N <num>] [-M <num>]
   [-D <num>[.qid]] [-R rel_format] [-T results_format] [-Z file] [--compat 9|10]
   rel_info_file results_file

Score the rankings of results_file ('-' for standard input) with the judgments of rel_info_file.
The output is byte-identical to that of trec_eval, except for known trec_eval bugs.

 -h --help                         print this text and explain the measures given by -m
 -v --version                      print the version on standard error
 -q --query_eval_wanted            print the values of every query before the summary
 -m --measure name[.params]        a measure, or official (the default), set or all_trec;
                                   may be repeated
 -c --complete_rel_info_wanted     average over all queries of rel_info_file; a query
                                   that results_file lacks counts as 0
 -n --nosummary                    do not print the summary
 -l --level_for_rel num            the lowest relevant grade (default: 1)
 -J --Judged_docs_only             ignore documents that are not judged
 -N --Number_docs_in_coll num      the number of documents in the collection, for utility
 -M --Max_retrieved_per_topic num  use only the first documents of each ranking
 -D --Debug_level num[.qid]        evaluate only this query; the level is ignored
 -R --Rel_info_format format       qrels
 -T --Results_format format        trec_results
 -Z --Zscore file                  print distances from a mean in standard deviations; lines:
                                   qid measure mean standard_deviation
 -o                                ignored
    --compat 9|10                  the version to follow where they differ (default: 10)

rel_info_file has lines of: qid iteration docno grade
   A negative grade means pooled but not judged.
results_file has lines of: qid iteration docno rank score runid
   Documents are ordered by score; documents with equal scores by docno, descending.
"""

_OTHERS = {
    "runid": "The last column of the last line of results_file.",
    "num_q": "The number of queries evaluated.",
    "relstring": "The grades of the first documents as a string; - is not pooled, . pooled but not judged.",
}


def per_query_lines(
    prefix: str, chosen: Sequence[Column], rankings: JudgedRankings, topics: Integers, table: Floats
) -> Iterator[str]:
    """Yield the values of every query; a geometric mean has none."""
    names = list(rankings.judgments.queries)
    for topic in topics.tolist():
        for column, value in zip(chosen, table[topic].tolist(), strict=True):
            if column.of in ("runid", "num_q") or column.summary == GEOMETRIC:
                continue
            if column.of == "relstring":
                yield f"{column.name:<22}\t{names[topic]}\t'{relstring(rankings, topic, column.depth)}'\n"
            else:
                yield f"{prefix}{column.name:<22}\t{names[topic]}\t{_number(column, value, prefix)}\n"


def summary_lines(
    prefix: str, chosen: Sequence[Column], runid: str, queries: int, numbers: Sequence[float]
) -> Iterator[str]:
    for column, number in zip(chosen, numbers, strict=True):
        if column.of == "runid":
            yield f"{column.name:<22}\tall\t{runid}\n"
        elif column.of == "num_q":
            yield f"{prefix}{column.name:<22}\tall\t{_number(column, float(queries), prefix)}\n"
        elif column.of != "relstring":
            yield f"{prefix}{column.name:<22}\tall\t{_number(column, number, prefix)}\n"


def relstring(rankings: JudgedRankings, ranking: int, depth: int) -> str:
    """One character per document: its grade, `-` if it is not pooled, `.` if pooled but not judged."""
    own = slice(rankings.offsets[ranking], rankings.offsets[ranking + 1])
    text = ["-"] * min(depth, int(rankings.retrieved[ranking]))
    for rank, label in zip(rankings.rank[own].tolist(), rankings.labels[own].tolist(), strict=True):
        if rank > len(text):
            break
        text[rank - 1] = "." if label < 0 else ">" if label > 9 else str(label)
    return "".join(text)


def _number(column: Column, value: float, prefix: str) -> str:
    """Number as C's printf writes it: counts as integers, others with four decimals, 0/0 as -nan."""
    if (column.summary == "sum" or column.of == "num_q") and not prefix:
        return str(int(value))
    return "  -nan" if np.isnan(value) else f"{value:6.4f}"


def version_text(version: int) -> str:
    """Return the version of trec_eval that is followed, and ours."""
    from unjudged import __version__

    return f"trec_eval version {'10.0' if version >= 10 else '9.0.8'} (unjudged {__version__})"


def help_text(options: Options) -> str:
    """Return the options, then a page for each measure that -m names."""
    pages = {}
    for column in columns(dict.fromkeys(options.measures), options.settings):
        if column.measure is None:
            pages[column.of] = f"{column.of}\n{_OTHERS[column.of]}\n"
        else:
            pages[column.of] = f"{column.of}, here {column.measure.name}\n{column.measure.help}\n"
    return "\n".join([HELP, *pages.values()])
