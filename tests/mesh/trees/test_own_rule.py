"""A rule in a file: printed, checked at every node before it is used, and run on both engines."""
import json

import pytest

from mesh_tool import PACKET, ROOT, mesh, refused, run, tree, verified

MIRRORED = ROOT / "firmware/ops/own/mirrored.hpp"
BY_NODE = "PortSequence children(Network net, NodeId self, NodeId root)"
BY_ARRIVAL = "PortSequence children(Network net, Port arrival, unsigned links_crossed)"
PARENT = "Port parent(Network, NodeId self, NodeId root)"
# The binomial tree, by leading zeroes.
SBT = "return sbt_children_of(net, index(self) ^ index(root));"
SBT_HELPER = """static constexpr PortSequence sbt_children_of(Network net, unsigned relative) {
        return PortSequence::ascending(bits_above(relative) & low_bits(net.dim));
    }"""
HIGHEST = "return port_at(highest_bit(index(self) ^ index(root)));"
# The same by the arrival port alone, the paper's own idea.
BS = """const unsigned ahead = arrival == kNoPort ? ~0u : ~1u << index(arrival);
        return PortSequence::ascending(ahead & low_bits(net.dim));"""


def rule(folder, *functions):
    """A file with a tree of these functions, each a head and a body; children() is in line 5."""
    text = "".join(f"    static constexpr {head} {{\n        {body}\n    }}\n"
                   for head, body in functions)
    file = folder / "my.hpp"
    file.write_text('#include "core/own_rule.hpp"\n\nusing namespace mesh;\nstruct Mine {\n'
                    f"{text}    {SBT_HELPER}\n}};\nusing Tree = Mine;\n")
    return file


def usual(folder, name):
    """A tree of the firmware, written as a file."""
    return rule(folder, (BY_NODE, f"return mesh::children(net, Rule::{name}, 0, root, self);"))


def collective(topology, engine, dim, op, *more, packets=1):
    """`mesh run --op` with whole elements in so many packets, of which the last one is not full."""
    return run(engine, "--topology", topology, "--dim", dim, "--op", op, "--packet", PACKET,
               "--bytes", packets * PACKET - 4, *more)


def printed(file, *options):
    done = mesh("tree", "--rule", file, *options)
    assert done.status == 0, done
    return json.loads(done.out)


@pytest.mark.parametrize("root", [0, 5])
def test_a_rule_of_a_file_is_printed_as_a_tree_of_the_firmware_is(root, tmp_path):
    mine = printed(rule(tmp_path, (BY_NODE, SBT)), "--dim", 4, "--root", root)
    theirs = tree(4, "sbt", root)[1]
    assert mine["subtrees"] == theirs["subtrees"] and mine["height"] == theirs["height"]
    assert mine["tree"] == "own" and mine["rule"].endswith("my.hpp")


def test_the_mirrored_tree_is_the_binomial_tree_with_all_addresses_turned_round():
    mine = printed(MIRRORED, "--dim", 4)["subtrees"][0]["parent"]
    sbt = tree(4, "sbt")[0]["parent"]
    turned = [int(f"{node:04b}"[::-1], 2) for node in range(16)]
    assert mine == [-1] + [turned[sbt[turned[node]]] for node in range(1, 16)]
    for form, words in [("dot", "own (firmware/ops/own/mirrored.hpp)"), ("svg", "<svg"),
                        ("text", "0\n  8\n    12\n")]:
        done = mesh("tree", "--rule", "firmware/ops/own/mirrored.hpp", "--dim", 4,
                    "--format", form)
        assert done.status == 0 and words in done.out, done


def test_a_rule_by_the_arrival_port_is_printed_with_the_parents_that_follow(tmp_path):
    file = rule(tmp_path, (BY_ARRIVAL, BS))
    assert printed(file, "--dim", 4, "--root", 9)["subtrees"] == \
        tree(4, "bs", 9)[1]["subtrees"]


