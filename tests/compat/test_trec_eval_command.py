"""`unjudged trec_eval`: options, messages and exit codes are those of trec_eval."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from pathlib import Path

import pytest

from unjudged.cli.main import main as unjudged
from unjudged.compat.trec_eval import main, output
from unjudged.compat.trec_eval_measures import Stop

QRELS = "10 0 a 1\n10 0 b 0\n2 0 c 2\n2 0 d -1\n2 0 e 1\n3 0 f 1\n"
RUN = "2 Q0 c 1 0.5 one\n2 Q0 d 2 0.5 one\n2 Q0 x 3 0.7 one\n10 Q0 b 1 2 one\n10 Q0 a 2 1 two\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)
    return tmp_path


def text(line: str) -> str:
    """What a command prints of the two files, as text."""
    return output([*line.split(), "qrels", "run"])


def printed(line: str) -> list[list[str]]:
    return [one.split() for one in text(line).splitlines()]


def stopped(line: str) -> Stop:
    with pytest.raises(Stop) as stop:
        output(line.split())
    return stop.value


@pytest.mark.usefixtures("folder")
class TestOutput:
    def test_order_widths_and_which_values_are_printed(self) -> None:
        """Topics by their bytes; counts whole; gm_map and runid only for all, relstring only for each."""
        assert text("-q -m relstring -m num_ret -m gm_map -m runid") == (
            "num_ret               \t10\t2\n"
            "relstring             \t10\t'01'\n"
            "num_ret               \t2\t3\n"
            "relstring             \t2\t'-.2'\n"
            "runid                 \tall\ttwo\n"
            "num_ret               \tall\t5\n"
            "gm_map                \tall\t0.2887\n"
        )

    def test_a_topic_that_the_run_lacks(self) -> None:
        """trec_eval 10 ends with an error without -c; 9 does not print it with -c."""
        assert printed("-m num_q") == [["num_q", "all", "2"]]
        assert printed("-c -m num_q -m map") == [["num_q", "all", "3"], ["map", "all", "0.2222"]]
        missed = printed("-q -c -n -m map -m relstring -m rbp_resid -m utility -m unj.5")
        assert [line for line in missed if line[1] == "3"] == [
            ["map", "3", "0.0000"],
            ["relstring", "3", "''"],
            ["utility", "3", "0.0000"],
            ["rbp_resid", "3", "0.0000"],
            ["unj_5", "3", "0.0000"],
        ]
        of_nine = printed("-q -c -m map -m gm_map --compat 9")
        assert [line[1] for line in of_nine] == ["10", "2", "all", "all"]
        assert of_nine[-1] == printed("-c -m gm_map")[0]

    def test_level_depth_judged_only_and_one_topic(self) -> None:
        assert printed("-l 2 -m num_rel -c") == [["num_rel", "all", "1"]]
        assert printed("-l0 -m num_rel_ret") == [["num_rel_ret", "all", "3"]]
        assert printed("-M 1 -m num_ret") == [["num_ret", "all", "2"]]
        assert printed("-J -q -n -m num_ret") == [["num_ret", "10", "2"], ["num_ret", "2", "1"]]
        assert printed("-D 1.10 -m num_q") == [["num_q", "all", "1"]]
        assert printed("-N 9 -n -q -m utility.0,0,0,1")[0] == ["utility_0,0,0,1", "10", "7.0000"]

    def test_nothing_left_is_zero_by_zero(self) -> None:
        Path("run").write_text("2 Q0 x 1 1 t\n")
        asked = "-J -m iprec_at_recall.0,1 -m 11pt_avg -m map"
        assert [line[2] for line in printed(asked)] == ["0.0000", "-nan", "0.0000", "-nan"]
        assert "iprec_at_recall_0.00  \tall\t  -nan\n" in text(asked)

    def test_parameters_in_names(self) -> None:
        wanted = "-m P.5 -m P.10 -m map.5 -m set_F.0.5 -m ndcg.1=2,2=3 -m success.2,1 -m rbp.p=.5"
        names = "map iprec_at_recall_0.10 P_5 ndcg_1=2,2=3 success_1 success_2 set_F_0.5 rbp_p=.5"
        found = printed(f"{wanted} -m iprec_at_recall..1")
        assert " ".join(line[0] for line in found) == names

    def test_deviations_from_a_mean(self) -> None:
        Path("means").write_text("2 map 0.1 0.1\n10 map 0.5 0\n2 num_ret 1 4\n")
        lines = text("-q -Z means -m map -m num_ret").splitlines()
        assert lines[0] == "Znum_ret               \t10\t-1000000.0000"
        assert lines[1] == "Zmap                   \t10\t0.0000"
        assert lines[2] == "Znum_ret               \t2\t0.5000"
        assert lines[3] == "Zmap                   \t2\t0.6667"
        assert stopped("-Z none qrels run").code == 255

    def test_long_options_and_options_after_files(self) -> None:
        short = text("-q -n -c -l 1 -m map")
        flags = "--query_eval_wanted --nosummary --complete_rel_info_wanted --level_for_rel=1 --measure map"
        assert output(["qrels", "run", *flags.split()]) == short
        assert text("-o --Debug_level 2 -cqnmmap") == short

    def test_standard_input(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
        assert output(["-m", "runid", "qrels", "-"]) == "runid                 \tall\ttwo\n"
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"10 Q0 a 1 x t\n")))
        found = stopped("qrels -")
        assert found.messages == ("trec_eval.get_results: Malformed line 1", "trec_eval: Quit in file '-'")
        assert found.reason == "standard input:1: the score is 'x', expected a finite number"

    def test_the_runid_of_compressed_runs_and_of_odd_ends(self) -> None:
        Path("run").write_bytes(gzip.compress((RUN + "# end\n\n").encode()))
        assert printed("-m runid") == [["runid", "all", "two"]]
        Path("run").write_text(RUN + " \n#\n" + "\n" * 100)
        assert printed("-m runid") == [["runid", "all", "two"]]


@pytest.mark.usefixtures("folder")
class TestVersions:
    def test_single_precision(self) -> None:
        Path("qrels").write_text("1 0 a 1\n1 0 b 2\n")
        Path("run").write_text("1 Q0 a 1 16777217 t\n1 Q0 b 2 16777216 t\n")
        assert printed("-q -n -m relstring")[0][2] == "'12'"
        assert printed("-q -n -m relstring --compat=9")[0][2] == "'21'"

    def test_recall_points(self) -> None:
        Path("qrels").write_text("1 0 a 1\n1 0 b 1\n1 0 c 1\n1 0 d 1\n")
        Path("run").write_text("1 Q0 a 1 9 t\n1 Q0 x 2 8 t\n1 Q0 b 3 7 t\n")
        point = "-m iprec_at_recall.0.3"
        assert printed(point) == [["iprec_at_recall_0.30", "all", "1.0000"]]
        assert printed(f"--compat 9 {point}") == [["iprec_at_recall_0.30", "all", "0.6667"]]

    def test_measures_of_ten(self) -> None:
        ten, nine = (
            {line[0] for line in printed(f"-m all_trec -q --compat {version}")} for version in (10, 9)
        )
        assert ten - nine == {"rbp", "rbp_resid", "unj_5", "unj_10", "unj_20"}
        assert ten == {line[0] for line in printed("-m all_trec -q")}
        assert stopped("--compat 9 -m dcg qrels run").messages == ("trec_eval: illegal measure 'dcg'",)
        assert stopped("--compat 8 qrels run").code == 1


@pytest.mark.usefixtures("folder")
class TestBugsOfTen:
    """Known bugs of trec_eval 10 are not copied; docs/trec_eval.md lists them."""

    def test_rbp_has_its_scale(self) -> None:
        """The grade 2 at rank 3 is the highest of its topic, so its gain is 1: (1 - 0.9) 0.9^2."""
        assert printed("-q -n -m rbp")[1] == ["rbp", "2", "0.0810"]

    def test_comments_anywhere(self) -> None:
        Path("qrels").write_text("# one\n# two\n" + QRELS + "# three\n")
        assert printed("-m num_q") == [["num_q", "all", "2"]]

    def test_a_topic_with_nothing_judged(self) -> None:
        Path("qrels").write_text("2 0 c -1\n" + "10 0 a 1\n")
        assert printed("-q -n -m num_rel -m bpref") == [
            ["num_rel", "10", "1"],
            ["bpref", "10", "1.0000"],
            ["num_rel", "2", "0"],
            ["bpref", "2", "0.0000"],
        ]

    def test_a_level_above_all_grades(self) -> None:
        assert printed("-l9 -m bpref -m num_rel") == [
            ["num_rel", "all", "0"],
            ["bpref", "all", "0.0000"],
        ]

    def test_gains_that_differ_by_less_than_one(self) -> None:
        """The ideal ranking is sorted by them: the best document first is the best possible."""
        Path("qrels").write_text("1 0 a 1\n1 0 b 2\n")
        Path("run").write_text("1 Q0 b 1 9 t\n1 Q0 a 2 8 t\n")
        assert printed("-m ndcg.1=0.3,2=0.9") == [["ndcg_1=0.3,2=0.9", "all", "1.0000"]]

    def test_a_short_ranking_has_a_residual(self) -> None:
        assert printed("-q -n -m rbp_resid")[0] == ["rbp_resid", "10", "0.8100"]


CANNOT = "trec_eval: Cannot initialize measure"
FAILED = "trec_eval: Can't calculate measure"
QUIT = "trec_eval: Quit in file"
USAGE = "Usage: trec_eval [-h] [-q] {-m measure}* trec_rel_file trec_top_file"
BAD: dict[str, tuple[int, list[str]]] = {
    "": (1, [USAGE]),
    "a b c": (1, [USAGE]),
    "-x qrels run": (1, ["trec_eval: invalid option -- 'x'", USAGE]),
    "--x qrels run": (1, ["trec_eval: unrecognized option '--x'", USAGE]),
    "-m": (1, ["trec_eval: option requires an argument -- 'm'", USAGE]),
    "--measure": (1, ["trec_eval: option '--measure' requires an argument", USAGE]),
    "--help=1": (1, ["trec_eval: option '--help' doesn't allow an argument", USAGE]),
    "--Re x": (
        1,
        [
            "trec_eval: option '--Re' is ambiguous; possibilities: '--Rel_info_format' '--Results_format'",
            USAGE,
        ],
    ),
    "-m nothing.5 qrels run": (1, ["trec_eval: illegal measure 'nothing'"]),
    "-m P. qrels run": (
        1,
        ["trec_eval: improper measure in parameter 'P'", "trec_eval: illegal measure 'P'"],
    ),
    "-m P.x qrels run": (2, ["trec_eval: Negative cutoff detected", f"{CANNOT} 'P'"]),
    "-m P.5,5 qrels run": (2, ["trec_eval: duplicate cutoffs detected", f"{CANNOT} 'P'"]),
    "-m G.1 qrels run": (2, ["trec_eval: malformed pair parameters in '1'", f"{CANNOT} 'G'"]),
    "-m G.-1=2 qrels run": (2, [f"{CANNOT} 'G'"]),
    "-m set_F.-1 qrels run": (2, [f"{CANNOT} 'set_F'"]),
    "-m utility.1 qrels run": (
        4,
        ["trec_eval.calc_utility: improper number of coefficients", f"{FAILED} 'utility'"],
    ),
    "-l -1 qrels run": (1, []),
    "-R prefs qrels run": (2, ["trec_eval: Illegal rel_format 'prefs'"]),
    "-T x qrels run": (2, ["trec_eval: Illegal retrieval results format 'x'"]),
    "-m prefs qrels run": (4, [f"{FAILED} 'prefs_num_prefs_poss'"]),
    "none run": (2, ["trec_eval.get_qrels: Cannot read qrels file 'none'", f"{QUIT} 'none'"]),
    "qrels none": (2, ["trec_eval.get_results: Cannot read results file 'none'", f"{QUIT} 'none'"]),
    "qrels empty": (2, ["trec_eval.get_results: Cannot read results file 'empty'", f"{QUIT} 'empty'"]),
    "strata run": (2, ["trec_eval.get_qrels: Malformed line 1", f"{QUIT} 'strata'"]),
    "qrels short": (2, ["trec_eval.get_results: Malformed line 2", f"{QUIT} 'short'"]),
    "qrels twice": (4, [f"trec_eval.form_res_qrels: duplicate docs a{FAILED} 'num_ret'"]),
    "-m map double run": (4, ["trec_eval.form_res_rels: duplicate docs a", f"{FAILED} 'map'"]),
    "qrels other": (7, ["trec_eval: No queries with both results and relevance info"]),
    "qrels \x1b[31mrun": (
        2,
        ["trec_eval.get_results: Cannot read results file '\\x1b[31mrun'", f"{QUIT} '\\x1b[31mrun'"],
    ),
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("line", BAD)
def test_messages_and_exit_codes(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Our own reason follows; no message has a control character."""
    Path("empty").touch()
    Path("strata").write_text("10 0 a 1 1\n")
    Path("short").write_text("10 Q0 a 1 2 t\n10 Q0 b\n")
    Path("twice").write_text("10 Q0 a 1 2 t\n10 Q0 a 2 1 t\n")
    Path("double").write_text("10 0 a 1\n10 0 a 0\n")
    Path("other").write_text("7 Q0 a 1 2 t\n")
    code, messages = BAD[line]
    with pytest.raises(SystemExit) as end:
        main(line.split())
    out, err = capsys.readouterr()
    assert (end.value.code, out) == (code, "")
    said = [one for one in err.splitlines() if not one.startswith(("unjudged: ", "   "))]
    assert all(one.startswith(message) for one, message in zip(said, messages, strict=True))
    assert "\x1b" not in err


