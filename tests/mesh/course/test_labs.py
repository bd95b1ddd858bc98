"""The labs of the course: solutions earn all points, each typical mistake is told in its own words.

A wrong answer is a patch of the solution, tests/labs/LAB/NAME.diff, or of the solution in C in
LAB/solution-c/, LAB/NAME.c.diff or LAB/NAME.h.diff. It begins with what the grader says of the
answer, and with the check that it loses; `diff -U0 -p` makes the rest:

    SAYS: is never fed
    LOSES: from other nodes

An answer that does not do the task, but prints what a formula, a constant or a call of the library
gives, is a whole file, LAB/shams/NAME, which begins with the most that it may earn:

    // EARNS: 0
    // SAYS: which this check forbids

The gate has a few of them, always the same; all are in `make test-labs` and `make test-all`.
"""
import json
import re
import shlex
import shutil
import subprocess
import xml.etree.ElementTree

import pytest

import seeds
from mesh_tool import MESH, ROOT, mesh, refused

LABS = sorted(path.parent for path in ROOT.glob("firmware/labs/*/check.toml"))
ANSWERS = ROOT / "tests" / "labs"
SOLUTIONS = {"c++": "solution", "c": "solution-c"}
LEAST_WRONG = 5
LEAST_SHAMS = 6
MARK = re.compile(r"^(.+?) +(\d+) of (\d+) +(OK|FAILED) \(\d+\.\d s\)$", re.M)
RING = "02-ring"


def wrong_answers():
    return [(lab, path) for lab in LABS for path in sorted((ANSWERS / lab.name).iterdir())
            if path.is_file()]


def shams():
    return [(lab, path) for lab in LABS
            for path in sorted((ANSWERS / lab.name / "shams").glob("*"))]


ANSWERED = [(lab, language) for lab in LABS for language, folder in SOLUTIONS.items()
            if (ANSWERS / lab.name / folder).is_dir()]


def language_of(path):
    return "c" if {".c", ".h"} & set(path.suffixes) else "c++"


def answer_of(lab, wrong):
    """The name of the file that a student hands in, and the text of a wrong one."""
    [solution] = (ANSWERS / lab.name / SOLUTIONS[language_of(wrong)]).iterdir()
    done = subprocess.run(["patch", "--fuzz=0", "-o", "-", solution, wrong], capture_output=True,
                          text=True)
    assert done.returncode == 0, (wrong, done.stdout, done.stderr)
    return solution.name, done.stdout


def pytest_generate_tests(metafunc):
    """All of a kind, and how many of it are in the gate."""
    for what, pairs, count in (("solved", ANSWERED, 2), ("begun", ANSWERED, 1),
                               ("told", [(lab, "c++") for lab in LABS], 2),
                               ("wrong", wrong_answers(), 4), ("sham", shams(), 3)):
        if what not in metafunc.fixturenames:
            continue
        gate = seeds.draw_of(seeds.GATE[0], "labs", what).sample(pairs, count)
        metafunc.parametrize(what, [pytest.param(
            pair, id=f"{pair[0].name}/{getattr(pair[1], 'name', pair[1])}",
            marks=() if pair in gate else pytest.mark.costly) for pair in pairs])


def start(lab, folder, language="c++"):
    """A student's folder, as `mesh lab start` makes it."""
    done = mesh("lab", "start", lab.name, folder, "--language", language)
    assert done.status == 0 and done.out.startswith(f"{folder}: "), done
    return folder


def solve(lab, folder, language="c++"):
    for path in (ANSWERS / lab.name / SOLUTIONS[language]).iterdir():
        shutil.copy(path, folder / path.name)


def marks(outcome):
    """{check: points}, after a look at the totals."""
    found = MARK.findall(outcome.out)
    assert found, outcome
    total = f"{sum(int(got) for _, got, _, _ in found)} of {sum(int(of) for _, _, of, _ in found)}"
    assert outcome.out.splitlines()[-1].endswith(f": {total} points"), outcome
    for name, got, of, word in found:
        assert int(got) == (int(of) if word == "OK" else 0), outcome
    return {name: int(got) for name, got, _, _ in found}


@pytest.mark.toolchain
def test_a_solution_earns_all_points(solved, tmp_path):
    lab, language = solved
    folder = start(lab, tmp_path / "mine", language)
    solve(lab, folder, language)
    outcome = mesh("grade", folder)
    assert outcome.status == 0 and "FAILED" not in outcome.out, outcome
    assert sum(marks(outcome).values()) == 100, outcome
    assert not (folder / "failed.html").exists()


