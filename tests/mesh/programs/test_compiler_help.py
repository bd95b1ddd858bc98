"""Below the usual errors of a compiler `mesh build` says what to write instead."""
import os
import re

import pytest

from mesh_tool import IMAGES, mesh

pytestmark = pytest.mark.toolchain

AWAIT = "the value of a call that waits is there after co_await"
CO_RETURN = "ends with co_return, not with return"
VERDICT = "whether the call went well: look at it, or write std::ignore = co_await"
RETURNS = "a function that waits returns a mesh::Process or a mesh::Task<T>"
GUARD = "alt() waits for guards: on(channel)"
BYTES = "a message goes as its bytes"
NUMBER = "a NodeId is no number"

# Each line of the first column is a mistake, for which the second is a part of the help.
STATEMENTS = [
    ("Status s = send_value(node, to, number);", AWAIT),
    ("Status s2 = send(node, to, {}, room);", AWAIT),
    ("good = send_value(node, to, number);", AWAIT),
    ("int x = channel.read();", AWAIT),
    ("if (alt(node, on(channel)) == 0) number = 1;", AWAIT),
    ("if (send_value(node, to, number) != Status::ok) number = 1;", AWAIT),
    ("Received r = receive_value(node, number);", AWAIT),
    ("good = receive_value(node, number).status;", AWAIT),
    ("good = co_await receive_value(node, number);", "(co_await CALL).status"),
    ("good = co_await node.join(number);", "join() waits for what spawn() gave"),
    ("auto read = co_await channel.read(number);", "x = co_await channel.read()"),
    ("switch (alt(node, on(channel))) { default: break; }",
     "its value is there after co_await: switch (co_await"),
    ("co_return send_value(node, to, number);", AWAIT),
    ("co_await send_value(node, to, number);", VERDICT),
    ("co_await send(node, to, {}, room);", VERDICT),
    ("co_await receive_value(node, number);", VERDICT),
    ("node.spawn(plain(node));", "false says that there was no room for the process"),
    ("throw 3;", "a node has no exceptions, and -fexceptions brings none"),
    ("auto none = dynamic_cast<Derived*>(base);", "a node has no types at run time"),
    ("co_return end_run(node, \"why\");", "end_run() gives none, and is a statement before that"),
    ("co_return 0;", "a verdict is a Status"),
    ("co_return number > 0;", "a verdict is a Status"),
    ("auto chosen = co_await alt(node, channel);", "alt() waits for on(channel)"),
    ("int me = node.id();", NUMBER),
    ("NodeId next = node.id() + 1;", NUMBER),
    ("number = node.id() ^ to;", NUMBER),
    ('printf("%u", node.id());', NUMBER),
    ("auto sent = co_await send_value(node, 3, number);", "a node is given as a NodeId"),
    ("auto late = co_await receive_within(node, 30, number);", "here a call fills a variable"),
    ("auto into = co_await receive_value(node, &number);", "a variable, which is given without &"),
    ("auto swap = co_await sendrecv_value(node, number, to, &number, to, 1);", "without &"),
    ("auto text = co_await send_value(node, to, std::string());", BYTES),
    ("auto words = co_await send_value(node, to, text_of(number));", BYTES),
]
# The same for what has functions of its own; where the error is in a header the help is there.
FUNCTIONS = [
    ("Process with_return(Kernel& node) { return Status::ok; }", CO_RETURN),
    ("Process waits_and_returns(Kernel& node) { co_await node.yield(); return Status::ok; }",
     CO_RETURN),
    ("Task<int> three(Kernel& node) { return 3; }", CO_RETURN),
    ("int number_of(Kernel& node) { co_await node.yield(); co_return 3; }", RETURNS),
    ("void nothing(Kernel& node) { co_await node.yield(); }", RETURNS),
    ("void lambda(Kernel& node) { auto f = [&] { co_await node.yield(); }; f(); }",
     "a lambda cannot wait: write a function"),
    ("Process copies(Kernel& node, Channel<int> c) { co_return Status::ok; }\n"
     "Process starts(Kernel& node, Channel<int>& c) { co_return co_await copies(node, c); }",
     "a channel is not copied"),
]
IN_HEADERS = [
    ("Process begins(Kernel&) { std::thread thread([](int) {}); co_return Status::ok; }",
     "a node has no threads"),
    ("Process polls(Kernel& node, int x) { co_await node.wait_until(x > 0); "
     "co_return Status::ok; }", "wait_until() wants a function, which it asks again and again"),
    ("Process chooses(Kernel& node, Match match) { std::ignore = co_await alt(node, match); "
     "co_return Status::ok; }", GUARD),
    ('Process prints(Kernel& node) { print("%d", 3); co_return Status::ok; }',
     "knows no %d: mesh::print("),
]
HEAD = ["#include <meshputer.hpp>", "#include <cstdio>", "#include <string>", "#include <thread>",
        "using namespace mesh;", "struct Base { virtual ~Base() = default; };",
        "struct Derived : Base {};", "const char* text_of(int);",
        "Process plain(Kernel&) { co_return Status::ok; }"]