@pytest.mark.usefixtures("folder")
def test_our_reason_follows_the_messages(capsys: pytest.CaptureFixture[str]) -> None:
    Path("run").write_text("10 Q0 a 1 abc t\n")
    with pytest.raises(SystemExit):
        main(["qrels", "run"])
    assert capsys.readouterr().err.splitlines()[-1] == (
        "unjudged: run:1: the score is 'abc', expected a finite number"
    )


@pytest.mark.usefixtures("folder")
def test_both_commands(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    expected = output(["qrels", "run"]).encode()
    unjudged(["trec_eval", "qrels", "run"])
    assert capfdbinary.readouterr().out == expected
    code = "from unjudged.compat.trec_eval import main; main()"
    found = subprocess.run([sys.executable, "-c", code, "qrels", "run"], capture_output=True, check=True)
    assert found.stdout == expected


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["-v"])
    assert end.value.code == 0
    assert capsys.readouterr().err.startswith("trec_eval version 10.0 (unjudged ")
    text = output(["-h", "-m", "map", "-m", "runid", "-m", "P"])
    assert "--compat 9|10" in text
    assert "map, here AP\nAverage precision:" in text
    assert "runid\nThe last column" in text
    assert text.count("Precision at k:") == 1


@pytest.mark.usefixtures("folder")
def test_bytes_that_are_not_utf_8(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    Path("qrels").write_bytes(b"\xff 0 a 1\n")
    Path("run").write_bytes(b"\xff Q0 a 1 1 \xfe\n")
    main(["-q", "-m", "recip_rank", "-m", "runid", "qrels", "run"])
    assert capfdbinary.readouterr().out == (
        b"recip_rank            \t\xff\t1.0000\n"
        b"runid                 \tall\t\xfe\n"
        b"recip_rank            \tall\t1.0000\n"
    )
