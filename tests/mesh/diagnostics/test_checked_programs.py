"""Programs of `mesh build` are checked: whatever ends one names its node, cause and line."""
import re

import pytest

from mesh_tool import ROOT, mesh, program, refused

SOURCE = ROOT / "tests/mesh/programs/give_up.cpp"
THROWS = "the C++ library throws an exception, which no program can catch"
# What the words of give_up.cpp make a run say, and what the node prints.
ENDS = {
    "at": (THROWS, r"array::at: __n \(which is 4\) >= _Nm \(which is 4\)"),
    "operator": ("an assertion does not hold", r".*assertion `__n < this->size\(\)'"),
    "index": ("an index lies outside of its array", ""),
    "optional": ("an assertion does not hold", r".*assertion `this->_M_is_engaged\(\)'"),
    "terminate": ("the program called abort()", ""),
    "bits": (THROWS, r"bitset::test: __position \(which is 4\)"),
    "string": (THROWS, r"basic_string_view::substr: __pos \(which is 4\)"),
    "_exit": ("the program called exit(), which ends the node; its status was 0", ""),
    "_Exit": ("the program called exit(), which ends the node; its status was 0", ""),
    "system": ("it starts another program, which no node can", ""),
}
# On boards the containers' assertions have no words: newlib's C++ library calls abort().
ON_QEMU = {word: ENDS[word] for word in ("at", "index", "bits")} | {
    "operator": ("the program called abort(), in std::array", ""),
    "optional": ("the program called abort(), in std::", "")}
MAIN = "mesh::Process app_main(mesh::Kernel&) { co_return mesh::Status::ok; }\n"


def line_of(word):
    lines = SOURCE.read_text().splitlines()
    return next(number for number, text in enumerate(lines, 1) if text.endswith(f"// {word}"))


@pytest.mark.toolchain
@pytest.mark.parametrize("engine, word", [*(("sim", word) for word in ENDS),
                                          *(("qemu", word) for word in ON_QEMU)])
def test_what_ends_a_program_names_node_cause_and_line(tmp_path, engine, word):
    outcome = mesh("run", "--engine", engine, "--dim", 1, "--app", program("give_up"), "--", word,
                   cwd=tmp_path)
    words, printed = ENDS[word] if engine == "sim" else ON_QEMU[word]
    assert outcome.status == 1, outcome
    last = outcome.err.splitlines()[-1]
    assert last.startswith(f"mesh: node 1 firmware stopped: {words}"), outcome
    assert f"give_up.cpp:{line_of(word)}" in last, outcome
    assert re.search(rf"^\[1\] {printed}", outcome.out, re.M) or not printed, outcome
    assert list(tmp_path.iterdir()) == []


def test_a_series_counts_a_node_that_leaves_the_process_as_failed():
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", program("give_up"),
                   "--seed", "1..2", "--", "_exit")
    assert outcome.status == 1 and "0 verified, 2 failed" in outcome.out + outcome.err, outcome


@pytest.mark.parametrize("constructor, why", [
    ('A() { mesh::print("hello\\n"); }', "it prints before its node runs: in the constructor"),
    ("A() { *nowhere = 3; }", "no access to address 0x00000000, by a null pointer"),
    ("A() { std::abort(); }", "the program called abort()")])
def test_a_global_that_cannot_be_made_is_told_before_the_run(tmp_path, constructor, why):
    (tmp_path / "global.cpp").write_text(
        '#include "meshputer.hpp"\n#include <cstdlib>\nint* volatile nowhere = nullptr;\n'
        f"struct A {{ {constructor} }} a;\n{MAIN}")
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", tmp_path / "global.cpp")
    refused(outcome, "a global of the program cannot be made: " + why)


def test_a_main_function_of_another_type_does_not_compile(tmp_path):
    (tmp_path / "int.cpp").write_text('#include "meshputer.hpp"\n'
                                      "int app_main(mesh::Kernel&) { return 0; }\n")
    outcome = mesh("build", "int.cpp", "-o", "program", cwd=tmp_path)
    assert outcome.status == 2 and "ambiguating new declaration" in outcome.err, outcome


def test_the_place_of_inlined_functions_ends_with_the_program_s_own(engine):
    outcome = mesh("run", "--engine", engine, "--dim", 1, "--app", program("inlined"))
    last = outcome.err.splitlines()[-1]
    assert re.search(r"in f0, \S+:4, called from f1, \S+:5, called from f2, \S+:6, called from "
                     r"f3, \S+:7, called from app_main, \S*inlined\.cpp:16\b", last), outcome


@pytest.mark.parametrize("words", [[], ["again"]])
def test_who_writes_into_a_coroutine_that_has_ended_is_found_out(words):
    """When the program ends, and when the frame is taken again."""
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", program("late_writer"), "--",
                   *words)
    assert outcome.status == 1, outcome
    assert "something wrote into a variable of a coroutine that had ended" in outcome.err, outcome
    assert "must outlive it, in transfer, " in outcome.err, outcome
    assert "late_writer.cpp:" in outcome.err, outcome
