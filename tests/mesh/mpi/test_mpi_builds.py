"""How C programs over MPI are built, and what they have of C: a stack, a status, clocks."""
import os
import re

import pytest

from mesh_tool import BUILD, console, mesh
from mpi_programs import program_of, said_by, written

DEEP = """
int deep(int level) {
    volatile char room[512];
    room[level % 512] = (char)level;
    return deep(level + 1) + room[0];
}
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        printf("%d\\n", deep(0));
    MPI_Finalize();
    return 0;
}
"""


@pytest.mark.parametrize("engine", ["sim", "qemu"])
def test_a_full_stack_ends_its_node_alone_and_is_named(engine, tmp_path):
    outcome = mesh("run", "--engine", engine, "--dim", 2, "--app", written(tmp_path, DEEP))
    assert outcome.status == 1, outcome
    assert re.search(r"node 1: firmware stopped: stack overflow, \S.*deep, \S+some\.c:\d+",
                     outcome.err), outcome
    assert not re.search(r"node [023]: firmware stopped", outcome.err), outcome


def test_the_status_of_main_is_the_verdict_of_its_node(tmp_path):
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app",
                   written(tmp_path, program_of("value = rank;")))
    assert outcome.status == 1 and re.search(r"node 1\b.*failed", outcome.err), outcome


@pytest.mark.parametrize("engine", [["sim"], ["qemu", "--lockstep"]])
def test_a_c_program_with_warnings_is_built_and_they_are_shown(engine, tmp_path):
    file = written(tmp_path, program_of("int unused; long most = 7; printf(\"%u\\n\", most);"))
    outcome = mesh("run", "--engine", *engine, "--dim", 1, "--app", file)
    assert outcome.status == 0 and console(outcome) == {0: ["7"], 1: ["7"]}, outcome
    for warning in ("[-Wunused-variable]", "[-Wformat=]"):
        assert warning in outcome.err, outcome
    strict = mesh("build", "--strict-warnings", file, "-o", tmp_path / "strict")
    assert strict.status == 2 and "[-Werror=unused-variable]" in strict.err, strict


def test_a_program_without_main_or_app_main_is_refused(tmp_path):
    outcome = mesh("build", written(tmp_path, "int other(void) { return 1; }"), "-o",
                   tmp_path / "some")
    assert outcome.status == 2, outcome
    assert "no file has the function `mesh::Process app_main(mesh::Kernel& node)`, or main()" in (
        outcome.err), outcome


def test_a_program_is_built_again_when_a_library_is_newer(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    file = written(tmp_path, program_of("value = 0;"))
    os.utime(file, (1, 1))
    run = ("run", "--engine", "sim", "--dim", 1, "--app", file)
    assert mesh(*run).status == 0
    program, = (one for one in (tmp_path / "meshputer").iterdir() if one.suffix != ".files")
    built = program.stat().st_mtime
    assert mesh(*run).status == 0 and program.stat().st_mtime == built
    older = (BUILD / "host" / "libstate.a").stat().st_mtime - 0.01
    os.utime(program, (older, older))
    assert mesh(*run).status == 0 and program.stat().st_mtime > older


CLOCKS = """
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int main(void) {
    struct timeval before, after;
    char *copy = strdup("copy");
    gettimeofday(&before, NULL);
    sleep(2);
    usleep(500000);
    gettimeofday(&after, NULL);
    srand((unsigned)time(NULL));
    printf("%s %d %d\\n", copy, (int)time(NULL),
           (int)((after.tv_sec - before.tv_sec) * 10 + (after.tv_usec - before.tv_usec) / 100000));
    free(copy);
    while (clock() < 3 * CLOCKS_PER_SEC) {}
    return 0;
}
"""


@pytest.mark.parametrize("engine", ["sim", "qemu"])
def test_the_time_of_c_is_model_time(engine, tmp_path):
    outcome = mesh("run", "--engine", engine, "--lockstep", "--dim", 1, "--app",
                   written(tmp_path, CLOCKS))
    assert said_by(outcome, 0) == ["copy 1700000003 25"] == said_by(outcome, 1)
