"""The C library of a program with a main(): what it gives on a node is what the host's gives."""
import json
import os
import pty
import random
import re
import subprocess

import pytest

from mesh_tool import BUILD, ROOT, console, mesh, program, refused

GREENWICH = {"TZ": "GMT0", "PATH": "/usr/bin:/bin"}
DRAWN = random.Random(1)
TEXTS = {
    "numbers": "".join(f"{DRAWN.uniform(-1, 1) * 10 ** DRAWN.randint(-20, 20)!r}\n"
                       for _ in range(300)),
    "mixed": "12 3.5\n-7 1e3 0x10\n 3.14159265358979323846264338327950288 rest of 7\n\n" +
             "".join(f"{number} line {number} of 7, longer than the room for one\n"
                     for number in range(40)) + "no end",
    "long": "x" * 1023 + "\n" + "y" * 2048,
    "nothing": "",
}
WAYS = ["numbers", "words", "lines", "getline", "letters", "unlocked", "blocks", "places"]


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    """Builds a program of tests/mesh/programs with the host's compiler."""
    folder = tmp_path_factory.mktemp("native")
    compilers = json.loads((BUILD / "host" / "program.json").read_text())

    def build(name):
        made = folder / name
        source, = (ROOT / "tests/mesh/programs").glob(f"{name}.*")
        if not made.exists():
            compiler = compilers["cc" if source.suffix == ".c" else "cxx"]
            subprocess.run([compiler, "-O1", "-w", source, "-o", made], check=True)
        return made
    return build


def said_by(made, *words, **more):
    """The lines of a program of the host."""
    done = subprocess.run([made, *words], capture_output=True, text=True, check=True, timeout=60,
                          env=GREENWICH, **more)
    return (done.stdout + done.stderr).splitlines()


def run(engine, name, *words, options=(), ranks=1, stdin=subprocess.DEVNULL):
    outcome = mesh("run", "--engine", engine, "--lockstep", "--dim", 1, "--ranks", ranks, *options,
                   "--app", program(name), "--", *words, stdin=stdin)
    assert outcome.status == 0, outcome
    return console(outcome)


@pytest.mark.toolchain
def test_what_textbooks_take_from_the_c_library_gives_the_same_on_a_node(engine, native):
    assert run(engine, "c_library")[0] == said_by(native("c_library"))


@pytest.mark.toolchain
@pytest.mark.parametrize("way", WAYS)
def test_rank_0_reads_standard_input_as_a_program_of_the_host_does(engine, native, tmp_path, way):
    for name, text in TEXTS.items():
        file = tmp_path / name
        file.write_text(text)
        with file.open() as one, file.open() as other:
            assert run(engine, "reads", way, stdin=one).get(0, []) == \
                said_by(native("reads"), way, stdin=other), name


def test_standard_input_is_a_pipe_or_what_input_names(engine, tmp_path):
    (tmp_path / "input").write_text("1 2\n")
    with subprocess.Popen(["printf", "3 4 5"], stdout=subprocess.PIPE) as writer:
        told = run(engine, "reads", "numbers", stdin=writer.stdout)
    assert told[0] == ["numbers, please: 3 of sum 12, then -1"]
    told = run(engine, "reads", "numbers", options=["--input", tmp_path / "input"])
    assert told[0] == ["numbers, please: 2 of sum 3, then -1"]


@pytest.mark.parametrize("options", [(), ("--input", "-")])
def test_what_a_person_types_at_a_terminal_is_read_before_the_run(engine, options):
    master, terminal = pty.openpty()
    os.write(master, b"7 8\n\x04")
    told = run(engine, "reads", "numbers", options=options, stdin=terminal)
    assert told[0] == ["numbers, please: 2 of sum 15, then -1"]
    os.close(terminal)
    os.close(master)


def test_a_terminal_is_not_read_for_a_program_that_reads_nothing(engine):
    master, terminal = pty.openpty()
    assert run(engine, "mpi/hello", stdin=terminal)[0][0] == "rank 0 of 1: and 1 words"
    os.close(terminal)
    os.close(master)


