"""What no node can see by itself a simulation tells: as what type a value was sent, that a value
was never set or has gone, and that a loop waits for nothing."""
import re

import pytest

from mesh_tool import ROOT, console, mesh, program
from told_tool import COMPILER, HEAD, built, line_of, told

VALUES = ROOT / "tests" / "mesh" / "programs" / "values.cpp"
GLANCES = VALUES.with_name("glances.cpp")
OTHER = "a value of type Reading is taken as one of type Setting"


@pytest.mark.parametrize("which, cause, mark", [
    (1, "a message is taken as another type than it was sent as", 1),
    (3, "a channel is read as another type than it is written as", 3),
    (4, "a channel is read as another type than it is written as", 4),
    (6, "a channel is used that has gone with the function that it was a variable of", "gone"),
    (19, "a channel is used that has gone with the function that it was a variable of", "held"),
    (7, "a value that nobody has set", "read"), (8, "a value that nobody has set", 8),
    (18, "a value that nobody has set", 18),
    (15, "an index lies outside of its array", 15), (16, "an index lies outside of its array", 16),
    (10, "a process is spawned with a reference to a temporary value", 10)])
def test_a_value_that_cannot_be_meant_is_told_with_the_program_s_line(which, cause, mark):
    if which == 15 and COMPILER < 13:
        pytest.skip("GCC 12 does not see what a pointer in a coroutine points to")
    last = told(program("values"), which, "--dim", 1)
    assert last.startswith("mesh: node 1 firmware stopped: ") and cause in last, last
    assert re.search(rf"values\.cpp:{line_of(VALUES.read_text(), mark)}\b", last), last


def test_both_types_are_named():
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", program("values"), "--", 1)
    assert console(outcome) == {1: [OTHER]}, outcome


@pytest.mark.parametrize("which, printed", [(2, {}), (5, {1: ["true 4"]}),
                                            (9, {1: ["(null) 3688618970"]}),
                                            (11, {1: ["42"]}), (12, {1: ["3"]}), (17, {1: ["10"]})])
def test_what_may_be_meant_is_not_told(which, printed):
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", program("values"), "--", which)
    assert outcome.status == 0 and console(outcome) == printed, outcome


@pytest.mark.parametrize("which, what", [(13, "a message with tag 9 from node 0"),
                                         (14, "a message on channel 7 from node 0")])
def test_what_a_node_waited_for_in_vain_is_named(which, what):
    last = told(program("values"), which, "--dim", 1)
    assert "node 1 ended with: unreachable" in last, last
    assert f"; node 1 waited in vain for {what}; repeat: " in last, last


FORGOTTEN = HEAD + """Process app_main(Kernel& node) {
    Outbox outbox{node, node.workspace()};
    for (unsigned k = 0; k < 2 && index(node.id()) < word<unsigned>(node, 0, 1); ++k)
        if (outbox.try_put(k, node.neighbor(port_at(0))) != Status::ok)
            co_return Status::no_memory;
    co_return Status::ok;
}
"""


@pytest.mark.parametrize("nodes, words", [
    (1, "node 0 gave up an Outbox with 2 messages in it"),
    (2, "nodes 0 1 gave up an Outbox with messages in it, node 0 with 2 messages")], ids=["1", "2"])
def test_messages_that_go_with_their_outbox_are_told(nodes, words, tmp_path):
    last = told(built(tmp_path, "forgotten", FORGOTTEN), nodes, "--dim", 1)
    assert f"{words}: co_await its flush() before it goes" in last, last
    assert "own verdict" not in last, last


TAKES_NOTHING = "alt() finds the same thing ready again and again: its branch must take it"
CAUSES = {1: TAKES_NOTHING, 2: TAKES_NOTHING, 3: TAKES_NOTHING,
          4: "it calls probe() again and again and never waits, so that nothing comes",
          5: "what another process or node does is seen behind a wait only: in a loop that looks "
             "for it, co_await node.yield()"}


@pytest.mark.parametrize("which", CAUSES)
def test_a_loop_around_an_alt_or_probe_is_told_as_such(which):
    last = told(program("glances"), which, "--dim", 1, "--timeout", 0.3)
    line = line_of(GLANCES.read_text(), which)
    assert CAUSES[which] in last, last
    near = f"{line}|{line - 1}" if which == 5 and COMPILER >= 13 else line
    assert re.search(rf"glances\.cpp:({near})\b", last), last


HOLDS_POINTER = HEAD + """
struct Name {{ int length; const char* text; }};
struct Outer {{ std::array<int, 3> numbers; Name name; }};
struct Plain_ {{ std::array<Status, 2> all; float x; }};
Process app_main(Kernel& node) {{
    Plain_ plain{{}}; Name name{{}}; Outer outer{{}};
    {}
    co_return status;
}}
"""
POINTERS = ["const Status status = co_await send_value(node, name, node.id());",
            "const Status status = (co_await receive_value(node, outer)).status;",
            "const Status status = co_await broadcast_value(node, outer);",
            "const Status status = co_await ChannelOut{node.id(), ChannelNumber{1}}"
            ".write(node, name);"]


@pytest.mark.parametrize("call", POINTERS)
def test_a_pointer_in_a_message_does_not_compile(tmp_path, call):
    (tmp_path / "wrong.cpp").write_text(HOLDS_POINTER.format(call))
    outcome = mesh("build", "--engine", "sim", "wrong.cpp", "-o", "wrong", cwd=tmp_path)
    assert outcome.status == 2, outcome
    assert "a pointer in them means nothing on another node: send what it" in outcome.err, outcome


def test_a_struct_without_a_pointer_may_be_sent(tmp_path):
    call = "const Status status = co_await broadcast_value(node, plain); name = outer.name;"
    built(tmp_path, "right", HOLDS_POINTER.format(call))


@pytest.mark.parametrize("name, how, lines", [
    pytest.param("times", ["--engine", "qemu"], 1, marks=pytest.mark.free),
    pytest.param("times", ["--engine", "qemu", "--quiet"], 0, marks=pytest.mark.free),
    ("times", ["--engine", "qemu", "--lockstep"], 0), ("times", ["--engine", "sim"], 0),
    pytest.param("yields", ["--engine", "qemu"], 0, marks=pytest.mark.free)])
def test_a_run_says_once_that_its_program_waited_for_times(name, how, lines):
    outcome = mesh("run", *how, "--dim", 1, "--app", program(name))
    said = re.findall(r"^mesh: \S+ waits for times: ", outcome.err, re.M)
    assert outcome.status == 0 and len(said) == lines, outcome