def test_what_a_lab_begins_with_compiles_and_earns_nothing(begun, tmp_path):
    lab, language = begun
    outcome = mesh("grade", start(lab, tmp_path / "mine", language))
    assert outcome.status == 1 and sum(marks(outcome).values()) == 0, outcome
    assert "error: " not in outcome.err and "    repeat: " in outcome.out, outcome


def test_a_wrong_answer_loses_points_and_is_told_why(wrong, tmp_path):
    lab, path = wrong
    says, loses = re.match(r"SAYS: (.+)\nLOSES: (.+)\n", path.read_text()).groups()
    folder = start(lab, tmp_path / "mine", language_of(path))
    name, text = answer_of(lab, path)
    (folder / name).write_text(text)
    outcome = mesh("grade", folder)
    assert outcome.status == 1, outcome
    lost = [name for name, points in marks(outcome).items() if points == 0]
    assert any(name.startswith(loses) for name in lost), outcome
    reasons = outcome.out.split(f"\n{loses}", 1)[-1]
    assert says in reasons, outcome


def test_an_answer_that_does_not_do_the_task_earns_nothing(sham, tmp_path):
    lab, path = sham
    head = r"/. EARNS: (\d+)\n.. +SAYS: (.+?)(?: \*/)?\n"
    earns, says = re.match(head, path.read_text()).groups()
    folder = start(lab, tmp_path / "mine", language_of(path))
    shutil.copy(path, folder / f"answer{path.suffix}")
    outcome = mesh("grade", folder)
    assert outcome.status == 1 and sum(marks(outcome).values()) <= int(earns) < 100, outcome
    assert says in outcome.out, outcome


def test_secrets_are_new_at_each_grade_and_the_same_for_one_variant(tmp_path):
    """What a wrong ring prints is its secrets."""
    folder = start(ROOT / "firmware/labs" / RING, tmp_path / "mine")
    (folder / "answer.cpp").write_text(
        '#include "meshputer.hpp"\nmesh::Process app_main(mesh::Kernel& node) {\n'
        '    mesh::print("{}\\n", mesh::word<unsigned>(node, 0, 1000000));\n'
        "    co_return mesh::Status::ok;\n}\n")

    def said(*options):
        outcome = mesh("grade", folder, *options)
        variant = re.search(r"^variant (.+?): ", outcome.out, re.M).group(1)
        return variant, re.findall(r"node 0 says '(\d+)'", outcome.out)

    first, second = said(), said()
    assert first[0] != second[0] and first[1] != second[1]
    assert said("--variant", first[0]) == first
    named = said("--variant", "Ada Lovelace")
    assert named == said("--variant", "Ada Lovelace") and named[0] == "Ada Lovelace"
    assert named[1] != said("--variant", "Charles")[1]


def test_a_lab_has_a_page_a_solution_and_five_wrong_answers_each_told_apart():
    assert LABS
    for lab in LABS:
        page = (lab / "README.md").read_text()
        assert re.match(r"# \S", page) and "**Goal.**" in page and "measurement" in page, lab
        begun = {language_of(path) for path in lab.glob("answer.*")}
        assert begun == {language for other, language in ANSWERED if other == lab}, lab
        wrong = [path for other, path in wrong_answers() if other == lab]
        assert len(wrong) >= LEAST_WRONG, lab
        assert len([path for other, path in shams() if other == lab]) >= LEAST_SHAMS, lab
        texts = {answer_of(lab, path)[1] for path in wrong}
        assert len(texts) == len(wrong), lab
        points = re.findall(r"^points = (\d+)$", (lab / "check.toml").read_text(), re.M)
        assert sum(map(int, points)) == 100, lab
        hints = re.findall(r"^hint = \"section '(.+?)'", (lab / "check.toml").read_text(), re.M)
        assert len(hints) == len(points), lab
        for section in hints:
            assert re.search(rf"^## {re.escape(section)}", page, re.M), (lab, section)


def test_the_checks_of_the_lab_on_drivers_are_claims_that_boards_are_asked():
    suite = (ROOT / "tests/conform/conform.cpp").read_text()
    claims = re.findall(r"^TEST_F\(Conform, (\w+)\)", suite, re.M)
    text = (ROOT / "firmware/labs/13-driver/check.toml").read_text()
    checks = ["".join(word.capitalize() for word in name.split())
              for name in re.findall(r'^\["(.+)"\]$', text, re.M)]
    assert len(checks) == 7 and set(checks) <= set(claims)


