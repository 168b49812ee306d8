"""Robertson (2008): the user models of the measures: `make papers`."""

from __future__ import annotations

from pages import figure, page
from user_models import user_model_values, user_models

from unjudged import JudgedRankings

RANKING = "0 1 U N 1 N 0 U 1 N N 1"
MISSED = "1 1 0 0 0 0 0 0 0"

PAGE = """\
# The user of a measure

Robertson (2008) interprets average precision as an expectation over users. A user decides before the search how
many relevant documents are enough, goes down the ranking until that many are found, and sees the
precision at that rank. If equally many users want 1, 2, ..., R relevant documents, the mean of these precisions is
AP; if all want one, it is RR. `NCP` takes any such population:

![How many relevant documents users want, and what that says of one ranking](figures/robertson-2008.svg)

RBP has another kind of user, who has no target but leaves after each rank with probability 1 - p, no matter what was
found.

The ranking is `{ranking}` (a digit is a grade, U is pooled but unjudged, N is not pooled). The query has six relevant
documents, two of which are not retrieved:

| model | value |
|---|---:|
{rows}

In Python the population may be a table, or a function of the number of wanted documents:

```
>>> import numpy as np
>>> from unjudged import NCP, JudgedRankings
>>> ranking = JudgedRankings.spelled("{ranking}", missed="{missed}")
>>> NCP(stop=(0.5, 0.3, 0.2)).compute(ranking)
array([0.43666667])
>>> NCP(stop=lambda i: np.exp(-i / 3)).compute(ranking)
array([0.3541874])

```
"""


def main() -> None:
    ranking = JudgedRankings.spelled(RANKING, missed=MISSED)
    rows = "\n".join(f"| {name} | {value:.4f} |" for name, value in user_model_values(ranking).items())
    page("robertson-2008", PAGE.format(ranking=RANKING, missed=MISSED, rows=rows))
    figure("robertson-2008", user_models(ranking))


if __name__ == "__main__":
    main()