def test_a_terminal_that_is_not_read_is_told(engine, tmp_path):
    (tmp_path / "data").write_text("1 2\n")
    master, terminal = pty.openpty()
    assert run(engine, "reads", "numbers", options=["--files", tmp_path], stdin=terminal)[0] == [
        "numbers, please: standard input is a terminal, which is not read: mesh run ... <FILE "
        "gives a file, --input - what you type before the run, to Ctrl-D", "0 of sum 0, then -1"]
    os.close(terminal)
    os.close(master)


def test_standard_input_of_other_ranks_is_at_its_end(engine, tmp_path):
    (tmp_path / "input").write_text("1 2\n")
    told = run(engine, "reads", "words", options=["--input", tmp_path / "input"], ranks=2)
    assert told == {0: ["<1>", "<2>", "at the end: 1"], 1: ["at the end: 1"]}


def test_rank_0_reads_numbers_for_all_also_over_links_that_lose(engine, tmp_path):
    (tmp_path / "input").write_text("".join(f"{number}\n" for number in range(200)))
    with (tmp_path / "input").open() as stdin:
        told = run(engine, "asks", ranks=2, stdin=stdin,
                   options=["--faults", "drop:0.1,corrupt:0.05"])
    ends = [f"{sum(range(200))} at node {rank}, the same" for rank in range(2)]
    assert told == {0: ["a number: " * 201 + "none", ends[0]], 1: [ends[1]]}


@pytest.mark.parametrize("way", WAYS)
def test_files_of_a_folder_are_read_by_every_rank(engine, native, tmp_path, way):
    (tmp_path / "sub").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "sub" / name).write_text(text)
    for name in TEXTS:
        told = run(engine, "reads", way, f"./sub/{name}", options=["--files", tmp_path], ranks=2)
        lines = said_by(native("reads"), way, tmp_path / "sub" / name)
        assert told == ({0: lines, 1: lines} if lines else {}), name


@pytest.mark.parametrize("name", ["missing", "../outside", "/etc/passwd", "sub/../inside", ""])
def test_a_program_opens_no_file_but_those_of_the_folder(engine, tmp_path, name):
    (tmp_path / "outside").write_text("1")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inside").write_text("2")
    told = run(engine, "reads", "numbers", name, options=["--files", tmp_path / "folder"])
    assert told[0] == [f"{name}: No such file or directory" if name
                       else "No such file or directory"]


def test_files_that_are_not_there_are_told_once_with_what_to_do(engine):
    told = run(engine, "opens", "data.txt", ranks=2)
    assert told[0] == told[1]
    assert told[0] == [
        'fopen("data.txt", "r") gives NULL: a node has no files of its own: mesh run --files DIR '
        'gives it those of a folder to read',
        "data.txt: No such file or directory",
        "data.txt: No such file or directory",
        'fopen("data.txt", "w") gives NULL: a node has no files to write: print it; mesh run --log '
        'DIR keeps what each node prints',
        "data.txt: Read-only file system",
        "data.txt: Read-only file system",
        "-1 -1 -1"]


@pytest.mark.parametrize("what, words", [("no/such", "No such file"), ("file", "Not a directory"),
                                         ("empty", "no file in it")])
def test_a_folder_that_has_no_files_is_refused(tmp_path, what, words):
    (tmp_path / "file").write_text("1")
    (tmp_path / "empty").mkdir()
    refused(mesh("run", "--engine", "sim", "--dim", 1, "--app", program("reads"), "--files",
                 tmp_path / what), words)


@pytest.mark.toolchain
def test_a_program_in_cxx_prints_what_it_does_on_the_host(engine, native, tmp_path):
    (tmp_path / "input").write_text("3 1.5 2.5 3 rest of it\nline two\n\nlast without end")
    with (tmp_path / "input").open() as stdin:
        told = run(engine, "cxx_library", stdin=stdin, ranks=2)
    with (tmp_path / "input").open() as stdin:
        assert told[0] == said_by(native("cxx_library"), stdin=stdin)
    assert told[1] == said_by(native("cxx_library"), stdin=subprocess.DEVNULL), "objects of its own"