MAIN = "mesh::Process app_main(mesh::Kernel&) { co_return mesh::Status::ok; }"


def built(folder, engine, lines):
    (folder / "wrong.cpp").write_text("\n".join([*lines, MAIN]))
    outcome = mesh("build", "--engine", engine, "wrong.cpp", "-o", "wrong", cwd=folder,
                   env=os.environ | {"LC_ALL": "C.UTF-8"})
    assert outcome.status == 2 and not (folder / "wrong").exists(), outcome
    return outcome.err


def helps(said):
    """{line of wrong.cpp: help} of the errors there."""
    found, line = {}, None
    for text in said.splitlines():
        if error := re.match(r"wrong\.cpp:(\d+):\d+: error: ", text):
            line = int(error[1])
        elif text.startswith("help: "):
            assert line not in found, f"line {line} is helped twice:\n{said}"
            if line is not None:
                found[line] = text
            line = None
        elif not re.match(r" *\d* \|", text):
            line = None # no line of the source text
    return found


def test_below_a_usual_error_stands_what_to_write(engine, tmp_path):
    lines = [*HEAD, *(text for text, _ in FUNCTIONS),
             "Process f(Kernel& node, Channel<int>& channel, NodeId to, Base* base) "
             "{ Status good{}; int number = 0; std::array<std::byte, 4> room{};",
             *(text for text, _ in STATEMENTS), "co_return good; }"]
    lines = "\n".join(lines).splitlines()
    said = built(tmp_path, engine, lines)
    found = helps(said)
    for text, words in STATEMENTS + FUNCTIONS:
        at = lines.index(text.splitlines()[-1]) + 1
        assert words in found.get(at, ""), (text, said[:20_000])


def test_an_error_inside_a_header_has_its_help_there(engine, tmp_path):
    said = built(tmp_path, engine, [*HEAD, *(text for text, _ in IN_HEADERS)])
    for text, words in IN_HEADERS:
        assert re.search(rf"^help: .*{re.escape(words)}", said, re.M), (text, said[:20_000])


def test_a_program_that_is_run_at_once_has_the_help_too(tmp_path):
    source = tmp_path / "wrong.cpp"
    source.write_text("\n".join([*HEAD, "mesh::Process app_main(mesh::Kernel& node) {",
                                 "return mesh::Status::ok; }"]))
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", source)
    assert outcome.status == 2 and f"\nhelp: what returns a Process or a Task {CO_RETURN}\n" in (
        outcome.err), outcome


def test_a_program_without_our_header_is_told_its_name(engine, tmp_path):
    (tmp_path / "bare.cpp").write_text(MAIN)
    outcome = mesh("build", "--engine", engine, "bare.cpp", "-o", "bare", cwd=tmp_path)
    assert outcome.status == 2 and 'help: #include "meshputer.hpp" stands' in outcome.err, outcome


