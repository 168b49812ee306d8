"""Commands by task, with what they are for. Their modules are imported when they run or are explained."""

from __future__ import annotations

TASKS = {
    "Score and compare": {
        "evaluate": "Score systems, with the range that judging leaves open.",
        "compare": "Which is better, and could queries or judgments change it?",
        "gate": "Let a build pass or fail: is the new run worse?",
        "report": "Write an evaluation as one page of HTML.",
    },
    "Collect judgments": {
        "next": "List or draw the documents to judge next.",
        "judge": "Make a page on which people judge documents.",
        "merge": "Merge answers with judgments.",
    },
    "Study judgments": {
        "audit": "Compare a model, or a second person, with human judgments.",
        "experiment": "Find out how few judgments would have been enough.",
    },
    "Learn and look up": {
        "check": "Say what files are, what is wrong, and what to ask of them.",
        "explain": "Explain a measure, a word of the output or an error.",
        "demo": "Try the package on a small collection.",
        "trec_eval": "Print what trec_eval prints.",
    },
}
COMMANDS = tuple(name for commands in TASKS.values() for name in commands if name != "trec_eval")
"""All but trec_eval, which reads a command line of its own."""

MODULES = dict(zip(TASKS, ("scoring", "collecting", "learning", "learning"), strict=True))
MODULE_OF = {name: MODULES[task] for task, commands in TASKS.items() for name in commands}
"""The module in which each command is."""
