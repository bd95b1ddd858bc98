"""The words on the exchanges of an op, in the page of a run and in `mesh tree --op --why`: who
gives what to whom in which step is what the packets of that run do, and comes to what the op is
for."""
import json
import re

import pytest

from mesh_tool import mesh, refused

BYTES = 24  # of a block; it has whole halves, thirds and quarters
RUN = r'<script type="application/json" id="run">(.*?)</script>'
CYCLE = re.compile(r"Cycle (\d+), across (\d+) with ([01]+): gives (.*?); gets (.*?): ")


def page_of(tmp_path, *words):
    """The run in a page, with the sentences of each node."""
    file = tmp_path / "run.html"
    outcome = mesh("run", "--engine", "sim", *words, "--report", file)
    assert outcome.status == 0, outcome
    run = json.loads(re.search(RUN, file.read_text(), re.S)[1])
    told = [[run["words"][place] for place in places] for places in run["exchanges"]]
    assert len(told) == len(run["nodes"]), "every node is explained"
    return run, told


def cycles_of(told):
    """{(node, cycle, port): (other node, what it gives, what it gets)}."""
    cycles = {}
    for node, lines in enumerate(told):
        for line in lines:
            cycle, port, other, gives, gets = CYCLE.match(line).groups()
            cycles[node, int(cycle) - 1, int(port)] = (int(other, 2), gives, gets)
    return cycles