# Statements that GCC 12 to 14 translate wrongly, and such as they translate rightly.
WRONG = [
    "co_return c ? co_await barrier(node) : Status::ok;",
    "co_return c && co_await barrier(node) == Status::ok ? Status::ok : Status::failed;",
    "std::ignore = c ? co_await barrier(node) : Status::ok;",
    "take(c ? co_await barrier(node) : Status::ok);",
    "bool inside = (c && co_await barrier(node) == Status::ok); c = inside;",
    "while (c && co_await barrier(node) != Status::ok) c = false;",
    "for (int i = 0; c && co_await barrier(node) != Status::ok; ++i) c = false;",
    "if (c ? co_await barrier(node) == Status::ok : c) c = false;",
    "sum += c ? index_of(co_await barrier(node)) : 1;",
]
RIGHT = [
    "const Status made = c ? co_await barrier(node) : Status::ok; take(made);",
    "good = c ? co_await barrier(node) : Status::ok;",
    "if (c && co_await barrier(node) == Status::ok) c = false;",
    "if (c || index_of(co_await barrier(node)) != 0) c = false;",
    "while (co_await barrier(node) == Status::ok && c) c = false;",
    "take(co_await barrier(node)); // c ? co_await it : or not",
    'print("c ? co_await barrier : {}\\n", 1\'000); take(co_await barrier(node));',
]


def test_a_wait_in_one_branch_is_told_where_the_compiler_is_wrong(engine, tmp_path):
    lines = [*HEAD, "void take(Status) {}", "int index_of(Status s) { return int(s); }",
             "Process app_main(Kernel& node) {", "bool c = node.id() == NodeId{1}; int sum = 0;",
             "Status good{};", *WRONG, *RIGHT, "co_return sum == 0 ? good : Status::failed; }"]
    (tmp_path / "branch.cpp").write_text("\n".join(lines))
    outcome = mesh("build", "--engine", engine, "branch.cpp", "-o", "branch", cwd=tmp_path)
    assert outcome.status == 0, outcome
    told = re.findall(r"^note: branch.cpp:(\d+): GCC waits here whatever the condition",
                      outcome.err, re.M)
    assert [lines[int(number) - 1] for number in told] == WRONG, outcome


# Bodies of coroutines that have no variable: GCC 12.2 lays out their frames wrongly.
BARE = ["if (co_await barrier(node) != Status::ok) co_return Status::failed;",
        "while (co_await barrier(node) != Status::ok && node.starts() != 0) co_await node.yield();",
        "do co_await node.yield(); while (co_await barrier(node) != Status::ok);",
        "switch (co_await barrier(node)) { case Status::ok: break; "
        "default: co_return Status::failed; }"]


def test_coroutines_that_would_jump_nowhere_are_refused_or_right(engine, tmp_path):
    (tmp_path / "bare.cpp").write_text("\n".join(
        [*HEAD, *(f"Process bare{at}(Kernel& node) {{ {body} co_return Status::ok; }}"
                  for at, body in enumerate(BARE)),
         "Process app_main(Kernel& node) { Status good{};",
         *(f"if (good == Status::ok) good = co_await bare{at}(node);" for at in range(len(BARE))),
         "co_return good; }"]))
    outcome = mesh("build", "--engine", engine, "bare.cpp", "-o", "bare", cwd=tmp_path)
    if outcome.status == 0:
        outcome = mesh("run", "--engine", engine, "--dim", 1, "--app", "./bare", cwd=tmp_path)
        assert outcome.status == 0, outcome
    else:
        assert outcome.status == 2 and not (tmp_path / "bare").exists(), outcome
        told = re.findall(r"^mesh: bare\.cpp: in (\w+): this GCC makes a coroutine that waits in a "
                          "condition, and has no variable, jump nowhere: ", outcome.err, re.M)
        assert sorted(told) == [f"bare{at}" for at in range(len(BARE))], outcome


def test_no_coroutine_of_our_images_jumps_nowhere():
    images = list(IMAGES.glob("app_*.elf"))
    assert images and not [image.name for image in images
                           if re.search(rb"\0__(ifcd|swch)_0\0", image.read_bytes())]


def test_threads_are_named_where_the_compiler_lets_them_pass(engine, tmp_path):
    rests = "void rests() { std::this_thread::sleep_for(std::chrono::seconds(1)); }"
    assert re.search(r"^mesh: wrong\.cpp: in rests: a node has no threads",
                     built(tmp_path, engine, [*HEAD, rests]), re.M)


def test_a_function_that_no_file_has_is_named_as_its_author_does(tmp_path):
    (tmp_path / "lacks.cpp").write_text("\n".join([*HEAD, "int helper(int);", MAIN.replace(
        "{ co_return", "{ if (helper(3) == 3) co_return mesh::Status::failed; co_return")]))
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", tmp_path / "lacks.cpp")
    assert outcome.status == 2 and "nothing defines helper(int)" in outcome.err, outcome
