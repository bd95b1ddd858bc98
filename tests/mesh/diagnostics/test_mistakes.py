"""The mistakes that beginners make: each is named, with what to do about it, and ends its run."""
import os
import re

import pytest

from mesh_tool import ROOT, console, mesh, probe, program

BAD_CALL = "node 1 ended with: bad argument (of a call: a node, tag, size or tree that there is not"
NO_MEMORY = "no memory (of the arena for processes and the variables in them: large ones may be"

# The words of tests/mesh/apps/mistakes.cpp, and the messages of their runs.
STOPS = {
    "nobody sends": "node 1 did not end; node 1 waits for a message from any node",
    "both receive": "node 0 waits for a message with tag 1 from node 1, which waits for a message "
                    "with tag 1 from node 0: a circle",
    "ring of sends": "node 0 waits for its message with tag 1 to be taken by node 1, which waits "
                     "for its message with tag 1 to be taken by node 0: a circle",
    "wrong tag": "node 0 waits for its message with tag 1 to be taken by node 1, which waits for a "
                 "message with tag 2 from node 0",
    "ends early": "node 1 ended with: unreachable (who was to send or to receive does not, or has "
                  "ended); node 0: nobody took a message of node 1 with tag 1",
    "absent from barrier": "node 1: nobody took a packet of node 0 with tag 32512, of a barrier",
    "nobody writes": "node 1 ended with: unreachable (who was to send or to receive does not",
    "no co_return": "node 1 ended with: ended without co_return",
    "any tag": BAD_CALL,
    "to no node": BAD_CALL,
    "from no node": BAD_CALL,
    "too much": BAD_CALL,
    "short buffer": "node 1 ended with: truncated (a message was longer than the room",
    "long buffer": BAD_CALL,
    "other sizes": "or sizes that differ from those of other nodes)",
    "too deep": NO_MEMORY,
    "large frame": NO_MEMORY,
    "a process too many": "or there were more processes than it has places for)",
    "gives up": "mesh: node 1 has ended the run: no use to go on; repeat: ", # node 0 would wait
    "output": "node 1 writes up to byte 2147483654 of the output; at most 1073741824 are",
}
LIMIT_S = 6 # a mesh of two that begins on a slow machine takes a part of it
WITHIN = rf"not done within --limit {LIMIT_S} s; \d+ packets have gone; "
ENDLESS = {
    "livelock": WITHIN + r"node 0 waits for ",
    "loop": r"node 1 firmware stopped: it computes without end and never waits, in loops, .*:\d+",
    "polite loop": WITHIN + r"node 1 waits for its next",
}
ON_QEMU = ["ends early", "too deep", "large frame", "gives up", "output"] # others are alike


def mistake(engine, *words, options=()):
    return probe(engine, "mistakes", *words,
                 options=["--dim", 1, "--output", os.devnull, *options])


@pytest.mark.parametrize("engine, word", [*(("sim", word) for word in STOPS),
                                          *(("qemu", word) for word in ON_QEMU)])
def test_a_mistake_that_stops_a_run_is_named(engine, word):
    outcome = mistake(engine, word)
    assert outcome.status == 1 and STOPS[word] in outcome.err.splitlines()[-1], outcome


@pytest.mark.parametrize("word", ENDLESS)
def test_what_has_no_end_is_ended_and_named(word):
    outcome = mistake("sim", word, options=["--limit", LIMIT_S])
    assert outcome.status == 1, outcome
    assert re.search(ENDLESS[word], outcome.err.splitlines()[-1]), outcome


def test_what_a_channel_is_given_may_go_before_it_is_read(engine):
    outcome = mistake(engine, "gone")
    assert outcome.status == 0 and outcome.out == "[0] got 70\n", outcome


def test_whoever_prints_much_loses_nothing(engine):
    outcome = mistake(engine, "talks much")
    lines = [str(number) for number in range(20_000)] + ["x" * 5000]
    for node in 0, 1:
        said = console(outcome)[node]
        assert said[:20_000] == lines[:20_000] and "".join(said[20_000:]) == lines[-1], outcome


@pytest.mark.parametrize("number, words", enumerate([
    "no memory", "unreachable", "bad argument", "truncated", "failed", "timed out",
    "ended without co_return", "tag in use", "in doubt"], 1))
