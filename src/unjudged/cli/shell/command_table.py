"""What commands there are; a new one gets a line in each table."""

from __future__ import annotations

TASKS = {
    "Score and compare": {
        "evaluate": ("commands.evaluate:evaluate", "Score runs against relevance judgments."),
        "compare": ("commands.compare:compare", "Compare runs: significant, settled, or open to judging?"),
        "report": ("commands.report:report", "Write an evaluation as one page of HTML."),
        "calibrate": (
            "commands.calibrate:calibrate",
            "Learn from pooled runs how far off the scores of new runs are.",
        ),
        "spot-check": (
            "commands.spot_check:spot_check",
            "Check a run that was not pooled by a few random judgments.",
        ),
        "audit": ("commands.audit:audit", "Compare predicted relevance with human judgments."),
        "baseline": ("commands.baseline:baseline", "Show what a random ranking scores."),
    },
    "Collect judgments": {
        "plan": ("commands.plan:plan", "Plan how large an experiment has to be."),
        "pool": ("commands.pool:pool", "Make a pool from runs, or show what each run brought to it."),
        "sample": ("commands.sample:sample", "Draw a sample of judgments by a design."),
        "judge": ("commands.judge:judge", "Make a page on which people judge documents."),
        "merge": ("commands.merge:merge", "Merge the files of assessors with the design of their sample."),
        "next": ("commands.next:next_to_judge", "List the documents to judge next."),
        "reusability": ("commands.reusability:reusability", "Tell how well the judgments serve new systems."),
    },
    "Study measures and designs": {
        "experiment": (
            "commands.experiment:experiment",
            "Find out how few judgments would have been enough.",
        ),
        "simulate": ("commands.simulate:simulate", "Make simulated runs and judgments."),
    },
    "Learn and look up": {
        "demo": ("commands.demo:demo", "Try the package on a small collection."),
        "measures": ("commands.measures:measures", "List the measures, or explain one."),
        "cite": ("commands.measures:cite", "Print the BibTeX of a measure."),
        "completion": ("shell.completion:completion", "Let the shell complete commands and options."),
    },
}
"""The commands by task, in the order in which they are listed: module in `cli/`, function, and help.

Only the command that runs is imported.
"""

ARGUMENTS = {
    "evaluate": "QRELS RUN...",
    "compare": "QRELS RUN RUN...",
    "calibrate": "QRELS RUN... --groups GROUPS",
    "report": "QRELS RUN... -o PAGE",
    "audit": "QRELS PREDICTIONS [RUN...]",
    "spot-check": "QRELS RUN",
    "next": "QRELS RUN...",
    "pool": "RUN...",
    "sample": "QRELS [RUN...]",
    "judge": "TO_JUDGE --documents DOCUMENTS",
    "merge": "DESIGN JUDGED...",
    "reusability": "QRELS RUN RUN...",
    "simulate": "FOLDER",
    "experiment": "QRELS RUN RUN...",
    "baseline": "-n DOCUMENTS -r RELEVANT",
    "measures": "[NAME]",
    "cite": "[NAME...]",
    "completion": "[SHELL]",
}
"""What comes after the name of a command in its usage; cyclopts would say ARGS."""