def bytes_in(words):
    """{(source, target or None, byte)} of "the blocks of 010 and 011", or "010 to 001": of a part,
    as in "part 1 of 2 of 010", some."""
    found = set()
    for number, parts, source, target in re.findall(
            r"(?:part (\d) of (\d) of )?([01]+)(?: to ([01]+))?", words):
        number, parts = int(number or 1), int(parts or 1)
        found |= {(int(source, 2), int(target, 2) if target else None, byte) for byte in
                  range((number - 1) * BYTES // parts, number * BYTES // parts)}
    return found


@pytest.mark.parametrize("op, dim, tree, ports", [
    ("allgather", 3, "sbt", "half"), ("allgather", 3, "sbg", "all"),
    ("allgather", 4, "sbnt-minr", "all"), ("alltoall", 3, "sbt", "half"),
    ("alltoall", 4, "sbnt-maxl", "all"), ("alltoall", 3, "sbg", "duplex"),
    ("alltoall", 3, "tcbt", "all")])
def test_who_gives_which_blocks_in_a_cycle_is_what_the_packets_do(tmp_path, op, dim, tree, ports):
    run, told = page_of(tmp_path, "--dim", dim, "--op", op, "--tree", tree, "--ports", ports,
                        "--bytes", BYTES, "--packet", 0)
    cycles = cycles_of(told)
    crossed = {}
    for node, port, _, _, _, _, packet, *_ in run["hops"]:
        crossed.setdefault((node, port), []).append(run["packets"][packet][3])
    said = {}
    for (node, cycle, port), (other, gives, gets) in sorted(cycles.items()):
        assert other == node ^ 1 << port
        assert cycles[other, cycle, port] == (node, gets, gives), "both ends say the same"
        said.setdefault((node, port), []).append(len(bytes_in(gives)))
    assert said == crossed
    # Nobody gives what it has not got, and at the end everybody has what the op is for.
    nodes = range(2 ** dim)
    personal = op == "alltoall"
    held = [{(node, target if personal else None, byte) for target in nodes
             for byte in range(BYTES)} for node in nodes]
    everything = set().union(*held)
    for cycle in range(1 + max(number for _, number, _ in cycles)):
        came = [set() for _ in nodes]
        for (node, number, _), (other, gives, _) in cycles.items():
            if number == cycle:
                assert bytes_in(gives) <= held[node], (node, cycle, gives)
                came[other] |= bytes_in(gives)
        for node in nodes:
            held[node] |= came[node]
    for node in nodes:
        due = {one for one in everything if one[1] == node} if personal else everything
        assert due <= held[node], node


ACROSS = re.compile(r"([0-9A-Z]+) across (\d+)")


def path_run(tmp_path, op, topology, dim, tree, *words):
    """A run by packets over disjoint trees: nodes by label, words of each node, and its hops as
    (node, port, other node, source, target, tree)."""
    run, told = page_of(tmp_path, "--topology", topology, "--dim", dim, "--op", op, "--tree", tree,
                        "--bytes", BYTES, *words)
    nodes = {node[2]: number for number, node in enumerate(run["nodes"])}
    hops = [(node, port, to, run["packets"][packet][0], run["packets"][packet][4], subtree)
            for node, port, to, _, _, subtree, packet, *_ in run["hops"]]
    return nodes, told, hops


def numbers(words):
    return [int(number) for number in re.findall(r"\d+", words)]


def spread_as_told(nodes, told, words):
    """What comes and what goes of the blocks of an allgather, or of `words` of them: (node, port,
    other node, source, tree)."""
    came, went = set(), set()
    for node, lines in enumerate(told):
        for line in lines[1:]:
            gets = re.match(rf"Gets {words}the block of (\w+) through tree (\d+) from (\w+) across "
                            r"(\d+)", line)
            gives = re.match(rf"Gives {words}its own block through tree (\d+) to ", line)
            source = nodes[gets[1]] if gets else node
            subtree = int((gets or gives)[2 if gets else 1])
            if gets:
                came.add((nodes[gets[3]], int(gets[4]), node, source, subtree))
            for label, port in ACROSS.findall(line[(gets or gives).end():]):
                went.add((node, int(port), nodes[label], source, subtree))
    return came, went


@pytest.mark.parametrize("topology, dim, tree, copies, words", [
    ("star", 4, "edt", 1, "the first packet of "), ("star", 3, "edt-v2", 2, ""),
    ("uhc", 4, "ist", 1, "the first packet of "), ("uhc", 4, "adst", 2, ""),
    ("uhc", 5, "bts", 1, "")])
def test_an_allgather_over_disjoint_trees_goes_as_it_is_told(tmp_path, topology, dim, tree, copies,
                                                             words):
    nodes, told, hops = path_run(tmp_path, "allgather", topology, dim, tree, "--copies", copies)
    came, went = spread_as_told(nodes, told, words)
    assert came == went == {(*hop[:4], hop[5]) for hop in hops}
    assert len(came) == len(hops) == copies * len(nodes) * (len(nodes) - 1)


@pytest.mark.parametrize("topology, dim, tree, copies", [
    ("uhc", 4, "ist", 1), ("star", 4, "edt", 2), ("uhc", 4, "adst", 2), ("uhc", 4, "bts", 1)])
def test_of_a_block_in_packets_the_words_are_true_of_those_that_they_name(tmp_path, topology, dim,
                                                                          tree, copies):
    run, told = page_of(tmp_path, "--topology", topology, "--dim", dim, "--op", "allgather",
                        "--tree", tree, "--copies", copies, "--packet", 16, "--bytes", 48)
    nodes = {node[2]: number for number, node in enumerate(run["nodes"])}
    gone = {}  # by packet of a block
    for node, port, to, _, _, subtree, packet, *_ in run["hops"]:
        source, _, position, *_ = run["packets"][packet]
        gone.setdefault(position % 48 // 16, set()).add((node, port, to, source, subtree))
    alike = not any("first packet of the block" in line for lines in told for line in lines)
    came, went = spread_as_told(nodes, told, "" if alike else "the first packet of ")
    assert sorted(gone) == [0, 1, 2] and came == went == gone[0]
    trees = sorted({subtree for *_, subtree in gone[0] | gone[1] | gone[2]})
    assert alike == (copies == len(trees)) == (gone[0] == gone[1] == gone[2])
    for node in range(len(nodes)):
        begin = [trees.index(int(number)) for number in
                 re.findall(r", trees? (\d+); each further", told[node][0])] or [0]
        for number, hops in gone.items():
            assert {subtree for *_, source, subtree in hops if source == node} == {
                trees[(begin[0] + number * copies + copy) % len(trees)] for copy in range(copies)}


@pytest.mark.parametrize("topology, dim, tree, copies, schedule", [
    ("star", 4, "edt", 1, "queue"), ("star", 4, "edt", 3, "necklace"),
    ("star", 4, "edt", 2, "necklace"), ("uhc", 4, "adst", 1, "queue"),
    ("uhc", 5, "ist", 1, "queue"), ("uhc", 4, "bts", 1, "queue")])
def test_an_alltoall_over_disjoint_trees_goes_as_it_is_told(tmp_path, topology, dim, tree, copies,
                                                            schedule):
    nodes, told, hops = path_run(tmp_path, "alltoall", topology, dim, tree, "--copies", copies,
                                 "--schedule", schedule)
    own = {(node, target, subtree, port) for node, port, _, source, target, subtree in hops
           if node == source}
    said = set()
    for node, lines in enumerate(told):
        text = "; ".join(lines)
        for label, trees, ports in re.findall(
                r"[Tt]o (\w+)(?:, relative [^;]*?(?:;[^;]*?)?:)? through trees? ([\d, and]+), "
                r"first across ([\d and]+)", text):
            said |= {(node, nodes[label], *both) for both in zip(numbers(trees), numbers(ports))}
        passed = [port for at, port, _, source, *_ in hops if at == node != source]
        told_of = dict(reversed(numbers(pair)) for pair in
                       re.findall(r"\d+ across \d+", lines[-1].split("as they come: ")[1]))
        assert told_of == {port: passed.count(port) for port in set(passed)}, lines[-1]
        for label, links in re.findall(r"To (\w+), relative \w+: ([\d, and]+) links in", text):
            for target, subtree in {(target, subtree) for _, target, subtree, _ in own
                                    if target == nodes[label]}:
                way = [hop for hop in hops if hop[3:] == (node, target, subtree)]
                first = min(subtree for *_, subtree in hops)
                assert not way or len(way) == numbers(links)[subtree - min(first, 2)], (node, label)
    assert said == own and len(own) == copies * len(nodes) * (len(nodes) - 1)


@pytest.mark.parametrize("topology, dim, tree, what, sure", [
    ("uhc", 5, "ist", r"and the number of ones of the relative address, (\d), decides",
     lambda relative, found: relative.count("1") == int(found)),
    ("uhc", 4, "ist", r"and several trees have the node at (the same) place",
     lambda relative, _: relative[2:] + relative[:2] == relative),
    ("star", 4, "edt", r"and the smaller of (the turned) addresses decides", lambda *_: True)])
def test_what_decides_between_trees_that_are_equally_near_is_said(topology, dim, tree, what, sure):
    told = mesh("tree", "--topology", topology, "--dim", dim, "--op", "alltoall", "--tree", tree,
                "--why", 0).out
    ties = re.findall(r"relative (\w+): [^:]*? are equally near, (.*?): ", told)
    said = [(relative, re.match(what, words)) for relative, words in ties]
    assert any(found for _, found in said)
    assert all(sure(relative, found[1]) for relative, found in said if found)
    if topology == "uhc" and dim % 2:
        assert all(found for _, found in said), "no address is turned there"


def test_an_alltoall_of_many_nodes_is_told_in_short_time():
    told = mesh("tree", "--topology", "uhc", "--dim", 18, "--op", "alltoall", "--why", 1).out
    assert sum(map(int, re.findall(r"(\d+) across", told))) == 2 ** 18 - 1
    refused(mesh("tree", "--topology", "star", "--dim", 9, "--op", "alltoall", "--schedule",
                 "necklace", "--why", 1), "--schedule necklace: rounds are told")


@pytest.mark.parametrize("topology, dim", [("cube", 4), ("uhc", 4), ("star", 4)])
def test_a_barrier_is_told_round_by_round_as_its_packets_go(tmp_path, topology, dim):
    run, told = page_of(tmp_path, "--topology", topology, "--dim", dim, "--op", "barrier")
    labels = {node[2]: number for number, node in enumerate(run["nodes"])}
    sent = {(node, begin, port) for node, port, _, begin, *_ in run["hops"]}
    known = [{node} for node in labels.values()]
    said = set()
    for step in range(max(map(len, told))):
        before = [set(nodes) for nodes in known]
        for node, lines in enumerate(told):
            tells, rest = lines[step].split(";", 1)
            hears = rest.split(";")[0] if topology != "cube" else tells
            for label, port in re.findall(r"(\w+) across (\d+)", tells.split(": ")[1]):
                said.add((node, step, int(port)))
            for label, _ in re.findall(r"(\w+) across (\d+)", hears):
                known[node] |= before[labels[label]]
            assert len(known[node]) == int(re.search(r"(\d+) nodes", lines[step])[1]), lines[step]
    assert all(nodes == set(labels.values()) for nodes in known)
    assert said == sent


def test_a_scan_says_which_total_goes_where(tmp_path):
    run, told = page_of(tmp_path, "--dim", 3, "--op", "scan", "--bytes", 4)
    assert told[2] == [
        "Dimension 0: exchange with 011 across 0; bit 0 of 010 is 0: its sums stay, the total of "
        "011 goes behind its total, which is that of 01* then.",
        "Dimension 1: exchange with 000 across 1; bit 1 of 010 is 1: the total of 00* goes before "
        "its sums and before its total, which is that of 0** then.",
        "Dimension 2: exchange with 110 across 2; bit 2 of 010 is 0: its sums stay, the total of "
        "1** goes behind its total, which is that of *** then."]
    sent = {(node, port) for node, port, *_ in run["hops"]}
    assert sent == {(node, int(re.search(r"across (\d)", line)[1]))
                    for node, lines in enumerate(told) for line in lines}


def hops_of_messages(tmp_path, *words):
    """A run by messages: nodes by label, words of each node, and its hops in their order as
    (sender, target, node, port, node after it)."""
    run, told = page_of(tmp_path, *words)
    nodes = {node[2]: number for number, node in enumerate(run["nodes"])}
    hops = [(*(run["packets"][packet][place] for place in (0, 4)), node, port, to)
            for node, port, to, _, _, _, packet, *_ in run["hops"]]
    return nodes, told, hops


def goes_after(hops, later, earlier):
    """The message of one (sender, target) leaves when that of the other has come."""
    gone = [hop[:2] for hop in hops]
    return gone.index(later) > len(gone) - 1 - gone[::-1].index(earlier)


def way_told(nodes, start, words):
    """[(node, port, node after it)] of "2 links: 0110 across 2, 0111 across 0"."""
    links, steps = re.match(r"(\d+) links?: ((?:\w+ across \d+(?:, )?)+)", words).groups()
    way = [(int(port), nodes[label]) for label, port in ACROSS.findall(steps)]
    assert len(way) == int(links)
    return [(before, port, after) for before, (port, after) in
            zip([start, *(after for _, after in way)], way)]


def passing_told(words):
    return dict(reversed(numbers(pair)) for pair in re.findall(r"\d+ across \d+", words))


def passing(hops, node):
    ports = [port for source, _, at, port, _ in hops if at == node != source]
    return {port: ports.count(port) for port in set(ports)}


@pytest.mark.parametrize("topology, dim", [("uhc", 3), ("uhc", 4), ("star", 3), ("star", 4)])
@pytest.mark.parametrize("exclusive", [False, True])
def test_a_scan_by_messages_is_told_round_by_round_as_they_go(tmp_path, topology, dim, exclusive):
    nodes, told, hops = hops_of_messages(tmp_path, "--topology", topology, "--dim", dim, "--op",
                                         "scan", "--bytes", 4, *["--exclusive"] * exclusive)
    sums = [{node} for node in nodes.values()]
    said, taken = [], []
    for number in range(1, len(told[0]) - 2 + exclusive):
        before = [set(nodes) for nodes in sums]
        for node, lines in enumerate(told):
            for to, way in re.findall(r"gives its own total to node (\d+) over (.*)",
                                      lines[number]):
                said += [(node, int(to), *link) for link in way_told(nodes, node, way)]
            for source in map(int, re.findall(r"takes the total of node (\d+)", lines[number])):
                taken.append((source, node))
                sums[node] |= before[source]
            for source, to in re.findall(r"first takes the total of node (\d+), then gives its own "
                                         r"total to node (\d+)", lines[number]):
                assert exclusive or goes_after(hops, (node, int(to)), (int(source), node))
            for low, high in re.findall(r"the total of nodes (\d+) to (\d+)", lines[number]):
                assert sums[node] == set(range(int(low), int(high) + 1)), lines[number]
    assert sorted(said) == sorted(hops)
    assert sorted(taken) == sorted({(source, to) for source, to, *_ in hops} if not exclusive else
                                   [(hop[0], hop[1]) for hop in hops if hop[4] == hop[1]])
    assert all(sums[node] == set(range(node + 1)) for node in nodes.values())
    if not exclusive:
        for node, lines in enumerate(told):
            assert passing_told(lines[-1]) == passing(hops, node), lines[-1]


@pytest.mark.parametrize("words, root, target, why", [
    ("--dim 4", 3, 10, "Here 0011 xor 1010 = 1001, whose lowest one is bit 0: on to 0010 across "
     "0."),
    ("--dim 4 --route sbnt", 0, 14, "Here in sbnt-minr from 0000 the parents from 1110 up are 0110 "
     "across 3, 0010 across 2, 0000 across 1: on to 0010 across 1."),
    ("--topology uhc --dim 4", 0, 10, "Here 0000 xor 1010 = 1010: it sends on none of these, and "
     "goes across the other bit of the superdimension of 1, the lowest: on to 0001 across 0."),
    ("--topology uhc --dim 4", 1, 10, "Here 0001 xor 1010 = 1011: of these it sends on bits 1 and "
     "3, across the lowest: on to 0011 across 1."),
    ("--topology uhc --dim 3", 1, 5, "Here 001 xor 101 = 100: it does not send on 2, which has a "
     "superdimension of its own, and goes across its highest out-port: on to 011 across 1."),
    ("--topology star --dim 4", 7, 0, "Here 1234 sees 2143 as 2143: symbol 2 is first and goes "
     "home, over dimension 2: on to 1243 across 0."),
    ("--topology star --dim 4", 1, 0, "Here 1234 sees 1243 as 1243: symbol 1 is first, and the "
     "first of the others that is not at home is in place 3: on to 4213 across 1.")], ids=range(7))
def test_a_message_goes_as_it_is_told(tmp_path, words, root, target, why):
    words = words.split()
    nodes, told, hops = hops_of_messages(tmp_path, *words, "--op", "send", "--root", root,
                                         "--target", target, "--bytes", 4)
    way = way_told(nodes, root, told[0][0].split(" over ")[1])
    assert way == [hop[2:] for hop in hops]
    assert told[root][1] == why
    for node, lines in enumerate(told):
        after = [link for link in way if link[0] == node]
        assert lines[0] == told[0][0] and len(lines) == 2
        if after:
            [(label, port)] = re.findall(r": on to (\w+) across (\d+)\.$", lines[1])
            assert after == [(node, int(port), nodes[label])]
        else:
            assert lines[1] == ("It ends here." if node == target else "It does not pass here.")
    said = mesh("tree", *words, "--op", "send", "--root", root, "--target", target, "--why", root)
    assert [line.strip() for line in said.out.splitlines()[1:]] == told[root], said


@pytest.mark.parametrize("words", ["--dim 4", "--dim 3 --route sbnt-maxl", "--topology uhc --dim 4",
                                   "--topology star --dim 4"])
def test_messages_that_a_seed_draws_are_told_by_their_senders(tmp_path, words):
    nodes, told, hops = hops_of_messages(tmp_path, *words.split(), "--op", "send", "--messages", 2,
                                         "--bytes", 4, "--seed", 7)
    said, targets = [], []
    for node, lines in enumerate(told):
        assert [line.split()[1] for line in lines[:-1]] == ["1", "2"]
        for line in lines[:-1]:
            to, way = re.match(r"Message \d goes to (\w+) over (.*?)\. Here ", line).groups()
            targets.append(nodes[to])
            said += [(node, nodes[to], *link) for link in way_told(nodes, node, way)]
        assert passing_told(lines[-1]) == passing(hops, node), lines[-1]
    assert sorted(said) == sorted(hops)
    assert all(lines[-1].startswith(f"Gets {targets.count(node)} of the others', ")
               for node, lines in enumerate(told))


def test_of_many_messages_none_is_told(tmp_path):
    page = tmp_path / "run.html"
    assert mesh("run", "--engine", "sim", "--dim", 2, "--op", "send", "--messages", 9, "--bytes", 4,
                "--report", page).status == 0
    assert json.loads(re.search(RUN, page.read_text(), re.S)[1])["exchanges"] == []


def test_the_words_of_a_page_are_those_of_the_terminal(tmp_path):
    _, told = page_of(tmp_path, "--dim", 3, "--op", "alltoall", "--tree", "sbt", "--ports", "half",
                      "--bytes", BYTES)
    said = mesh("tree", "--dim", 3, "--op", "alltoall", "--tree", "sbt", "--ports", "half",
                "--why", 2).out.splitlines()
    assert said[0] == "alltoall at 010 (node 2)" and [line.strip() for line in said[1:]] == told[2]
    large = mesh("tree", "--dim", 6, "--op", "allgather", "--why", 5).out.splitlines()
    assert len(large) == 1 + 6 and sum(
        int(count) for line in large for count in re.findall(r"(\d+) with", line)) == 63


@pytest.mark.parametrize("words, why", [
    (["--op", "allreduce"], "allowed: barrier"),
    (["--op", "send"], "--op send: needs --target NODE"),
    (["--op", "send", "--target", 8], "--target 8: "),
    (["--topology", "uhc", "--op", "send", "--target", 1, "--route", "sbt"],
     "--route 'sbt': on a uhc messages take shortest paths; allowed: ecube"),
    (["--op", "scan", "--target", 1], "--target and --route: go with --op send"),
    (["--target", 1], "--target and --route: go with --op"),
    (["--topology", "star", "--op", "allgather", "--schedule", "necklace"],
     "--tree edt --schedule necklace --ports all: not for allgather"),
    (["--topology", "uhc", "--op", "alltoall", "--schedule", "level"], "allowed: queue, necklace"),
    (["--op", "sort", "--tree", "sbt"], "--op sort: has no tree and no schedule"),
    (["--op", "alltoall", "--tree", "msbt"], "--tree msbt --schedule level --ports all: not for"),
    (["--op", "alltoall", "--tree", "tcbt", "--ports", "half"], "not for alltoall"),
    (["--op", "alltoall", "--schedule", "gray"], "allowed: level, subtree"),
    (["--op", "sort", "--ports", "any"], "allowed: all, duplex, half"),
    (["--ports", "half"], "--ports, --schedule, --target and --route: go with --op")])
def test_exchanges_that_there_are_not_are_refused(words, why):
    refused(mesh("tree", "--dim", 3, *words, "--why", 2), why)
