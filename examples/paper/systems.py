"""Write twenty simulated runs, and judgments of all their documents, as files."""

from pathlib import Path

from unjudged.data.writing import run_text, write_judgments
from unjudged.studies import simulate

made = simulate(systems=20, queries=40, documents=300, best=0.05, worst=0.5, depth=100, seed=4)
write_judgments(made.judgments, "all.txt")
Path("runs").mkdir(exist_ok=True)
for name, run in made.runs.items():
    Path(f"runs/{name}.run").write_text(run_text(run, name))
