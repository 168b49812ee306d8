"""The works that measures cite, by key, as text and as BibTeX."""

from __future__ import annotations

from typing import NamedTuple


class Reference(NamedTuple):
    """`where` is the journal, the proceedings, the publisher or the institution, by `kind`."""

    kind: str
    authors: tuple[str, ...]
    title: str
    where: str
    year: int
    details: dict[str, str] = {}  # noqa: RUF012 (a named tuple's default, never changed)

    @property
    def text(self) -> str:
        names = [" ".join(reversed(author.split(", "))) for author in self.authors]
        listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
        details = ", ".join(self.details.values())
        return f"{listed}. {self.title}. {self.where}{', ' + details if details else ''}, {self.year}."

    def bibtex(self, key: str) -> str:
        place = {
            "article": "journal",
            "inproceedings": "booktitle",
            "book": "publisher",
            "techreport": "institution",
        }
        fields = {
            "author": " and ".join(self.authors),
            "title": "{" + self.title + "}",
            place[self.kind]: self.where,
            **self.details,
            "year": str(self.year),
        }
        body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
        return f"@{self.kind}{{{key},\n{body}\n}}\n"


def _article(*authors: str, title: str, where: str, year: int, **details: str) -> Reference:
    return Reference("article", authors, title, where, year, details)


def _paper(*authors: str, title: str, where: str, year: int, **details: str) -> Reference:
    return Reference("inproceedings", authors, title, where, year, details)


REFERENCES = {
    "vanrijsbergen1979": Reference(
        "book", ("van Rijsbergen, C. J.",), "Information Retrieval, 2nd edition", "Butterworths", 1979
    ),
    "salton1983": Reference(
        "book",
        ("Salton, G.", "McGill, M. J."),
        "Introduction to Modern Information Retrieval",
        "McGraw-Hill",
        1983,
    ),
    "harman1993": Reference(
        "techreport",
        ("Harman, D. K.",),
        "The First Text REtrieval Conference (TREC-1)",
        "NIST Special Publication 500-207",
        1993,
    ),
    "voorhees1999": _paper(
        "Voorhees, E. M.",
        title="The TREC-8 Question Answering Track Report",
        where="Proceedings of TREC-8, NIST Special Publication 500-246",
        year=1999,
    ),
    "jarvelin2002": _article(
        "Järvelin, K.",
        "Kekäläinen, J.",
        title="Cumulated gain-based evaluation of IR techniques",
        where="ACM Transactions on Information Systems",
        volume="20(4)",
        pages="422-446",
        year=2002,
    ),
    "buckley2004": _paper(
        "Buckley, C.",
        "Voorhees, E. M.",
        title="Retrieval evaluation with incomplete information",
        where="Proceedings of SIGIR 2004",
        pages="25-32",
        year=2004,
    ),
    "burges2005": _paper(
        "Burges, C.",
        "Shaked, T.",
        "Renshaw, E.",
        "Lazier, A.",
        "Deeds, M.",
        "Hamilton, N.",
        "Hullender, G.",
        title="Learning to rank using gradient descent",
        where="Proceedings of ICML 2005",
        pages="89-96",
        year=2005,
    ),
    "yilmaz2006": _paper(
        "Yilmaz, E.",
        "Aslam, J. A.",
        title="Estimating average precision with incomplete and imperfect judgments",
        where="Proceedings of CIKM 2006",
        pages="102-111",
        year=2006,
    ),
    "robertson2006": _paper(
        "Robertson, S.",
        title="On GMAP: and other transformations",
        where="Proceedings of CIKM 2006",
        pages="78-83",
        year=2006,
    ),
    "aslam2007": Reference(
        "techreport",
        ("Aslam, J. A.", "Pavlu, V."),
        "A practical sampling strategy for efficient retrieval evaluation",
        "Northeastern University",
        2007,
    ),
    "moffat2008": _article(
        "Moffat, A.",
        "Zobel, J.",
        title="Rank-biased precision for measurement of retrieval effectiveness",
        where="ACM Transactions on Information Systems",
        volume="27(1)",
        pages="2:1-2:27",
        year=2008,
    ),
    "robertson2008": _paper(
        "Robertson, S.",
        title="A new interpretation of average precision",
        where="Proceedings of SIGIR 2008",
        pages="689-690",
        year=2008,
    ),
    "yilmaz2008": _article(
        "Yilmaz, E.",
        "Aslam, J. A.",
        title="Estimating average precision when judgments are incomplete",
        where="Knowledge and Information Systems",
        volume="16(2)",
        pages="173-211",
        year=2008,
    ),
    "yilmaz2008b": _paper(
        "Yilmaz, E.",
        "Kanoulas, E.",
        "Aslam, J. A.",
        title="A simple and efficient sampling method for estimating AP and NDCG",
        where="Proceedings of SIGIR 2008",
        pages="603-610",
        year=2008,
    ),
    "chapelle2009": _paper(
        "Chapelle, O.",
        "Metzler, D.",
        "Zhang, Y.",
        "Grinspan, P.",
        title="Expected reciprocal rank for graded relevance",
        where="Proceedings of CIKM 2009",
        pages="621-630",
        year=2009,
    ),
    "robertson2012": _paper(
        "Robertson, S.",
        title="On smoothing average precision",
        where="Proceedings of ECIR 2012, LNCS 7224",
        pages="158-169",
        year=2012,
    ),
    "park2016": _paper(
        "Park, L. A. F.",
        title="Uncertainty in Rank-Biased Precision",
        where="Proceedings of the Australasian Document Computing Symposium 2016",
        year=2016,
    ),
}