@pytest.mark.toolchain
def test_a_program_in_cxx_uses_mpi(engine):
    outcome = mesh("run", "--engine", engine, "--lockstep", "--dim", 2, "--app", program("gathers"))
    assert outcome.status == 0, outcome
    told = {rank: [f"rank {rank} of 4, 0 ends"] for rank in range(1, 4)}
    assert console(outcome) == told | {0: ["rank 0 of 4, 10 ends", f"sum {sum(range(400))}"]}


def built(folder, engine, text, suffix="c"):
    (folder / f"some.{suffix}").write_text(text)
    return mesh("build", "--engine", engine, f"some.{suffix}", "-o", "some", cwd=folder)


CXX_CANNOT = {
    "thread": ("std::thread([] {}).join();", r"a rank has one thread|a node has no threads"),
    "fstream": ("std::ifstream file(\"x\");", r"cpp:[234]: .*fopen\(\) and fscanf\(\) read"),
    "random": ("std::random_device{}();", "a node has no chance"),
}


@pytest.mark.parametrize("header", CXX_CANNOT)
def test_what_a_node_cannot_do_in_cxx_is_told_with_its_line(engine, tmp_path, header):
    call, words = CXX_CANNOT[header]
    outcome = built(tmp_path, engine, f"#include <{header}>\nint main() {{\n    {call}\n}}\n",
                    suffix="cpp")
    assert outcome.status == 2 and re.search(words, outcome.err), outcome


def test_warnings_keep_no_program_in_cxx_with_a_main_from_being_built(engine, tmp_path):
    outcome = built(tmp_path, engine, "#include <cstdio>\nint main() {\n    int unused = 3;\n"
                    "    std::printf(\"%ld\\n\", 3);\n}\n", "cpp")
    assert outcome.status == 0, outcome
    assert "warning: unused variable" in outcome.err and "warning: format" in outcome.err, outcome


CANNOT = {
    "system(\"date\")": "a node runs this program and no other",
    "fork()": "a node runs this program and no other",
    "execvp(\"ls\", words)": "a node runs this program and no other",
    "pthread_create(0, 0, 0, 0)": "a rank has one thread: take more ranks",
    "sem_init(0, 0, 1)": "a rank has one thread",
    "socket(1, 2, 3)": "MPI_Send() and MPI_Recv() reach the other ranks",
    "open(\"x\", 0)": "mesh run --files DIR, which fopen() reads",
    "remove(\"x\")": "a node has no files but those of mesh run --files DIR",
    "mmap(0, 1, 1, 1, 1, 0)": "MPI_Win_create()",
    "alarm(1)": "MPI_Abort() ends all ranks",
}


@pytest.mark.parametrize("call", CANNOT)
def test_what_a_node_cannot_do_is_told_with_its_line_and_what_to_do(engine, tmp_path, call):
    name = call.split("(")[0]
    outcome = built(tmp_path, engine, f"int {name}();\n"
                    "static void work(char** words) {\n"
                    f"    {call};\n"
                    "}\n"
                    "int main(int count, char** words) {\n"
                    "    if (count > 9)\n"
                    "        work(words);\n"
                    "    return 0;\n"
                    "}\n")
    assert outcome.status == 2, outcome
    told = [line for line in outcome.err.splitlines() if line.startswith("mesh: ")]
    assert len(told) == 1 and told[0].startswith(f"mesh: some.c:3: {name}(): "), outcome
    assert CANNOT[call] in told[0], outcome


def test_a_program_has_functions_of_its_own_by_such_names(engine, tmp_path):
    (tmp_path / "other.c").write_text("int open(int x) { return x + 1; }\n")
    (tmp_path / "some.c").write_text(
        "#define _XOPEN_SOURCE 600\n#include <stdio.h>\n" # so that it has no getline()
        "int open(int);\nint wait(int x) { return 2 * x; }\n"
        "int getline(char* line) { return line != 0; }\n"
        "int main(int count, char** words) {\n"
        "    char line[9];\n"
        "    return wait(open(count)) - 4 + (scanf(\"%8s\", line) == -1) - getline(line);\n"
        "}\n")
    outcome = mesh("build", "--engine", engine, "some.c", "other.c", "-o", "some", cwd=tmp_path)
    assert outcome.status == 0, outcome
    outcome = mesh("run", "--engine", engine, "--dim", 1, "--ranks", 1, "--app", tmp_path / "some")
    assert outcome.status == 0, outcome