@pytest.mark.toolchain
def test_the_commands_of_a_page_work_in_the_folder_of_a_student(told, tmp_path):
    lab, _ = told
    folder = start(lab, tmp_path / "mine")
    solve(lab, folder)
    for block in re.findall(r"^```sh\n(.*?)^```$", (lab / "README.md").read_text(), re.M | re.S):
        script = f"mesh() {{ {shlex.quote(str(MESH))} \"$@\"; }}\nset -e\n{block}"
        done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True,
                              timeout=120, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, (block, done)


def test_labs_are_listed_by_number_with_their_titles():
    listed = mesh("lab", "list").out.splitlines()
    assert [line.split()[0] for line in listed] == [lab.name for lab in LABS]
    for lab, line in zip(LABS, listed):
        assert line.endswith((lab / "README.md").read_text().splitlines()[0].removeprefix("# "))


@pytest.fixture(scope="module")
def ring(tmp_path_factory):
    """The ring as it is given, which stands still."""
    return start(ROOT / "firmware/labs" / RING, tmp_path_factory.mktemp("ring") / "mine")


def test_a_grade_is_written_for_graders_and_shows_the_run_that_failed(ring, tmp_path):
    outcome = mesh("grade", ring, "--json", tmp_path / "g.json", "--junit", tmp_path / "g.xml")
    grade = json.loads((tmp_path / "g.json").read_text())
    assert grade["lab"] == RING and (grade["points"], grade["of"]) == (0, 100)
    first = grade["checks"][0]
    assert first["points"] == 0 and "a circle" in first["reason"], first
    assert first["page"] == f"{ring}/failed.html" and "<html" in (ring / "failed.html").read_text()
    again = subprocess.run(shlex.split(first["repeat"]), capture_output=True, text=True,
                           timeout=120, stdin=subprocess.DEVNULL)
    assert again.returncode == 1 and "a circle" in again.stderr, again
    suite = xml.etree.ElementTree.parse(tmp_path / "g.xml").getroot()
    assert suite.get("failures") == str(len(grade["checks"]))
    assert outcome.out.count("    look: ") == 1, "one page, that of the first failure"


def test_a_program_that_does_not_compile_is_said_once_with_the_compilers_words(ring, tmp_path):
    folder = shutil.copytree(ring, tmp_path / "broken")
    (folder / "answer.cpp").write_text("int main_is_missing;\nnot C++\n")
    outcome = mesh("grade", folder, "--json", tmp_path / "g.json", "--junit", tmp_path / "g.xml")
    assert outcome.status == 1 and "answer.cpp:2" in outcome.err, outcome
    assert outcome.out.count("does not compile: ") == 1, outcome
    assert "not tried, since it does not compile" in outcome.out, outcome
    assert sum(marks(outcome).values()) == 0, outcome
    first = json.loads((tmp_path / "g.json").read_text())["checks"][0]
    assert "answer.cpp:2" in first["reason"] and "not C++" in first["compiler"], first
    failure = xml.etree.ElementTree.parse(tmp_path / "g.xml").find(".//failure")
    assert failure.get("message") == first["reason"]


def read_by_gradescope(path):
    """The results, after a look at the form that Gradescope takes."""
    results = json.loads(path.read_text())
    assert results["visibility"] == "visible" and results["execution_time"] >= 0, results
    assert results["score"] == sum(test["score"] for test in results["tests"]), results
    for test in results["tests"]:
        right = test["status"] == "passed"
        assert right or test["status"] == "failed", test
        assert test["score"] == (test["max_score"] if right else 0), test
        assert test["name"] and bool(test["output"]) != right, test
        assert "failed.html" not in test["output"] and str(MESH) not in test["output"], test
    return results


def test_a_grade_for_gradescope_has_a_test_for_each_check(tmp_path):
    lab = ROOT / "firmware/labs" / RING
    folder = start(lab, tmp_path / "mine")
    (folder / "answer.cpp").write_text(answer_of(lab, ANSWERS / RING / "a_round_short.diff")[1])
    results = tmp_path / "results.json"
    outcome = mesh("grade", folder, "--gradescope", results, "--variant", "Ada")
    read = read_by_gradescope(results)
    assert {test["name"]: test["score"] for test in read["tests"]} == marks(outcome)
    assert "that is wrong" in read["tests"][0]["output"], read
    assert "\nhint: section '" in read["tests"][0]["output"], read
    assert read["output"] == f"lab {RING}\nvariant Ada\n", read
    solve(lab, folder)
    mesh("grade", folder, "--gradescope", results)
    assert read_by_gradescope(results)["score"] == 100
    (folder / "answer.cpp").write_text("not C++\n")
    mesh("grade", folder, "--gradescope", results)
    first, second, *_ = read_by_gradescope(results)["tests"]
    assert "answer.cpp:1" in first["output"] and "not C++" in first["output"], first
    assert second["output"] == "not tried, since it does not compile\n", second
    (folder / "answer.cpp").unlink()
    why = "no such file, and it is what is to be graded"
    refused(mesh("grade", folder, "--lab", RING, "--gradescope", results), why)
    read = read_by_gradescope(results)
    assert read["tests"] == [] and read["score"] == 0 and why in read["output"], read
    refused(mesh("grade", folder, "--gradescope", "-"), "--gradescope -: standard output has")