def test_every_status_has_words_and_fails_the_run(number, words):
    outcome = mistake("sim", "verdict", number)
    assert outcome.status == 1, outcome
    assert re.search(rf"mesh: node 1 ended with: {words} \(.+\); repeat: ", outcome.err), outcome


# Programs that are not built -------------------------------------------------------------------

MAIN = """
mesh::Process app_main(mesh::Kernel& node) { node.flush_print(); co_return mesh::Status::ok; }
"""

# Each line of the first column is a mistake, of which the compiler says the second.
NEVER_AWAITED = "nothing happens before it is awaited: write co_await in front of it"
DROPPED = "declared with attribute 'warn_unused_result'"
REFUSED = [
    ("send(node, to, {}, room);", NEVER_AWAITED),
    ("receive(node, room);", NEVER_AWAITED),
    ("barrier(node);", NEVER_AWAITED),
    ("node.sleep(1);", NEVER_AWAITED),
    ("node.yield();", NEVER_AWAITED),
    ("node.join(id);", NEVER_AWAITED),
    ("alt(node, on(channel));", NEVER_AWAITED),
    ("channel.read();", NEVER_AWAITED),
    ("channel.write(3);", NEVER_AWAITED),
    ("Status asked = send(node, to, {}, room);", "'mesh::Sending' to 'mesh::Status'"),
    ("co_await send(node, to, {}, room);", DROPPED),
    ("co_await receive(node, room);", DROPPED),
    ("co_await barrier(node);", "warn_unused_result"),
    ("node.spawn(barrier(node));", "ignoring return value of 'mesh::Spawned mesh::Kernel::spawn("),
    ("int me = node.id();", "cannot convert 'mesh::NodeId' to 'int'"),
    ('printf("%s", number);', "expects argument of type 'char*'"),
    ("throw number;", "exception handling disabled"),
]
OUTSIDE = [
    ("int three(int x) { if (x != 0) return 3; }", "control reaches end of non-void function"),
    ("Process nothing(Kernel&) {}", "no return statement in function returning non-void"),
    ("Process without(int) { co_return Status::ok; }", "first parameter is mesh::Kernel&"),
    ("Process text(Kernel& node, const char* words) { "
     "co_return co_await send_value(node, words, node.id()); }", "is_pointer_v"),
]


def test_the_usual_mistakes_do_not_compile_and_the_compiler_names_each(tmp_path):
    lines = ["#include <meshputer.hpp>", "using namespace mesh;", *(text for text, _ in OUTSIDE),
             "Process f(Kernel& node, Channel<int>& channel, NodeId to) {",
             "ProcessId id; std::array<std::byte, 4> room{}; int number = 0;",
             *(text for text, _ in REFUSED), "co_return Status::ok; }"]
    (tmp_path / "wrong.cpp").write_text("\n".join(lines) + MAIN)
    outcome = mesh("build", "--engine", "sim", "wrong.cpp", "-o", "wrong", cwd=tmp_path,
                   env=os.environ | {"LC_ALL": "C"})
    assert outcome.status == 2, outcome
    said = {}
    for line, words in re.findall(r"wrong\.cpp:(\d+):\d+: error: (.*)", outcome.err):
        said[int(line)] = said.get(int(line), "") + words
    for text, words in REFUSED:
        assert words in said.get(lines.index(text) + 1, ""), (text, outcome)
    for text, words in OUTSIDE:
        assert words in outcome.err, (text, outcome)


# Calls in variables that nobody looks at, and variables of which a compiler only warns.
IN_VARIABLES = ["auto later = send(node, to, {}, room);", "const auto value = receive(node, room);",
                "auto all = barrier(node);", "auto time = node.sleep(1);",
                "auto number = channel.read();", "auto own = waits(node);",
                "Task<Status> task = barrier(node);"]
UNUSED = ["int left = 3;", "auto nodes = node.nodes();", "auto given = co_await channel.read();"]