@pytest.mark.parametrize("op", ["bcast", "reduce", "allreduce", "scatter", "gather"])
def test_an_op_over_a_rule_of_a_file_is_verified(op):
    report = verified(collective("cube", "sim", 4, op, "--tree", MIRRORED, "--root", 6, packets=4))
    assert report["tree"] == "own"
    if op in ("bcast", "reduce"):
        assert report["formula"] == "P+h-1" and report["steps"] == report["formula_steps"] == 7
        assert (report["usual_tree"], report["usual_steps"]) == ("sbt", 7)


@pytest.mark.parametrize("topology, dim, name, ops",
                         [("uhc", 4, "bts", ["bcast", "allreduce"]), ("uhc", 5, "bt3", ["bcast"]),
                          ("star", 4, "spt", ["bcast", "reduce"])])
def test_other_networks_take_a_rule_of_a_file(topology, dim, name, ops, tmp_path):
    file = usual(tmp_path, name)
    mine = printed(file, "--topology", topology, "--dim", dim)
    assert mine["subtrees"] == tree(dim, name, topology=topology)[1]["subtrees"]
    for op in ops:
        mine, theirs = (verified(collective(topology, "sim", dim, op, "--tree", word, packets=3))
                        for word in (file, name))
        assert mine["steps"] == theirs["steps"] and mine["hops"] == theirs["hops"]


def test_a_rule_by_the_arrival_port_broadcasts_and_climbs_only_with_a_parent(tmp_path):
    file = rule(tmp_path, (BY_ARRIVAL, BS))
    verified(collective("cube", "sim", 4, "bcast", "--tree", file, packets=3))
    for op in "reduce", "scatter":
        refused(collective("cube", "sim", 4, op, "--tree", file), "give it static constexpr Port")
    file = rule(tmp_path, (BY_ARRIVAL, BS), (PARENT, HIGHEST))
    for op in "reduce", "scatter":
        verified(collective("cube", "sim", 4, op, "--tree", file, packets=3))


def test_links_crossed_are_counted(tmp_path):
    """A tree of two levels by their number: the root feeds all, and nobody else sends."""
    body = """if (links_crossed > 1)
            return {};
        return links_crossed == 0 ? PortSequence::ascending(3) : PortSequence::ascending(
            arrival == port_at(0) ? 2 : 0);"""
    file = rule(tmp_path, (BY_ARRIVAL, body))
    assert printed(file, "--dim", 2)["height"] == 2
    verified(collective("cube", "sim", 2, "bcast", "--tree", file, packets=3))


FED_TWICE = "return PortSequence::ascending(~(index(self) ^ index(root)) & low_bits(net.dim));"
NEVER_FED = "return sbt_children_of(net, (index(self) ^ index(root)) | 4);"
NO_SUCH_PORT = "return PortSequence::ascending(1u << net.dim);"
LOWEST = "return port_at(lowest_bit(index(self) ^ index(root)));"


@pytest.mark.parametrize("functions, words", [
    ([(BY_NODE, FED_TWICE)],
     "my.hpp:5: node 3 (0011) is fed by node 1 (0001) and by node 2 (0010)"),
    ([(BY_NODE, NEVER_FED)], "my.hpp:5: node 1 (0001) is never fed, nor are 13 others"),
    ([(BY_NODE, NO_SUCH_PORT)],
     "my.hpp:5: node 0 (0000) sends by port 4; its out-ports are 0, 1, 2, 3"),
    ([(BY_NODE, SBT), (PARENT, LOWEST)],
     "my.hpp:8: parent() of node 3 (0011) is port 0, to node 2 (0010), but node 1 (0001) has it "
     "as a child, over port 1"),
    ([(BY_NODE, "return PortSequence::ascending(1);")],
     "my.hpp:5: the root, node 0 (0000), is fed by node 1 (0001)"),
    ([(BY_NODE, "return PortSequence::ascending(1u << (12 / index(self)));")],
     "my.hpp:5: children() of node 0 (0000), root 0, ended with: division by zero"),
    ([(BY_NODE, "return sbt_children_of(net, highest_bit(index(self)));")],
     "my.hpp:5: children() of node 0 (0000), root 0, ended with: the program called abort()"),
])
@pytest.mark.parametrize("command", [["tree", "--rule"],
                                     ["run", "--engine", "sim", "--op", "bcast", "--tree"]])