def graded(lab, answer, folder):
    """The grade of this text as the answer of a lab in C++."""
    start(ROOT / "firmware/labs" / lab, folder)
    (folder / "answer.hpp").write_text(answer)
    return mesh("grade", folder)


def solution_of(lab, old="", new=""):
    text = (ANSWERS / lab / "solution" / "answer.hpp").read_text()
    assert old in text, lab
    return text.replace(old, new, 1)


def test_after_a_check_without_end_no_other_is_tried(tmp_path):
    outcome = graded("07-sums", solution_of("07-sums", "    sum = mine;\n",
                                            "    for (volatile unsigned i = 0; i < 1;)\n"
                                            "        sum = mine;\n"), tmp_path / "mine")
    assert sum(marks(outcome).values()) == 0, outcome
    assert outcome.out.count("not tried, since 'the sum of all, at 8 nodes' did not end") == 3
    assert "hint: the line that is named: what would end its loop?" in outcome.out, outcome


def test_a_line_that_begins_as_a_note_is_shown_and_not_graded(tmp_path):
    noted = 'sum = mine;\n    print("note: I have {}\\n", mine);\n'
    outcome = graded("07-sums", solution_of("07-sums", "sum = mine;\n", noted), tmp_path / "mine")
    assert sum(marks(outcome).values()) == 100, outcome


def test_a_warning_is_told_once_and_costs_nothing(tmp_path):
    folder = tmp_path / "mine"
    start(ROOT / "firmware/labs/07-sums", folder)
    (folder / "answer.hpp").write_text(solution_of("07-sums", "sum = mine;",
                                                   "int left = 3; sum = mine;"))
    outcome = mesh("grade", folder, "--json", tmp_path / "g.json", "--gradescope",
                   tmp_path / "s.json")
    assert sum(marks(outcome).values()) == 100, outcome
    [warning] = json.loads((tmp_path / "g.json").read_text())["warnings"]
    assert re.search(r"answer\.hpp:2:\d+: warning: unused variable 'left'", warning), warning
    assert outcome.err == f"{warning}\n", outcome
    assert f"\n{warning}\n" in read_by_gradescope(tmp_path / "s.json")["output"]


def test_the_cause_is_told_before_what_follows_from_it(tmp_path):
    outcome = graded("14-broadcast", solution_of("14-broadcast", "std::byte, kPacketBytes> packet",
                                                 "std::byte, 64> packet"), tmp_path / "short")
    reason = outcome.out.splitlines()[1]
    assert re.match(r" +with dim=2: nodes 1 2 ended with: truncated", reason), outcome
    assert "the same as in 'over a tree" in outcome.out, outcome


def test_an_outbox_without_flush_is_told_as_such(tmp_path):
    outcome = graded("14-broadcast",
                     solution_of("14-broadcast", "first_failure(status, co_await outbox.flush())",
                                 "status"), tmp_path / "mine")
    assert "gave up an Outbox with" in outcome.out.splitlines()[1], outcome
    assert "flush()" in outcome.out and "own verdict" not in outcome.out, outcome


def test_a_rule_for_one_root_earns_the_points_of_that_root(tmp_path):
    lab = ROOT / "firmware/labs/01-addresses"
    text = answer_of(lab, ANSWERS / lab.name / "root_forgotten.diff")[1]
    assert list(marks(graded(lab.name, text, tmp_path / "mine")).values()) == [30, 0, 25, 0]


def test_a_bit_of_zero_is_told_as_such(tmp_path):
    outcome = graded("12-router", solution_of("12-router", "index(self) ^ index(to)", "index(to)"),
                     tmp_path / "mine")
    assert "0 has no one-bit" in outcome.out and "answer.hpp:2" in outcome.out, outcome
    assert "expectation_broken" not in outcome.out, outcome
    outcome = graded("01-addresses", solution_of("01-addresses", "bits_above(relative)",
                                                 "~low_bits(highest_bit(relative))"),
                     tmp_path / "rule")
    assert "0 has no one-bit" in outcome.out, outcome


