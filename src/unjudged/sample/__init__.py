"""A small collection to try things on: 30 queries, 6 systems, and documents in every state of judging.

Five systems were pooled and partly judged. `dense` came later and was not pooled. `answers` has the grade of
every document that any of them retrieves: what people say who judge more.
"""

from pathlib import Path

_FOLDER = Path(__file__).parent
_NAMES = ("boolean", "lexical", "expanded", "fused", "reranked", "dense")

qrels: Path = _FOLDER / "qrels.txt"
answers: Path = _FOLDER / "answers.qrels"
runs: dict[str, Path] = {name: _FOLDER / f"{name}.run" for name in _NAMES}
