"""Works that measures cite, by key, as text and as BibTeX."""

from __future__ import annotations

from typing import NamedTuple

PLACE = {
    "article": "journal",
    "inproceedings": "booktitle",
    "book": "publisher",
    "techreport": "institution",
}
"""What BibTeX calls the place of publication, by the kind of work."""


LETTERS = {
    ord(letter): f"{{\\{mark}{plain}}}" for letter, mark, plain in zip("äöüé", '"""\'', "aoue", strict=True)
}
"""Letters with marks as LaTeX writes them."""


class Reference(NamedTuple):
    """`where` is the journal, the proceedings, the publisher or the institution, by `kind`."""

    kind: str
    authors: tuple[str, ...]
    title: str
    where: str
    year: int
    volume: str = ""
    number: str = ""
    pages: str = ""
    doi: str = ""

    @property
    def text(self) -> str:
        """One line, as in a list of references."""
        names = [" ".join(reversed(author.split(", "))) for author in self.authors]
        listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
        volume = f"{self.volume}({self.number})" if self.number else self.volume
        published = ", ".join(filter(None, (self.where, volume, self.pages, str(self.year))))
        link = f" https://doi.org/{self.doi}" if self.doi else ""
        return f"{listed}. {self.title}. {published}.{link}"

    def bibtex(self, key: str) -> str:
        """A BibTeX entry in ASCII."""
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",
            PLACE[self.kind]: self.where,
            "volume": self.volume,
            "number": self.number,
            "pages": self.pages.replace("-", "--"),
            "year": str(self.year),
            "doi": self.doi,
        }
        return entry(self.kind, key, fields)


def entry(kind: str, key: str, fields: dict[str, str]) -> str:
    """A BibTeX entry; empty fields are left out, letters with marks are written as LaTeX commands."""
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    text = f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}\n"
    return text.translate(LETTERS)


REFERENCES = {
    "vanrijsbergen1979": Reference(
        "book",
        ("van Rijsbergen, C. J.",),
        "Information Retrieval, 2nd edition",
        "Butterworths",
        1979,
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
    "voorhees1999": Reference(
        "inproceedings",
        ("Voorhees, E. M.",),
        "The TREC-8 Question Answering Track Report",
        "Proceedings of TREC-8, NIST Special Publication 500-246",
        1999,
        pages="77-82",
    ),
    "jarvelin2002": Reference(
        "article",
        ("Järvelin, K.", "Kekäläinen, J."),
        "Cumulated gain-based evaluation of IR techniques",
        "ACM Transactions on Information Systems",
        2002,
        volume="20",
        number="4",
        pages="422-446",
        doi="10.1145/582415.582418",
    ),
    "buckley2004": Reference(
        "inproceedings",
        ("Buckley, C.", "Voorhees, E. M."),
        "Retrieval evaluation with incomplete information",
        "Proceedings of SIGIR 2004",
        2004,
        pages="25-32",
        doi="10.1145/1008992.1009000",
    ),
    "burges2005": Reference(
        "inproceedings",
        (
            "Burges, C.",
            "Shaked, T.",
            "Renshaw, E.",
            "Lazier, A.",
            "Deeds, M.",
            "Hamilton, N.",
            "Hullender, G.",
        ),
        "Learning to rank using gradient descent",
        "Proceedings of ICML 2005",
        2005,
        pages="89-96",
        doi="10.1145/1102351.1102363",
    ),
    "yilmaz2006": Reference(
        "inproceedings",
        ("Yilmaz, E.", "Aslam, J. A."),
        "Estimating average precision with incomplete and imperfect judgments",
        "Proceedings of CIKM 2006",
        2006,
        pages="102-111",
        doi="10.1145/1183614.1183633",
    ),
    "robertson2006": Reference(
        "inproceedings",
        ("Robertson, S.",),
        "On GMAP: and other transformations",
        "Proceedings of CIKM 2006",
        2006,
        pages="78-83",
    ),
    "aslam2007": Reference(
        "techreport",
        ("Aslam, J. A.", "Pavlu, V."),
        "A practical sampling strategy for efficient retrieval evaluation",
        "Northeastern University",
        2007,
    ),
    "moffat2008": Reference(
        "article",
        ("Moffat, A.", "Zobel, J."),
        "Rank-biased precision for measurement of retrieval effectiveness",
        "ACM Transactions on Information Systems",
        2008,
        volume="27",
        number="1",
        pages="2:1-2:27",
        doi="10.1145/1416950.1416952",
    ),
    "robertson2008": Reference(
        "inproceedings",
        ("Robertson, S.",),
        "A new interpretation of average precision",
        "Proceedings of SIGIR 2008",
        2008,
        pages="689-690",
        doi="10.1145/1390334.1390453",
    ),
    "yilmaz2008": Reference(
        "article",
        ("Yilmaz, E.", "Aslam, J. A."),
        "Estimating average precision when judgments are incomplete",
        "Knowledge and Information Systems",
        2008,
        volume="16",
        number="2",
        pages="173-211",
        doi="10.1007/s10115-007-0101-7",
    ),
    "yilmaz2008b": Reference(
        "inproceedings",
        ("Yilmaz, E.", "Kanoulas, E.", "Aslam, J. A."),
        "A simple and efficient sampling method for estimating AP and NDCG",
        "Proceedings of SIGIR 2008",
        2008,
        pages="603-610",
        doi="10.1145/1390334.1390437",
    ),
    "chapelle2009": Reference(
        "inproceedings",
        ("Chapelle, O.", "Metzler, D.", "Zhang, Y.", "Grinspan, P."),
        "Expected reciprocal rank for graded relevance",
        "Proceedings of CIKM 2009",
        2009,
        pages="621-630",
        doi="10.1145/1645953.1646033",
    ),
    "robertson2012": Reference(
        "inproceedings",
        ("Robertson, S.",),
        "On smoothing average precision",
        "Proceedings of ECIR 2012, LNCS",
        2012,
        volume="7224",
        pages="158-169",
    ),
    "park2016": Reference(
        "inproceedings",
        ("Park, L. A. F.",),
        "Uncertainty in Rank-Biased Precision",
        "Proceedings of the 21st Australasian Document Computing Symposium",
        2016,
        doi="10.1145/3015022.3015029",
    ),
    "thakur2021": Reference(
        "inproceedings",
        ("Thakur, N.", "Reimers, N.", "Rücklé, A.", "Srivastava, A.", "Gurevych, I."),
        "BEIR: A heterogeneous benchmark for zero-shot evaluation of information retrieval models",
        "Proceedings of NeurIPS 2021, Datasets and Benchmarks",
        2021,
    ),
}
