"""What no node can see by itself a simulation tells: as what type a value was sent, that a value
was never set or has gone, and that a loop waits for nothing."""
import re

import pytest

from mesh_tool import console, mesh
from told_tool import COMPILER, HEAD, built, line_of, told

# Values that are taken as another type, or that nobody has set.
VALUES = HEAD + """
struct Reading { std::uint32_t id; float value; };
struct Setting { std::uint32_t id; std::uint32_t limit; };
Process later(Kernel& node, Channel<int>& channel) {
    co_await node.sleep(5 * wire::kTicksPerUnit);
    co_await channel.write(3); // gone
    co_return Status::ok;
}
Process gone(Kernel& node) {
    Channel<int> channel{node};
    if (!node.spawn(later(node, channel)))
        co_return Status::no_memory;
    co_await node.sleep(1);
    co_return Status::ok;
}
Process at_once(Kernel&, Channel<int>& channel) {
    co_await channel.write(3); // held
    co_return Status::ok;
}
Process takes(Kernel& node) {
    Channel<int> channel{node};
    if (!node.spawn(at_once(node, channel)))
        co_return Status::no_memory;
    const int value = co_await channel.read();
    co_return value == 3 ? Status::ok : Status::failed;
}
Process reads(Kernel& node, const unsigned& number) {
    co_await node.sleep(5 * wire::kTicksPerUnit);
    print("{}\\n", number); // read
    co_return Status::ok;
}
Process lends(Kernel& node) {
    unsigned number = 7;
    if (!node.spawn(reads(node, number)))
        co_return Status::no_memory;
    co_await node.sleep(1);
    co_return number == 7 ? Status::ok : Status::failed;
}
std::array<int, 4> four{};
[[gnu::noinline]] int sum_of(std::size_t end) {
    int places[4] = {1, 2, 3, 4}, sum = 0;
    for (const int* place = places; place != places + end; ++place)
        sum += *place; // 15
    return sum;
}
[[gnu::noinline]] void write_at(std::size_t at) {
    int* const places = four.data();
    places[at] = 1; // 16
}
Process app_main(Kernel& node) {
    const bool first = node.id() == NodeId{0};
    const int which = word<int>(node, 0, 0);
    const NodeId other = node_at(1);
    Reading reading{3, 1.5F};
    Setting setting{};
    float number = 1;
    std::array<unsigned, 2> bits{3, 4};
    std::array<std::byte, 8> room{};
    Status status = Status::ok;
    if (first && which <= 2)
        status = co_await send_value(node, reading, other, 5);
    if (!first && which == 1)
        status = (co_await receive_value(node, setting)).status; // 1
    if (!first && which == 2) // no mistake: bytes may be anything, and receive() takes anything
        status = (co_await receive_value(node, room, NodeId{0}, 5)).status;
    if (first && which == 3)
        status = co_await ChannelOut{other, ChannelNumber{1}}.write(node, reading);
    if (!first && which == 3)
        status = (co_await ChannelIn{NodeId{0}, ChannelNumber{1}}.read(node, setting)).status; // 3
    if (first && which == 4)
        status = co_await ChannelOut<float>{node, other, ChannelNumber{2}}.write(number);
    if (!first && which == 4)
        bits[0] = co_await ChannelIn<unsigned>{node, NodeId{0}, ChannelNumber{2}}.read(); // 4
    for (int round = 0; first && which == 5 && round < 3; ++round) // no mistake, each
        if (const Status sent = round == 1 ? co_await send_value(node, -1, other, 6)
                                           : co_await send_value(node, bits, other, 6);
            sent != Status::ok)
            status = sent;
    if (!first && which == 5) {
        std::array<int, 2> signs{};
        unsigned one = 0;
        status = (co_await receive(node, room, NodeId{0}, 6)).status;
        if (status == Status::ok) {
            const auto [verdict, source, tag, bytes] =
                co_await receive_value(node, one, NodeId{0}, 6);
            status = tag == 6 && source == NodeId{0} && bytes == 4 ? verdict : Status::failed;
        }
        if (status == Status::ok)
            status = (co_await receive_value(node, signs, NodeId{0}, 6)).status;
        print("{} {}\\n", one == ~0u, signs[1]);
    }
    if (!first && which == 6) {
        status = co_await gone(node);
        co_await node.sleep(9 * wire::kTicksPerUnit);
    }
    if (!first && which == 19) {
        status = co_await takes(node);
        co_await node.sleep(9 * wire::kTicksPerUnit);
    }
    if (!first && which == 7) {
        status = co_await lends(node);
        co_await node.sleep(9 * wire::kTicksPerUnit);
    }
    if (!first && which == 8) {
        unsigned sum;
        co_await node.yield();
        std::memcpy(bits.data(), &sum, sizeof sum);
        print("{}\\n", bits[0]); // 8
    }
    if (!first && which == 10) {
        if (!node.spawn(reads(node, 42))) // 10
            status = Status::no_memory;
        co_await node.sleep(9 * wire::kTicksPerUnit);
    }
    if (!first && which == 11) // no mistake: it stays until par() has ended
        status = co_await par(node, reads(node, 42));
    if (!first && which == 12) { // nor this: the variable stays
        if (!node.spawn(reads(node, bits[0])))
            status = Status::no_memory;
        co_await node.sleep(9 * wire::kTicksPerUnit);
    }
    if (!first && which == 18) {
        int sum;
        co_await node.yield();
        std::memcpy(bits.data(), &sum, sizeof sum);
        status = co_await send_value(node, bits[0], NodeId{0}, 2); // 18
    }
    if (!first && which == 15)
        print("{}\\n", sum_of(bits[1] + 1)); // of five places
    if (!first && which == 16)
        write_at(bits[1]);
    if (!first && which == 17) {
        write_at(bits[0]);
        print("{}\\n", sum_of(bits[1]));
    }
    if (!first && which == 13)
        status = (co_await receive_value(node, number, NodeId{0}, 9)).status;
    if (!first && which == 14)
        status = (co_await ChannelIn<float>{node, NodeId{0}, ChannelNumber{7}}.read(number)).status;
    if (!first && which == 9)
        print("{} {}\\n", static_cast<const char*>(nullptr), 0xDBDBDBDAu);
    co_return status;
}
"""
OTHER = "a value of type Reading is taken as one of type Setting"


