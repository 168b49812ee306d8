"""Build a test collection: pool, draw, hand out, judge, merge, judge more, and ask whether it is reusable.

The verbs are those of the command line:

>>> from unjudged import judging
>>> from unjudged.sample import runs
>>> drawn = judging.sample(judging.pool(runs, depth=20), "stratified", 0.2, seed=1, top=10)
>>> len(drawn.to_judge())
1637
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # without importing `typing`, which takes longer than all else here

__all__ = [
    "DESIGNS",
    "Candidate",
    "Design",
    "DrawnSample",
    "Merged",
    "NextDocuments",
    "Pool",
    "Reusability",
    "RunPair",
    "design",
    "hand_out",
    "judge",
    "merge",
    "next",
    "pool",
    "read_sample",
    "reusability",
    "sample",
    "sample_text",
    "task_texts",
    "topic_statistics",
]

if TYPE_CHECKING:
    from typing import Any

    from unjudged.judging.choosing.next_documents import next_documents as next  # noqa: A004
    from unjudged.judging.choosing.next_result import Candidate, NextDocuments, RunPair
    from unjudged.judging.collecting.drawn_sample import DrawnSample
    from unjudged.judging.collecting.drawn_sample import draw as sample
    from unjudged.judging.collecting.handing_out import hand_out, task_texts
    from unjudged.judging.collecting.merging import Merged, merge
    from unjudged.judging.collecting.sample_file import read_sample, sample_text
    from unjudged.judging.collecting.task_page import judging_page as judge
    from unjudged.judging.pooling.designs import DESIGNS, Design, design
    from unjudged.judging.pooling.pool import Pool
    from unjudged.judging.pooling.reusability import Reusability, reusability, topic_statistics

    pool = Pool.of_runs
else:
    _MODULES = {
        "choosing.next_documents": "next=next_documents",
        "choosing.next_result": "Candidate NextDocuments RunPair",
        "collecting.sample_file": "read_sample sample_text",
        "collecting.drawn_sample": "DrawnSample sample=draw",
        "collecting.handing_out": "hand_out task_texts",
        "collecting.merging": "Merged merge",
        "collecting.task_page": "judge=judging_page",
        "pooling.designs": "DESIGNS Design design",
        "pooling.pool": "Pool",
        "pooling.reusability": "Reusability reusability topic_statistics",
    }
    _PLACES = {
        name: (module, own or name)
        for module, names in _MODULES.items()
        for name, _, own in (word.partition("=") for word in names.split())
    }

    def __getattr__(name: str) -> Any:
        """Import what is used, when it is used."""
        if name == "pool":
            return __getattr__("Pool").of_runs
        if name not in _PLACES:
            raise AttributeError(f"module 'unjudged.judging' has no attribute {name!r}")
        module, own = _PLACES[name]
        value = globals()[name] = getattr(import_module(f"unjudged.judging.{module}"), own)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
