# Tables and figures of a paper, made by commands alone: sh make.sh FOLDER
set -e
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"

# Twenty simulated systems; with your own data you have these files.
python "$here/systems.py"
unjudged pool runs/*.run --qrels all.txt --depth 20 -o qrels.txt

unjudged compare qrels.txt runs/*.run -m AP -m nDCG@10 -m P@10 --format latex -o systems.tex
unjudged compare qrels.txt runs/*.run -m AP -m nDCG@10 -m P@10 --baseline s12 --format latex -o baseline.tex
unjudged evaluate qrels.txt runs/*.run -m nDCG@10 -o means.csv --plot means.pdf
unjudged compare qrels.txt runs/s12.run runs/s01.run -m nDCG@10 -o pair.csv --plot queries.pdf
unjudged explain nDCG --bibtex > paper.bib
unjudged explain unjudged --bibtex >> paper.bib

cp "$here/paper.tex" .
pdflatex -interaction=nonstopmode -halt-on-error paper.tex > latex.txt
bibtex paper > bibtex.txt
pdflatex -interaction=nonstopmode -halt-on-error paper.tex > latex.txt
pdflatex -interaction=nonstopmode -halt-on-error paper.tex > latex.txt