@pytest.fixture(scope="module")
def values(tmp_path_factory):
    return built(tmp_path_factory.mktemp("values"), "values", VALUES)


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
def test_a_value_that_cannot_be_meant_is_told_with_the_program_s_line(values, which, cause, mark):
    if which == 15 and COMPILER < 13:
        pytest.skip("GCC 12 does not see what a pointer in a coroutine points to")
    last = told(values, which, "--dim", 1)
    assert last.startswith("mesh: node 1 firmware stopped: ") and cause in last, last
    assert re.search(rf"values\.cpp:{line_of(VALUES, mark)}\b", last), last


def test_both_types_are_named(values):
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", values, "--", 1)
    assert console(outcome) == {1: [OTHER]}, outcome


@pytest.mark.parametrize("which, printed", [(2, {}), (5, {1: ["true 4"]}),
                                            (9, {1: ["(null) 3688618970"]}),
                                            (11, {1: ["42"]}), (12, {1: ["3"]}), (17, {1: ["10"]})])
def test_what_may_be_meant_is_not_told(values, which, printed):
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", values, "--", which)
    assert outcome.status == 0 and console(outcome) == printed, outcome


@pytest.mark.parametrize("which, what", [(13, "a message with tag 9 from node 0"),
                                         (14, "a message on channel 7 from node 0")])
def test_what_a_node_waited_for_in_vain_is_named(values, which, what):
    last = told(values, which, "--dim", 1)
    assert "node 1 ended with: unreachable" in last, last
    assert f"; node 1 waited in vain for {what}; repeat: " in last, last


# Loops that look without a wait.
GLANCES = HEAD + """
bool flag = false;
Process writes(Kernel& node, Channel<int>& channel) {
    flag = node.id() != NodeId{0};
    co_await channel.write(3);
    co_return Status::ok;
}
Process app_main(Kernel& node) {
    const int which = word<int>(node, 0, 0);
    Channel<int> channel{node};
    std::uint32_t last = 0;
    if (index(node.id()) == 0)
        co_return which == 2 ? co_await send_value(node, which, node_at(1), 1) : Status::ok;
    if (!node.spawn(writes(node, channel)))
        co_return Status::no_memory;
    while (which == 1)
        if (co_await alt(node, on(channel)) == 1) // 1
            break;
    while (which == 2)
        if (co_await alt(node, on_message()) == 1) // 2
            break;
    while (which == 3)
        if (co_await fair_alt(node, last, on(channel)) == 1) // 3
            break;
    while (which == 4)
        if (probe(node, NodeId{0}, 3)) // 4
            break;
    while (which == 5 && !flag)
        ; // 5
    const int got = co_await channel.read();
    co_return got == 3 ? Status::ok : Status::failed;
}
"""
TAKES_NOTHING = "alt() finds the same thing ready again and again: its branch must take it"
CAUSES = {1: TAKES_NOTHING, 2: TAKES_NOTHING, 3: TAKES_NOTHING,
          4: "it calls probe() again and again and never waits, so that nothing comes",
          5: "what another process or node does is seen behind a wait only: in a loop that looks "
             "for it, co_await node.yield()"}


@pytest.fixture(scope="module")
def glances(tmp_path_factory):
    return built(tmp_path_factory.mktemp("glances"), "glances", GLANCES)


@pytest.mark.parametrize("which", CAUSES)
def test_a_loop_around_an_alt_or_probe_is_told_as_such(glances, which):
    last = told(glances, which, "--dim", 1, "--timeout", 0.3)
    line = line_of(GLANCES, which)
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


TIMES = HEAD + """
Process app_main(Kernel& node) {
    co_await node.sleep(wire::kTicksPerUnit);
    co_return Status::ok;
}
"""


@pytest.fixture(scope="module")
def times(tmp_path_factory):
    folder = tmp_path_factory.mktemp("times")
    for name, source in ("times", TIMES), ("never", TIMES.replace("sleep(wire::kTicksPerUnit)",
                                                                  "yield()")):
        (folder / f"{name}.cpp").write_text(source)
        outcome = mesh("build", f"{name}.cpp", "-o", name, cwd=folder)
        assert outcome.status == 0, outcome
    return folder


@pytest.mark.parametrize("program, how, lines", [
    ("times", ["--engine", "qemu"], 1), ("times", ["--engine", "qemu", "--quiet"], 0),
    ("times", ["--engine", "qemu", "--lockstep"], 0), ("times", ["--engine", "sim"], 0),
    ("never", ["--engine", "qemu"], 0)])
def test_a_run_says_once_that_its_program_waited_for_times(times, program, how, lines):
    outcome = mesh("run", *how, "--dim", 1, "--app", times / program)
    said = re.findall(r"^mesh: \S+ waits for times: ", outcome.err, re.M)
    assert outcome.status == 0 and len(said) == lines, outcome
