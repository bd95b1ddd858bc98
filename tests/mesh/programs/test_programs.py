"""Programs of users: built anywhere, run on both engines, and told what is wrong with them."""
import os
import pathlib
import re
import shutil
import subprocess
import time

import pytest

from mesh_tool import BOARD, IMAGES, MESH, ROOT, console, mesh, program, refused

HEAD = '#include "meshputer.hpp"\n#include <cstdio>\n'
PARTS = {
    "app.cpp": HEAD + """
extern "C" int twice(int);
int more();
static int counter = 7;
mesh::Process app_main(mesh::Kernel& node) {
    static int calls = 0;
    counter += static_cast<int>(mesh::index(node.id()));
    const auto status = co_await mesh::barrier(node);
    ++calls;
    printf("%d %d %d %d\\n", counter, calls, twice(OFFSET), more());
    co_return status;
}
""",
    "more.cpp": "int work() { static int n; return ++n; } int more() { return work() + work(); }",
    "helper.c": '#include "offset.h"\nint twice(int a) { static int x = ZERO; x += a; '
                "return 2 * x; }",
    "include/offset.h": "#define ZERO 0\n",
}


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """Programs that are built on the way stay out of the user's own folder."""
    folder = tmp_path_factory.mktemp("cache")
    os.environ["XDG_CACHE_HOME"] = str(folder)
    yield
    del os.environ["XDG_CACHE_HOME"]
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A program of three files, far from the repository."""
    folder = tmp_path_factory.mktemp("program")
    write(folder, PARTS)
    built = mesh("build", "app.cpp", "more.cpp", "helper.c", "-o", "app", "-I", "include", "-D",
                 "OFFSET=21", "-O2", cwd=folder)
    assert (built.status, built.err) == (0, ""), built
    return folder / "app"


@pytest.mark.toolchain
def test_one_file_runs_on_both_engines_and_each_node_has_its_own_globals(own, engine):
    outcome = mesh("run", "--engine", engine, "--dim", 2, "--app", "./app", cwd=own.parent)
    assert outcome.status == 0, outcome
    assert console(outcome) == {node: [f"{7 + node} 1 42 3"] for node in range(4)}, outcome


def test_a_thousand_nodes_have_their_own_globals(own):
    outcome = mesh("run", "--engine", "sim", "--dim", 10, "--app", own)
    assert outcome.status == 0, outcome
    assert console(outcome) == {node: [f"{7 + node} 1 42 3"] for node in range(1024)}


@pytest.mark.parametrize("engine", [["sim"], ["qemu", "--lockstep"]])
def test_a_program_that_includes_no_headers_of_the_standard_is_built_as_before(engine, tmp_path):
    (tmp_path / "own.hpp").write_text(
        "inline unsigned larger(unsigned one, unsigned other) {"
        " return std::ranges::max(one, other); }\n")
    (tmp_path / "old.cpp").write_text("""#include "meshputer.hpp"
