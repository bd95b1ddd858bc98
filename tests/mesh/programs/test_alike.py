"""Programs do the same on both engines: what the C library keeps, its numbers, its words."""
import re

from mesh_tool import console, mesh, program


def said(engine):
    outcome = mesh("run", "--engine", engine, "--dim", 2, "--app", program("alike"))
    assert outcome.status == 0, outcome
    return console(outcome)


def test_what_the_c_library_keeps_is_each_nodes_own_and_the_same_on_both_engines():
    sim, qemu = said("sim"), said("qemu")
    assert sim == qemu
    numbers = set()
    for lines in sim.values():
        assert lines[0] == sim[0][0], "every node begins with the same number"
        assert [re.match(r"part (\w+), ", line)[1] for line in lines[1:4]] == [
            "one", "two", "three"], lines
        numbers.add(tuple(lines[1:4]))
        assert lines[4:] == ["option x 7", "option s 12", "then rest", "nan nan none", "nan nan",
                             "far: Numerical result out of range",
                             "Numerical argument out of domain", "Function not implemented"]
    assert len(numbers) == 4, "every node has its own numbers after srand()"


def built(folder, engine, text, before=""):
    (folder / "some.cpp").write_text(before + '\n#include "meshputer.hpp"\n' + text +
                                     "\nmesh::Process app_main(mesh::Kernel&) "
                                     "{ co_return mesh::Status::ok; }\n")
    return mesh("build", "--engine", engine, "some.cpp", "-o", "some", cwd=folder)


def test_a_function_of_other_last_bits_is_told_in_one_line(engine, tmp_path):
    sway = "#include <cmath>\ndouble sway(double x) { return std::sin(x) + std::exp(x); }"
    outcome = built(tmp_path, engine, sway)
    assert outcome.status == 0, outcome
    assert re.fullmatch(r"note: some\.cpp: in sway: (sin|exp)\(\) is not the same in its last bits "
                        r"on a board and in a simulation: compare within a tolerance\n",
                        outcome.err), outcome
    roots = "#include <cmath>\ndouble root(double x) { return std::sqrt(x) + std::floor(x); }"
    outcome = built(tmp_path, engine, roots)
    assert outcome.status == 0 and outcome.err == "", outcome


def test_names_like_those_in_our_headers_are_the_programs_own(engine, tmp_path):
    names = "int result = 0, ready = 0, status = 0, kernel = 0, node = 0;"
    outcome = built(tmp_path, engine, "", before=names)
    assert outcome.status == 0 and outcome.err == "", outcome


def test_a_node_has_no_source_of_chance(engine, tmp_path):
    chance = "#include <random>\nunsigned drawn() { return std::random_device{}(); }"
    outcome = built(tmp_path, engine, chance)
    assert outcome.status == 2 and "in drawn: a node has no chance" in outcome.err, outcome