def test_a_file_that_is_no_tree_is_refused_with_line_and_nodes(command, functions, words, tmp_path):
    done = mesh(*command, rule(tmp_path, *functions), "--dim", 4)
    assert done.status == 2 and words in done.err.splitlines()[-1] and done.out == "", done


def test_a_rule_that_is_right_for_one_root_serves_an_op_from_that_root_only(tmp_path):
    file = rule(tmp_path, (BY_NODE, "return sbt_children_of(net, index(self));"))

    def tried(op, root):
        return mesh("run", "--engine", "sim", "--dim", 4, "--op", op, "--root", root,
                    "--tree", file)

    for op in ("bcast", "scatter", "gather", "reduce", "allreduce"):
        assert tried(op, 0).status == 0, tried(op, 0)
        refused(tried(op, 5), "my.hpp:5: the tree of root 5 (0101): ")
    for whole in (tried("allgather", 0), tried("alltoall", 0),
                  mesh("tree", "--dim", 4, "--rule", file)):
        refused(whole, "my.hpp:5: the tree of root 1 (")


def test_what_the_compiler_says_of_a_file_is_shown_with_its_line(tmp_path):
    done = mesh("tree", "--dim", 3, "--rule", rule(tmp_path, (BY_NODE, "return net.size;")))
    assert done.status == 2 and "my.hpp:6:" in done.err and "size" in done.err, done
    done = mesh("tree", "--dim", 3, "--rule", rule(tmp_path, ("int children(int)", "return 0;")))
    assert done.status == 2 and "has one of these two functions" in done.err, done
    nameless = tmp_path / "nameless.hpp"
    nameless.write_text(MIRRORED.read_text().replace("using Tree = Mirrored;", ""))
    done = mesh("tree", "--dim", 3, "--rule", nameless)
    assert done.status == 2 and "the file says: using Tree = NAME;" in done.err, done
    refused(mesh("tree", "--dim", 3, "--rule", tmp_path / "other.hpp"), "no such file")


def test_a_changed_file_is_another_tree(tmp_path):
    assert printed(rule(tmp_path, (BY_NODE, SBT)), "--dim", 3)["height"] == 3
    path = "return mesh::children(net, Rule::hp, 0, root, self);"
    assert printed(rule(tmp_path, (BY_NODE, path)), "--dim", 3)["height"] == 7


def test_a_path_is_too_long_for_a_scatter(tmp_path):
    refused(collective("cube", "sim", 5, "scatter", "--tree", usual(tmp_path, "hp")),
            "goes over trees of up to 20 links")
    verified(collective("cube", "sim", 5, "bcast", "--tree", usual(tmp_path, "hp"), packets=2))


@pytest.mark.parametrize("op, steps", [("bcast", 5), ("reduce", 5), ("scatter", 12)])
def test_nodes_of_a_board_run_a_rule_of_a_file_in_the_steps_of_the_simulation(op, steps):
    taken = [verified(collective("cube", engine, 3, op, "--lockstep", "--tree", MIRRORED,
                                 packets=3))["steps"] for engine in ("sim", "qemu")]
    assert taken == [steps, steps]


@pytest.mark.parametrize("topology, name", [("uhc", "bts"), ("star", "spt")])
def test_nodes_of_a_board_run_a_rule_of_a_file_on_other_networks(topology, name, tmp_path):
    file = usual(tmp_path, name)
    taken = [verified(collective(topology, "qemu", 3, "bcast", "--lockstep", "--tree", word,
                                 packets=3))["steps"] for word in (file, name)]
    assert taken[0] == taken[1]


def test_nodes_of_a_board_count_the_links_that_a_packet_has_crossed(tmp_path):
    verified(collective("cube", "qemu", 3, "bcast", "--tree", rule(tmp_path, (BY_ARRIVAL, BS)),
                        packets=3))


def test_an_image_of_the_users_goes_without_a_rule():
    refused(mesh("run", "--engine", "sim", "--dim", 3, "--op", "bcast", "--tree", MIRRORED,
                 "--image", "./x.elf"), "goes without --image")
