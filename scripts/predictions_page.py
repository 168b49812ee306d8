"""The text of docs/predictions.md; `scripts/predictions.py` fills in the numbers."""

PAGE = """\
# People and models judging together

A language model can label every document, people only a few. The model's labels are cheap and wrong in ways that
nobody knows in advance; the people's are right and rare. This page shows how to use both: the people decide what is
true, and the model makes the answer more precise. unjudged never calls a model. You bring its labels.

All numbers are from TREC Deep Learning 2019 (passages): 43 queries, 9,260 human judgments, three runs, and the scores
from 0 to 12 that Llama-70B gave to every judged passage. A passage is relevant from grade 2 on. `make predictions`
remakes this page.

## What not to do

Do not fill the holes with the model's labels and evaluate as usual. Look at the model first. `qrels.txt` has the human
judgments, `llama.run` the model's scores divided by 12, and 9 of 12 counts as relevant:

```text
{audit}
```

Every run scores too high by the model's labels, and not by the same amount: the weaker the run, the more it gains. A
difference between runs shrinks or vanishes. With a model that prefers the answers of its own kind, it can turn around.

Do not mix two files of judgments without looking, either. `--judged FILE` adds judgments to a file. If both judge a
document and disagree, it is an error, unless you say which grade counts: `--conflicts majority`, `highest` or `last`.
In Python it is `judging.merge(model, {"human": human}, conflicts="last")`.

Do not let people judge only what the model calls relevant, or what looks interesting. Such judgments are no random
sample, and nothing can be concluded from them about the rest.

## What to do with 200 human labels

**1. Draw.** The runs are known and so are the model's scores. Draw about 200 passages for people to judge. `--among` restricts
the draw to passages that NIST judged, because we need their answers here; you can leave it out.

```text
{draw}
```

**2. Judge.** People replace each -1 in `judging/to-judge.qrels` by a grade, all of them: an answer with gaps is refused. Their
order is random and says nothing about ranks. To share the work, give each person the lines of some
queries; `merge` takes several files.
`judging/design.txt` records with what probability each passage was drawn. Keep it. Here the grades of NIST are the
answers, in `answers.qrels`.

**3. Estimate.** What would the runs score if people had judged everything?

```text
{estimate}
```

The column "by people" of the audit has what all 9,260 judgments say: the three intervals contain it.

`--outside nonrelevant` says that passages that NIST never pooled count as nonrelevant, as they do in the track. Without it
the command stops with an error, because nobody can correct what the model says of passages that people could not have
judged. If you draw from all passages, you do not need it.

**4. Compare.** Difference, interval, p value and headline are of the estimates with predictions.

```text
{difference}
```

In Python the same is `design_for_predictions`, `judging.merge` and `estimate_by_document`:

```python
from unjudged import judging
from unjudged.predictions import design_for_predictions, estimate_by_document

design = design_for_predictions(runs, 200, predictions, "RBP(p=0.8, rel=2)")
judged = judging.merge(design, {"people": "answers.qrels"}).judgments
found = estimate_by_document(judged, runs, predictions, "RBP(p=0.8, rel=2)")
found.difference("ICT-BERT2", "ICT-CKNRM_B50", queries=True)
```

**How it works.** Each passage has a weight w in the measure, an expected gain m from the model, and a known probability
pi of being judged by people. The estimate is the sum of w m over all passages, plus the sum of w (y - m) / pi over those
that people judged. Over all samples that might have been drawn, its mean is the score that complete human judgments
would give of the documents that could be drawn, *whatever the model says*, as long as pi is right and m depends on the
judgments of other queries only. It is not cut to the range of the measure, because that would make its mean another.
Good predictions only make it vary less.

**Calibration.** Raw scores become expected gains by isotonic regression on the people's judgments, weighted by 1 / pi. The
passages of a query are calibrated by the judgments of other queries (ten folds), so no judgment calibrates itself.

**Two kinds of uncertainty.** The interval for these queries says what would change had people judged another sample. The one
for other queries also covers what would change with other queries, so it is wider on average.

**Which passages.** Those that weigh much in the measure and that the model is unsure of. Predictions that are not
probabilities say nothing about doubt until some are judged: give earlier judgments by `--judged`. A sample that was drawn
otherwise works as well if its probabilities (prels) or strata are recorded. Plain judgments that list documents
with -1 are taken as a uniform sample of each query's pool, and the result says so; chosen documents and labels of unknown
origin are refused. `--outside predicted` counts documents that people could
not have judged as predicted, and the interval then holds whatever they are.

**Which measures.** P, RBP, DCG and other sums over documents. AP, recall and nDCG are refused: they divide by a number that
a sample does not give. For these, judge whole queries (below).

## How much it helps

{repetitions} samples of 430 human judgments each, drawn with probabilities proportional to the mean over the runs of 1 / rank
(rank 100 where a run does not have the passage); the truth is all 9,260 judgments:

{by_rank}

With probabilities proportional to the passages' mean weight in the measure, at least 0.01, the same budget buys more:

{by_weight}

`unjudged sample --for predictions` draws by weight and by doubt. Here that is about as good as weight alone:

{by_doubt}

And 200 judgments, as above:

{with_200}

![RMSE over the number of human judgments, with and without predictions](figures/predictions-rmse.svg)

A useless model does no harm. If all its scores are equal or random, calibration finds that out, and the interval is at most
5 % wider than without predictions.

## Several judges

A second model costs little. Repeat `--predictions NAME=FILE`, and people decide what each judge weighs: its scores are
calibrated on the human labels, and the weights are those that make the squared error on the human labels smallest, none of
them negative. Curves and weights of a query come from other queries, so the estimate stays unbiased. The output says what
each judge weighs.

Three judges on DL-2019: Llama, flan-t5, and Llama again, but so that it raises the first ten passages of one team's run by
half of the scale. Means are of the first runs of eight teams, differences of all their pairs, samples are drawn by weight. The
ratio is that of the RMSE with all three to that of the best judge, which nobody knows beforehand; coverage is the
range over all means or differences:

{judges}

How far a judge agrees with people is what `unjudged audit` prints;
[several judges](how-to/judges.md#several-judges-and-a-few-human-labels) are weighed by what people say.

## Any measure: judge whole queries

If people judge some queries completely and the model labels these and others, the estimate works for every measure. A
query is complete if people judged every document that a run has down to the measure's cutoff and that has a prediction,
and the first ten of each run whether or not they have one. Queries that are judged in part count by their predictions
only. Labels that are scattered over many queries are refused, with the judged share and what would do instead. The
command is the same. `twenty.qrels` has the judgments of 20 queries, `llama.run` the scores of all 43:

```text
{queries}
```

It is prediction-powered inference with a tuned weight lambda: the mean of the model's scores on the other queries counts
lambda times, and the queries that people judged correct it. Mean over 400 random choices of 20 queries that people judge,
with the model's labels for the other 23:

{by_query}

How often the 95 % interval holds, with {repetitions} draws of the queries that people judge and of 200 others. The
intervals are Student's, with two degrees of freedom less than queries. The last four columns draw from the 43 queries of
DL-2019 with replacement, for three runs:

{coverage}

Where scores are skewed, an interval from few queries holds less often than it says. AP of these runs rests on a handful of
queries that a small sample misses: with 5 to 20 judged queries the intervals of its means hold .85 to .93, and those of its
small differences .83 to .97 at any number here. No method that sees only the sample can know that. Prefer nDCG@10 or RBP,
and 20 queries or more.

Few other queries help little. The gain grows with their number and with how well the model's scores follow the people's.

## What it assumes

- People judged what the design drew, all of it, and a document's grade does not depend on the design.
- Recorded probabilities are right. They are if `design_for_predictions` or `unjudged sample` drew them.
- Intervals for these queries are Normal. If documents of great weight had a very small chance of being judged, the variance
  that a sample shows is usually far too small. So the design gives no document less than 0.01 (unless that takes more
  than a tenth of the budget) and takes no prediction as surer than 0.9, and an interval is widened if the sample shows less
  doubt than there is among all documents. The last step helps and does not repair a reckless design. It needs the
  probabilities of the documents that were not drawn, so keep the whole design, not only the judged documents.
- What people say is the truth. Where people disagree among themselves, audit them as you would audit a model.
"""