def test_what_is_expected_is_not_given_away(tmp_path):
    lab = ROOT / "firmware/labs" / RING
    folder = start(lab, tmp_path / "mine")
    (folder / "answer.cpp").write_text(answer_of(lab, ANSWERS / RING / "a_round_short.diff")[1])
    outcome = mesh("grade", folder)
    assert re.search(r"node 0 says '\d+' in its line 1, and that is wrong", outcome.out), outcome
    assert ", not '" not in outcome.out + outcome.err, outcome


def test_a_node_that_ends_the_whole_run_earns_nothing(ring, tmp_path):
    folder = shutil.copytree(ring, tmp_path / "exits")
    (folder / "answer.cpp").write_text(
        '#include "meshputer.hpp"\n#include <unistd.h>\n'
        "mesh::Process app_main(mesh::Kernel&) {\n"
        "    _exit(0);\n    co_return mesh::Status::ok;\n}\n")
    outcome = mesh("grade", folder)
    assert outcome.status == 1 and sum(marks(outcome).values()) == 0, outcome


def test_what_a_lab_gives_must_stay_as_it_is(tmp_path):
    lab = next(lab for lab in LABS if (lab / "given.cpp").exists())
    folder = start(lab, tmp_path / "mine")
    with (folder / "given.cpp").open("a") as file:
        file.write("// a word more\n")
    why = "is given, and not to be changed; copy it again from"
    refused(mesh("grade", folder, "--json", tmp_path / "g.json", "--junit", tmp_path / "g.xml"),
            why)
    grade = json.loads((tmp_path / "g.json").read_text())
    assert grade["points"] == 0 and why in grade["reason"] and grade["folder"] == str(folder)
    failure = xml.etree.ElementTree.parse(tmp_path / "g.xml").find(".//failure")
    assert failure.get("message") == grade["reason"]
    (folder / "answer.hpp").unlink()
    refused(mesh("grade", folder), "no such file, and it is what is to be graded")


def test_files_that_an_editor_of_another_system_has_written_are_the_same_files(tmp_path):
    folder = start(ROOT / "firmware/labs" / "06-grid", tmp_path / "mine")
    solve(ROOT / "firmware/labs" / "06-grid", folder)
    for path in (folder / "given.cpp", folder / "answer.hpp"):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert sum(marks(mesh("grade", folder)).values()) == 100


def test_a_lab_of_ones_own_is_a_folder_anywhere(tmp_path):
    shutil.copytree(ROOT / "firmware/labs" / RING, tmp_path / "99-own")
    check = tmp_path / "99-own" / "check.toml"
    check.write_text('engine = "sim"\napp = "answer.cpp"\n[only]\npoints = 7\ndim = 1\n')
    assert mesh("lab", "start", tmp_path / "99-own", tmp_path / "mine").status == 0
    outcome = mesh("grade", tmp_path / "mine")
    assert "99-own: 0 of 7 points" in outcome.out, outcome
    assert f"{RING}: " in mesh("grade", tmp_path / "mine", "--lab", RING).out
    check.write_text("[only]\ndim = 1\n")
    refused(mesh("grade", tmp_path / "mine"), "no points; a check has them: points = 10")
    check.write_text("[only]\npoints = 'many'\n")
    refused(mesh("grade", tmp_path / "mine"), "allowed: a number")
    check.write_text("[only]\npoints = 1\noutput = '28'\n")
    refused(mesh("grade", tmp_path / "mine"), "output '28': allowed: lines [node] text")
    check.write_text("[only]\npoints = 1\nstep-at-most = 1\n")
    refused(mesh("grade", tmp_path / "mine"), "steps-at-most")


@pytest.mark.parametrize("words, why", [
    (["lab", "start", "77", "new"], "allowed: its number, 01-addresses"),
    (["lab", "start", "1"], "mesh lab start 1: DIR is missing"),
    (["lab", "start", "2", "new", "--language", "ada"], "allowed: c++, c"),
    (["lab", "start", "1", "new", "--language", "c"], "those that have: 02-ring, 07-sums"),
    (["lab", "stop"], "mesh lab stop: allowed: list, or start LAB DIR"),
    (["lab", "start", "1", ROOT / "tests"], "is not empty: give a new folder"),
    (["grade", ROOT / "tests"], "begin by mesh lab start LAB DIR"),
])
def test_what_makes_no_sense_is_refused(words, why):
    refused(mesh(*words), why)
