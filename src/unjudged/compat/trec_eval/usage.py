"""What `-h` and `-v` print."""

from __future__ import annotations

from unjudged.compat.trec_eval.command_line import Options
from unjudged.compat.trec_eval.translation import columns

HELP = """trec_eval [-h] [-q] [-m measure[.params]] [-c] [-n] [-l <num>] [-J] [-N <num>] [-M <num>]
   [-D <num>[.qid]] [-R rel_format] [-T results_format] [-Z file] [--compat 9|10]
   rel_info_file results_file

Scores the rankings of results_file ('-' is standard input) by the judgments of rel_info_file, as
trec_eval does.

 -h --help                         this text, and what the measures given by -m are
 -v --version                      the version, on standard error
 -q --query_eval_wanted            every query's values, before those of all queries
 -m --measure name[.params]        a measure, or official (the default), set, all_trec; may be repeated
 -c --complete_rel_info_wanted     average over all queries of rel_info_file, missing ones as 0
 -n --nosummary                    no values for all queries
 -l --level_for_rel num            the lowest grade that is relevant, 1 unless given
 -J --Judged_docs_only             leave out all documents that are not judged
 -N --Number_docs_in_coll num      the documents of the collection, for utility
 -M --Max_retrieved_per_topic num  only so many documents of each ranking
 -D --Debug_level num[.qid]        only this query; no level prints anything more
 -R --Rel_info_format format       qrels
 -T --Results_format format        trec_results
 -Z --Zscore file                  values as deviations from a mean; the file has lines of
                                   qid measure mean standard_deviation
 -o                                ignored
    --compat 9|10                  the version to follow where they differ, 10 unless given

rel_info_file has lines of: qid iteration docno grade
   A grade below 0 is a document that is pooled and not judged.
results_file has lines of: qid iteration docno rank score runid
   Scores alone decide the order; documents of one score are ordered by docno, descending.
"""


def version_text(version: int) -> str:
    from unjudged import __version__

    return f"trec_eval version {'10.0' if version >= 10 else '9.0.8'} (unjudged {__version__})"


def help_text(options: Options) -> str:
    pages = {}
    for column in columns(dict.fromkeys(options.measures), options.settings):
        if column.measure is None:
            pages[column.of] = f"{column.of}\n{_OTHERS[column.of]}\n"
        else:
            pages[column.of] = f"{column.of}, here {column.measure.name}\n{column.measure.help}\n"
    return "\n".join([HELP, *pages.values()])


_OTHERS = {
    "runid": "The last column of results_file's last line.",
    "num_q": "How many queries were evaluated.",
    "relstring": "The grades of the first documents as a string; - is not pooled, . pooled and not judged.",
}