def test_a_call_in_a_variable_that_nobody_awaits_is_named(engine, tmp_path):
    lines = ["#include <meshputer.hpp>", "using namespace mesh;",
             "Task<int> waits(Kernel& node) { co_await node.yield(); co_return 3; }",
             "Process f(Kernel& node, Channel<int>& channel, NodeId to) {",
             "std::array<std::byte, 4> room{};", *IN_VARIABLES, *UNUSED, "co_return Status::ok; }"]
    (tmp_path / "wrong.cpp").write_text("\n".join(lines) + MAIN)
    outcome = mesh("build", "--engine", engine, "wrong.cpp", "-o", "wrong", cwd=tmp_path)
    assert outcome.status == 2 and not (tmp_path / "wrong").exists(), outcome
    told = re.findall(r"^wrong\.cpp:(\d+):\d+: error: '\w+' is a call that nobody awaits",
                      outcome.err, re.M)
    assert [lines[int(at) - 1] for at in told] == IN_VARIABLES, outcome


@pytest.mark.parametrize("name, text", [
    ("unused.cpp", '#include "meshputer.hpp"\nmesh::Process app_main(mesh::Kernel&) {\n'
                   "    int left = 3;\n    co_return mesh::Status::ok;\n}\n"),
    ("unused.c", "int main(void) {\n\n    int left;\n    return 0;\n}\n")])
def test_what_a_compiler_only_warns_of_is_told_at_each_run_and_keeps_none(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    for _ in ("built", "kept"):
        outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", f"./{name}", cwd=tmp_path)
        assert outcome.status == 0, outcome
        warning = rf"^\./{name}:3:\d+: warning: unused variable .left. \[-Wunused-variable\]$"
        assert len(re.findall(warning, outcome.err, re.M)) == 1, outcome


LACKING = {
    "int sum(unsigned n) { std::vector<int> v(n, 1); return v.back(); }": ("sum", "no heap"),
    'std::string text(int n) { return "a name of some length " + std::to_string(n); }':
        ("text", "no heap"),
    "void* memory(unsigned n) { return malloc(n); }": ("memory", "no heap"),
    "void speak(int n) { std::cout << n; }": ("speak", "no streams"),
    "long when() { return time(nullptr); }": ("when", "no calendar"),
    'void* file() { return fopen("file", "r"); }': ("file", "no files"),
    'int number(int* n) { return scanf("%d", n); }': ("number", "no files"),
    "unsigned rest() { return sleep(1); }": ("rest", "no threads"),
}


def test_what_no_node_has_is_refused_by_the_function_that_wants_it(engine, tmp_path):
    heads = ["meshputer.hpp", "vector", "string", "iostream", "ctime", "cstdio", "cstdlib",
             "unistd.h"]
    source = [f"#include <{head}>" for head in heads] + [*LACKING] + [MAIN]
    (tmp_path / "wants.cpp").write_text("\n".join(source))
    outcome = mesh("build", "--engine", engine, "wants.cpp", "-o", "wants", cwd=tmp_path)
    assert outcome.status == 2 and not (tmp_path / "wants").exists(), outcome
    for function, words in LACKING.values():
        assert re.search(rf"^mesh: wants\.cpp: in {function}: a node has {words}", outcome.err,
                         re.M), (function, outcome)


FAULTS = ROOT / "tests/mesh/programs/faulty.cpp"
CAUSES = {1: "division by zero", 2: "division by zero", 3: "unaligned access", 4: "comput"}


@pytest.mark.parametrize("engine", ["sim", pytest.param("qemu", marks=pytest.mark.free)])
def test_what_a_compiler_would_make_the_best_of_is_a_fault(engine):
    lines = FAULTS.read_text().splitlines()
    run = ["run", "--engine", engine, "--dim", 1, "--timeout", 2 if engine == "sim" else 10,
           "--app", program("faulty")]
    for number, cause in CAUSES.items():
        outcome = mesh(*run, "--", number)
        last = outcome.err.splitlines()[-1]
        assert outcome.status == 1 and cause in last, outcome
        at = [at for at, line in enumerate(lines, 1) if line.endswith(f"// {number}")]
        assert number == 4 or f"faulty.cpp:{at[0]}" in last, outcome
    outcome = mesh(*run)
    assert outcome.status == 0 and console(outcome) == {0: ["1"], 1: ["1"]}, outcome