#include "own.hpp"
#include <algorithm>
mesh::Process app_main(mesh::Kernel& node) {
    std::array<mesh::NodeId, 8> room;
    const auto all = mesh::members_of(room, std::views::iota(0u, node.nodes()));
    unsigned sum = *std::ranges::max_element(all, {}, [](mesh::NodeId one) { return index(one); })
                       == node.id() ? 40u : std::max(1u, 2u);
    const auto status = co_await mesh::group_allreduce<std::plus<>>(node, {node, all, 5}, sum);
    mesh::print("{}\\n", larger(sum, 0u));
    co_return status;
}
""")
    outcome = mesh("run", "--engine", *engine, "--dim", 1, "--app", tmp_path / "old.cpp")
    assert outcome.status == 0 and console(outcome) == {0: ["42"], 1: ["42"]}, outcome


def test_a_source_file_is_built_once_and_again_when_it_has_changed(tmp_path):
    source = tmp_path / "hi.cpp"
    times = []
    for word in "one", "one", "two":
        if not source.exists() or word not in source.read_text():
            source.write_text(HEAD + "mesh::Process app_main(mesh::Kernel&) { "
                              f'printf("{word}\\n"); co_return mesh::Status::ok; }}')
        outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", source)
        assert console(outcome) == {0: [word], 1: [word]}, outcome
        [built] = pathlib.Path(os.environ["XDG_CACHE_HOME"]).glob("meshputer/hi-*[!s]")
        times.append(built.stat().st_mtime_ns)
        time.sleep(0.01)
    assert times[0] == times[1] < times[2]


@pytest.mark.toolchain
def test_a_compiler_reads_the_headers_once_for_all_programs_that_follow(tmp_path):
    """One program alone pays nothing for it; a later compiler takes what the second one kept, tells
    so, and still reads headers that have changed."""
    real = shutil.which("arm-none-eabi-g++")
    told = tmp_path / "bin" / "arm-none-eabi-g++"
    write(tmp_path, {"bin/arm-none-eabi-g++": f'#!/bin/sh\nPATH={os.environ["PATH"]}\n'
                                              f'exec {real} -H -Winvalid-pch "$@"\n'})
    told.chmod(0o755)
    env = dict(os.environ, XDG_CACHE_HOME=str(tmp_path), PATH=f"{told.parent}:{os.environ['PATH']}")

    def built(name):
        (tmp_path / f"{name}.cpp").write_text(
            HEAD + f"mesh::Process app_main(mesh::Kernel&) {{ printf(\"{name}\"); "
                   "co_return mesh::Status::ok; }")
        outcome = mesh("build", f"{name}.cpp", "--engine", "qemu", "-o", name, cwd=tmp_path,
                       env=env)
        assert outcome.status == 0 and (tmp_path / name).exists(), outcome
        return outcome.err

    kept = "meshputer/headers-*/meshputer.hpp.gch"
    assert "meshputer.hpp.gch" not in built("one") and not list(tmp_path.glob(kept))
    built("two")
    [headers] = tmp_path.glob(kept)
    made = headers.stat().st_mtime_ns
    assert f"! {headers}" in built("three") and headers.stat().st_mtime_ns == made
    wrapper = headers.with_suffix("") # is in the list of files that they were made of
    wrapper.touch()
    assert f"! {headers}" in built("four") and headers.stat().st_mtime_ns > made
    headers.write_bytes(b"not what a compiler keeps")
    assert f"x {headers}" in built("five")


def open_to_all(folder, other):
    folder.mkdir()
    folder.chmod(0o777)


def of_another_user(folder, other):
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    folder.mkdir()
    os.chown(folder, 65534, 65534)


def a_link(folder, other):
    other.mkdir()
    folder.symlink_to(other)


@pytest.mark.parametrize("made", [open_to_all, of_another_user, a_link])
def test_programs_are_not_kept_where_others_could_put_theirs(tmp_path, made):
    """Without a home they are kept in a folder of the user's own among the temporary ones, unless
    somebody else was there first: what lies in it is run."""
    source = tmp_path / "hi.cpp"
    source.write_text(HEAD + 'mesh::Process app_main(mesh::Kernel&) { printf("hi\\n"); '
                             'co_return mesh::Status::ok; }')
    (tmp_path / "temporary").mkdir()
    folder = tmp_path / "temporary" / f"meshputer-{os.geteuid()}"
    env = {"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path / "temporary")}
    kept = mesh("run", "--engine", "sim", "--dim", 1, "--app", source, env=env)
    assert kept.status == 0 and len(list(folder.glob("hi-*"))) == 2, kept
    shutil.rmtree(folder)
    made(folder, tmp_path / "other")
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", source, env=env)
    assert console(outcome) == {0: ["hi"], 1: ["hi"]}, outcome
    assert list(folder.iterdir()) == [] == sorted(set(folder.parent.iterdir()) - {folder}), outcome


def test_nodes_run_different_programs(own, engine):
    outcome = mesh("run", "--engine", engine, "--dim", 2, "--app", own, "--app", "hello@1-2,0")
    assert outcome.status == 1, outcome # a barrier with those that never come
    assert all("hello" in console(outcome)[node][0] for node in (0, 1, 2)), outcome
    refused(mesh("run", "--engine", "sim", "--dim", 2, "--app", "hello@0-2"),
            "no program for node 3")
    hello = ("run", "--engine", "sim", "--dim", 2, "--app", "hello")
    refused(mesh(*hello, "--app", "pingpong"), "--app pingpong: the others leave no node for it")
    refused(mesh(*hello, "--app", "pingpong@1", "--app", "ring@1"), "--app pingpong@1: the others")
    refused(mesh(*hello, "--app", "pingpong@3-1"), "--app ...@3-1: allowed")


@pytest.mark.parametrize("words, options", [([], ["--timeout", 0.3]), (["polite"], ["--limit", 1])])
def test_an_endless_loop_ends_its_node_of_a_simulation_and_is_named(words, options):
    outcome = mesh("run", "--engine", "sim", "--dim", 2, "--app", program("loops"), *options, "--",
                   *words)
    assert outcome.status == 1, outcome
    # One that yields may be met in the kernel's yield(), or between two of its turns.
    assert re.search(r"^node 1: firmware stopped: it computes without end and never waits, in .*"
                     r"(loops\.cpp|kernel/\w+\.hpp):\d+"
                     + r"|^mesh: node 1: not done within --limit" * len(words), outcome.err,
                     re.M), outcome


@pytest.mark.toolchain
def test_a_project_made_anew_passes_its_test_and_notices_another_answer(tmp_path):
    assert mesh("new", tmp_path / "proj").status == 0
    command = ["make", "-C", tmp_path / "proj", f"MESH={MESH}", "test"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done
    expected = tmp_path / "proj" / "expected.txt"
    expected.write_text(expected.read_text() + "[3] more\n")
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode != 0
    assert "node 3 says nothing more in its line 1, not 'more'" in done.stderr
    refused(mesh("new", tmp_path / "proj"), "is not empty")


@pytest.mark.toolchain
def test_the_compilers_words_are_all_that_is_said_of_a_mistake(tmp_path):
    write(tmp_path, {"bad.cpp": "int x = ;\n"})
    for command in (["build", "bad.cpp", "-o", "bad"],
                    ["run", "--engine", "sim", "--dim", 1, "--app", "./bad.cpp"]):
        outcome = mesh(*command, cwd=tmp_path)
        assert outcome.status == 2 and outcome.out == "", outcome
        assert re.match(r"(\./)?bad.cpp:1:9: error: ", outcome.err), outcome
        assert len(outcome.err.splitlines()) == 3 and "mesh" not in outcome.err, outcome


@pytest.mark.toolchain
def test_a_program_that_does_not_fit_is_told_by_what_and_how_much(tmp_path):
    big = HEAD + ("mesh::Process app_main(mesh::Kernel& node) { static volatile char b[5000000]; "
                  "static const volatile char c[9000000] = {1}; "
                  "b[node.ports()] = c[node.ports()]; co_return static_cast<mesh::Status>(b[0]); }")
    write(tmp_path, {"big.cpp": big, "none.cpp": "int x;"})
    outcome = mesh("build", "big.cpp", "-o", "big", cwd=tmp_path)
    refused(outcome, f"too big for a node of {BOARD}: its ")
    for part in "code and constants (FLASH)", "data (RAM)":
        found = re.search(re.escape(part) + r" by (\d+) bytes", outcome.err)
        assert found and int(found[1]) > 900_000, outcome
    refused(mesh("build", "none.cpp", "-o", "none", cwd=tmp_path), "mesh::Process app_main(")
    assert not list(tmp_path.glob("big")) + list(tmp_path.glob("none"))


def stamped(program, target, text):
    """A copy of a program with another stamp."""
    (target.parent / "stamp").write_text(text)
    subprocess.run(["arm-none-eabi-objcopy", "--update-section",
                    f".mesh.stamp={target.parent / 'stamp'}", program, target], check=True)
    return target


@pytest.mark.toolchain
def test_a_program_that_cannot_run_here_is_refused_before_anything_boots(tmp_path):
    run = ["run", "--dim", 1, "--app"]
    other = stamped(IMAGES / "hello.elf", tmp_path / "board", "lm3s6965 0\n")
    refused(mesh(*run, other), f"built for board lm3s6965, not for {BOARD}")
    old = stamped(IMAGES / "hello.elf", tmp_path / "old", f"{BOARD} 0123456789ab\n")
    for engine in "qemu", "sim":
        refused(mesh(*run, old, "--engine", engine), "version of the kernel: build it again")
    refused(mesh(*run, IMAGES / "app_computes.elf", "--engine", "sim"),
            "is for --engine qemu alone")
    write(tmp_path, {"sim.cpp": "namespace mesh { class Kernel; }\nvoid f(mesh::Kernel&) {}"})
    assert mesh("build", "--engine", "sim", "sim.cpp", "-o", "one", cwd=tmp_path).status == 0
    refused(mesh(*run, tmp_path / "one"), "is for --engine sim alone")
    refused(mesh(*run, tmp_path / "one", "--engine", "sim"), "has no app_main(mesh::Kernel&)")
    refused(mesh(*run, "./README.md"), "not a program")
    refused(mesh(*run, "helo"), "did you mean hello, heat?")
    refused(mesh(*run, "README.md"), "a file is named with its folder: ./")


def test_the_tool_does_without_any_app():
    """Apps are loaded: the tool has no code of them."""
    shown = subprocess.run(["nm", "-C", MESH], capture_output=True, text=True, check=True).stdout
    apps = [file.stem for file in (ROOT / "firmware" / "apps").glob("*.cpp")]
    assert "app_main_job" in shown and apps
    assert not [app for app in apps if f"app_main_{app}" in shown]
    outcome = mesh("list", "apps")
    assert set(apps) <= {line.split()[0] for line in outcome.out.splitlines()}, outcome


def lessons():
    """The programs of firmware/apps/README.md as one, in whose rounds they take their turns; and
    what they print."""
    text = (ROOT / "firmware" / "apps" / "README.md").read_text()
    blocks = re.findall(r"```cpp\n(.*?)```\n```console\n(.*?)```", text, re.S)
    program = ['#include "meshputer.hpp"\n']
    for number, (source, _) in enumerate(blocks):
        body = source.replace('#include "meshputer.hpp"', "")
        program.append(f"namespace lesson{number} {{ {body} }}\n")
    program.append("mesh::Process app_main(mesh::Kernel& node) { mesh::Status s{};\n")
    for number in range(len(blocks)):
        program.append(f"s = co_await lesson{number}::app_main(node);"
                       "if (s != mesh::Status::ok) co_return s;\n"
                       "s = co_await mesh::barrier(node); if (s != mesh::Status::ok) co_return s;")
    lines = {}
    for _, shown in blocks:
        for node, line in re.findall(r"\[(\d)\] (.*)", shown):
            lines.setdefault(int(node), []).append(line)
    return "".join(program) + "co_return s; }", lines, len(blocks)


def test_the_programs_that_teach_compile_and_print_what_is_shown(tmp_path):
    source, lines, count = lessons()
    assert count >= 6
    (tmp_path / "lessons.cpp").write_text(source)
    built = mesh("build", "lessons.cpp", "-o", "lessons", cwd=tmp_path)
    assert (built.status, built.err) == (0, ""), built
    for engine in "sim", "qemu":
        outcome = mesh("run", "--engine", engine, "--dim", 3, "--app", tmp_path / "lessons")
        assert outcome.status == 0 and console(outcome) == lines, outcome


@pytest.mark.parametrize("network", [["--dim", 3], ["--topology", "uhc", "--dim", 4],
                                     ["--topology", "star", "--dim", 4], ["--dim", 2, "qemu"]])
def test_the_library_does_the_same_on_every_network_and_engine(network):
    engine = "qemu" if "qemu" in network else "sim"
    where = [word for word in network if word != "qemu"]
    with open(ROOT / "LICENSE", encoding="ascii") as text: # what stands behind < is the input
        lines = len(text.readlines())
    with open(ROOT / "LICENSE", "rb") as file:
        outcome = mesh("run", "--engine", engine, *where, "--app", IMAGES / "app_library.elf",
                       stdin=file)
    assert outcome.status == 0, outcome
    nodes = len(console(outcome))
    assert nodes == {"2": 4, "3": 8}.get(str(network[1]), 16 if "uhc" in network else 24)
    for node, said in console(outcome).items():
        left = 100 + (node + nodes - 1) % nodes
        assert said == ["par ok sum 003 " + str(node), f"ring ok got {left} {left:x}",
                        f"sum {nodes * nodes / 2:.2f} max {2 ** (40 + min(nodes - 1, 7))} ok ok",
                        "bcast 77 ok word 5 rnd true", "within timed out probe false",
                        "requests ok ok true ok ok",
                        f"scan {node + 1} ok around {5 * nodes % 7} ok", "fair ababab",
                        "when bbbaaa", "blocks ok ok ok ok true 0 true",
                        f"read {lines} lines, of time true ok"], outcome


def test_one_node_can_end_the_run_of_all(engine):
    outcome = mesh("run", "--engine", engine, "--dim", 2, "--app", IMAGES / "app_library.elf",
                   "--", "8")
    assert outcome.status == 1 and "word 8" in outcome.out, outcome
    assert "mesh: node 1 has ended the run: enough; repeat: " in outcome.err, outcome


@pytest.mark.toolchain
def test_a_fault_is_named_by_the_shortest_path_of_its_file(engine, tmp_path):
    write(tmp_path, {
        "inc/deep.hpp": "inline int taken(const volatile int* from) { return *from; }\n",
        "a.cpp": HEAD + '#include "deep.hpp"\nmesh::Process app_main(mesh::Kernel& node) { '
                 "const int* from = nullptr; node.flush_print(); "
                 "co_return taken(from) == 0 ? mesh::Status::ok : mesh::Status::failed; }"})
    built = mesh("build", "--engine", engine, "a.cpp", "-o", "a", "-I", "inc/../inc", cwd=tmp_path)
    assert built.status == 0, built
    outcome = mesh("run", "--engine", engine, "--dim", 1, "--app", "./a", cwd=tmp_path)
    assert outcome.status == 1, outcome
    assert ", inc/deep.hpp:1, called from app_main, a.cpp:4" in outcome.err, outcome
    assert ".." not in outcome.err, outcome
