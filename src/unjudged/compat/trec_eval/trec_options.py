"""Command line of trec_eval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from getopt import GetoptError, gnu_getopt

from unjudged.compat.trec_eval.translation import Settings, Stop, names_of, whole

FLAGS: dict[str, tuple[str, str, Callable[[str], object] | None]] = {
    "h": ("help", "help", None),
    "v": ("version", "show_version", None),
    "q": ("query_eval_wanted", "per_query", None),
    "m": ("measure", "", str),
    "c": ("complete_rel_info_wanted", "complete", None),
    "l": ("level_for_rel", "level", whole),
    "n": ("nosummary", "no_summary", None),
    "D": ("Debug_level", "only", lambda text: text.partition(".")[2] or None),
    "J": ("Judged_docs_only", "judged_only", None),
    "N": ("Number_docs_in_coll", "documents", whole),
    "M": ("Max_retrieved_per_topic", "deepest", lambda text: max(whole(text), 0)),
    "R": ("Rel_info_format", "rel_format", str),
    "T": ("Results_format", "run_format", str),
    "o": ("Output_old_results_format", "", None),
    "Z": ("Zscore", "means", str),
}
"""By its letter the long name of an option, the attribute that it sets, and what reads its value, if any."""
LONG = {f"{name}=" if read else name: letter for letter, (name, _, read) in FLAGS.items()}
USAGE = """Usage: trec_eval [-h] [-q] {-m measure}* trec_rel_file trec_top_file
   -h: list all options and explain the measures given by -m
   -q: also print the values of every query
   -m: a measure, or official (the default), set or all_trec"""


@dataclass
class Options:
    """Options given. `measures` maps each measure to the text of its parameters, or None."""

    measures: dict[str, str | None] = field(default_factory=dict)
    per_query: bool = False
    no_summary: bool = False
    complete: bool = False
    judged_only: bool = False
    level: int = 1
    documents: int = 0
    deepest: int | None = None
    only: str | None = None
    means: str | None = None
    rel_format: str = "qrels"
    run_format: str = "trec_results"
    help: bool = False
    show_version: bool = False
    version: int = 10
    files: list[str] = field(default_factory=list)

    @property
    def settings(self) -> Settings:
        return Settings(self.level, self.version, self.documents)


def parse(arguments: Sequence[str]) -> Options:
    """Return the options; raises `Stop` with the messages of trec_eval if they are wrong."""
    options = Options()
    rest = _without_compat(list(arguments), options)
    short = "".join(f"{letter}:" if read else letter for letter, (_, _, read) in FLAGS.items())
    try:
        given, options.files = gnu_getopt(rest, short, list(LONG))
    except GetoptError as error:
        raise Stop(1, _problem(error), USAGE) from None
    parameters: dict[str, str] = {}
    names: list[str] = []
    for flag, value in given:
        letter = flag[1:] if not flag.startswith("--") else LONG.get(flag[2:]) or LONG[f"{flag[2:]}="]
        _, attribute, read = FLAGS[letter]
        if letter == "m":
            names += _measures(value, options.version, parameters)
        elif attribute:
            setattr(options, attribute, True if read is None else read(value))
        if options.show_version:
            return options
        if options.level < 0:
            raise Stop(1, reason=f"invalid -l {options.level}: use 0 or more, for judged documents")
    names = names or names_of("official", options.version)
    options.measures = {name: parameters.get(name) for name in names}
    return options


def _without_compat(arguments: list[str], options: Options) -> list[str]:
    """Return the arguments that trec_eval knows, without our --compat."""
    rest = []
    while arguments:
        word = arguments.pop(0)
        if word != "--compat" and not word.startswith("--compat="):
            rest.append(word)
            continue
        value = word.partition("=")[2] if "=" in word else (arguments.pop(0) if arguments else "")
        if value not in ("9", "10"):
            raise Stop(1, USAGE, reason=f"invalid --compat {value!r}: use 9 or 10")
        options.version = int(value)
    return rest


def _measures(text: str, version: int, parameters: dict[str, str]) -> list[str]:
    """Measures that one -m asks for; if a measure is given parameters twice, the first ones count."""
    name, dot, written = text.partition(".")
    illegal = f"trec_eval: illegal measure '{name}'"
    if dot and not written:
        raise Stop(1, f"trec_eval: improper measure in parameter '{name}'", illegal)
    if dot:
        parameters.setdefault(name, written)
    names = names_of(name, version)
    if not names:
        raise Stop(1, illegal)
    return names


def _problem(error: GetoptError) -> str:
    """Return the message of the C library about an option."""
    if not error.msg.startswith("option --"):
        what = "option requires an argument" if "requires argument" in error.msg else "invalid option"
        return f"trec_eval: {what} -- '{error.opt}'"
    if "not recognized" in error.msg:
        return f"trec_eval: unrecognized option '--{error.opt}'"
    if "unique prefix" in error.msg:
        options = (f"'--{name.rstrip('=')}'" for name in LONG if name.startswith(error.opt))
        return f"trec_eval: option '--{error.opt}' is ambiguous; possibilities: {' '.join(options)}"
    what = "requires an argument" if "requires argument" in error.msg else "doesn't allow an argument"
    return f"trec_eval: option '--{error.opt}' {what}"
