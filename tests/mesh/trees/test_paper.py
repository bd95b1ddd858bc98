"""The papers, measured anew: the quick form of `make paper`, against figures from outside it."""
import json
import re
import subprocess
import sys
import xml.etree.ElementTree

import pytest

from formulas import PORTS, TREES, broadcast_steps
from mesh_tool import ROOT
from networks import uhc_steps

PROGRAM = ROOT / "tests/bench/paper" / "paper.py"
FIGURES = {"ho-johnsson-1986": {"figure-5", "figure-6", "figure-7", "figure-8"},
           "ho-johnsson-1988": {"figure-5", "figure-6", "figure-11"},
           "huang-yang-tseng-2001": {"steps-duplex", "steps-all"},
           "fragopoulou-akl-1993": {"table-4"}}
IN_THE_PAPER = [tree for tree in TREES if tree != "bs"]

sys.path.insert(0, str(PROGRAM.parent))
from measure import REFUSED, Job, Measurements  # noqa: E402
from render import Document  # noqa: E402


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    """The folder of a quick run, its values, and its complaints."""
    folder = tmp_path_factory.mktemp("paper")
    done = subprocess.run([sys.executable, str(PROGRAM), "--quick", "--out", str(folder)],
                          capture_output=True, text=True, timeout=300, cwd=ROOT)
    assert (folder / "values.json").exists(), done.stdout + done.stderr
    complaints = [line for line in done.stderr.splitlines() if line.startswith("  ")]
    assert done.returncode == (1 if complaints else 0), done.stdout + done.stderr
    return folder, json.loads((folder / "values.json").read_text()), complaints


def found(values, item, row, paper="ho-johnsson-1986"):
    """Measured values of a row, by n."""
    where = (paper, item, row)
    return {value["n"]: value["measured"] for value in values
            if (value["paper"], value["item"], value["row"]) == where}


@pytest.mark.parametrize("ports", PORTS)
@pytest.mark.parametrize("name", IN_THE_PAPER)
def test_broadcasts_are_measured_and_take_the_corrected_steps(paper, name, ports):
    _, values, complaints = paper
    assert not [line for line in complaints if f"bcast {name} " in line]
    packets = {n: n if name == "msbt" else 1 for n in (2, 3, 4)}
    assert found(values, "Table 1", f"{name} {ports}") == {
        n: broadcast_steps(name, ports, n, packets[n]) for n in packets}
    if (name, ports) == ("hp", "all"):
        return  # not in table 3
    for count in (lambda n: 1, lambda n: n, lambda n: 2 * n + 1):
        measured = {n: found(values, "Table 3", f"{name} {ports} P={count(n)}").get(n)
                    for n in (2, 3, 4)}
        assert measured == {n: broadcast_steps(name, ports, n, count(n)) for n in measured}


@pytest.mark.costly
def test_every_value_is_measured_and_is_the_corrected_one(paper):
    _, values, complaints = paper
    assert complaints == []
    assert len(values) >= 800
    assert [value for value in values if value["measured"] is None or not value["good"]] == []
    items = {(value["paper"], value["item"]) for value in values}
    assert {item for key, item in items if key == "ho-johnsson-1986"} == {
        *(f"Table {number}" for number in range(1, 7)), *(f"Figure {n}" for n in (5, 6, 7, 8))}
    assert {item for key, item in items if key == "ho-johnsson-1988"} == {
        "Table 1", "Table 2", "Figure 5", "Figure 6", "Figure 11"}
    assert {item for key, item in items if key == "huang-yang-tseng-2001"} == {"Table 1", "Steps"}
    assert {item for key, item in items if key == "fragopoulou-akl-1993"} == {
        f"Table {number}" for number in range(1, 5)}


@pytest.mark.costly
def test_speed_up_of_msbt_is_the_quotient_of_the_step_counts(paper):
    _, values, _ = paper
    for ports in PORTS:
        steps = {tree: {n: broadcast_steps(tree, ports, n, 60) for n in (2, 3, 4)}
                 for tree in ("sbt", "msbt")}
        assert {tree: found(values, "Figure 6", f"{tree} {ports}") for tree in steps} == steps
        assert found(values, "Figure 7", f"speed-up, {ports}") == pytest.approx(
            {n: steps["sbt"][n] / steps["msbt"][n] for n in (2, 3, 4)})


@pytest.mark.costly
def test_a_scatter_takes_as_long_as_the_largest_subtree_is(paper):
    """One packet a node; with one port all pass the root, one after the other."""
    _, values, _ = paper
    for ports in ("half", "duplex"):
        for tree in ("sbt", "sbnt-minr"):
            assert found(values, "Figure 8", f"{tree} {ports}") == {2: 3, 3: 7, 4: 15}
    assert found(values, "Figure 8", "sbt all") == {2: 2, 3: 4, 4: 8}
    largest = {}
    for n in (2, 3, 4):
        cyclic, degenerate = necklaces(n)
        largest[n] = (2 ** n - cyclic) // n + degenerate - 1
    assert found(values, "Figure 8", "sbnt-minr all") == largest


@pytest.mark.costly
def test_a_wrong_printed_value_stands_beside_the_right_one_and_bears_a_note(paper):
    folder, values, _ = paper
    rows = [value for value in values if value["row"].startswith("hp duplex P=")]
    assert len(rows) == 9
    for row in rows:
        assert row["printed"] + 1 == row["corrected"] == row["measured"]
    text = (folder / "ho-johnsson-1986.md").read_text()
    assert "| HP, 1 s & r | 3 | sim | 6[^E2] | 7 | 7 |" in text
    notes = set(re.findall(r"^\[\^(\w+)\]:", text, re.M))
    assert set(re.findall(r"\[\^(\w+)\][^:]", text)) == notes


@pytest.mark.costly
def test_one_port_of_a_uni_directional_hypercube_takes_half_n_steps_for_each_packet(paper):
    """The paper has one step, as if a source with n/2 children sent every packet once."""
    _, values, _ = paper
    for tree in ("bt1", "bt2", "bt3"):
        for ports in ("duplex", "all"):
            for count in (lambda n: 1, lambda n: n, lambda n: 2 * n + 1):
                measured = {n: found(values, "Table 1", f"{tree} {ports} P={count(n)}",
                                     "huang-yang-tseng-2001").get(n) for n in (2, 4)}
                assert measured == {n: uhc_steps(tree, ports, n, count(n)) for n in measured}
    (row,) = [value for value in values if value["row"] == "bt1 duplex P=9"]
    assert (row["printed"], row["corrected"], row["measured"]) == (14, 22, 22)


@pytest.mark.costly
def test_disjoint_trees_of_a_uni_directional_hypercube_share_packets_or_repeat_them(paper):
    _, values, _ = paper
    for case, copies in (("f = 0", 1), ("f = n/2-1", 2)):
        for packets in (4, 9):
            assert found(values, "Table 1", f"adst all, {case} P={packets}",
                         "huang-yang-tseng-2001")[4] == uhc_steps("adst", "all", 4, packets,
                                                                  copies=copies)


# Of one message to each node of a star of 3! and 4! nodes, over all n-1 subtrees: the sum of the
# depths of one subtree, and the depth of the trees.
STAR_DEPTHS = {3: 15, 4: 96}
STAR_DEPTH = {3: 5, 4: 7}


@pytest.mark.costly
def test_the_four_problems_on_a_star_take_what_its_trees_say(paper):
    _, values, _ = paper

    def time(problem, messages):
        return {n: found(values, "Table 1", f"{problem}, x = {n - 1}, M = {messages}: time",
                         "fragopoulou-akl-1993").get(n) for n in (3, 4)}
    others = {3: 5, 4: 23}
    for messages in (1, 4):
        assert time("fault tolerant single node broadcasting", messages) == {
            n: messages + STAR_DEPTH[n] - 1 for n in (3, 4)}
        for problem in ("multinode broadcasting", "single node scattering"):
            assert time(f"fault tolerant {problem}", messages) == {
                n: messages * others[n] for n in (3, 4)}
        assert time("the same, depth first", messages) == {
            n: (messages + 1) * others[n] for n in (3, 4)}
        assert time("fault tolerant total exchange", messages) == {
            n: messages * STAR_DEPTHS[n] for n in (3, 4)}


@pytest.mark.costly
def test_scattering_on_a_star_crosses_each_link_of_the_paths_once(paper):
    _, values, _ = paper
    for n, x, links in ((3, 1, 9), (4, 1, 62), (3, 2, 2 * 15), (4, 3, 3 * 96)):
        row = f"fault tolerant single node scattering, x = {x}, M = 1: transmissions"
        assert found(values, "Table 2", row, "fragopoulou-akl-1993")[n] == links


@pytest.mark.costly
def test_star_and_hypercube_are_compared_by_what_was_measured(paper):
    _, values, _ = paper
    exchange = found(values, "Table 4", "fault tolerant total exchange: time",
                     "fragopoulou-akl-1993")
    assert exchange == pytest.approx({3: 5 / 4, 4: 21 / 16})


def necklaces(n):
    """Addresses whose rotations repeat early, and the necklaces that they form."""
    def turned(word, count):
        return ((word >> count) | (word << (n - count))) & (2 ** n - 1)
    cyclic = [word for word in range(2 ** n)
              if any(turned(word, count) == word for count in range(1, n))]
    return len(cyclic), len({min(turned(word, count) for count in range(n)) for word in cyclic})


@pytest.mark.costly
def test_trees_are_counted_as_necklaces_say(paper):
    _, values, _ = paper
    counted = {(value["row"], value["n"]): value["measured"] for value in values
               if (value["paper"], value["item"]) == ("ho-johnsson-1988", "Table 1")}
    for n in range(2, 11):
        cyclic, degenerate = necklaces(n)
        assert (counted["A", n], counted["B", n]) == (cyclic, degenerate)
        assert counted["SBnT(min)", n] == (2 ** n - cyclic) // n
        assert counted["SBnT(max)", n] == (2 ** n - cyclic) // n + degenerate - 1
        assert counted["SBT(max)", n] == 2 ** (n - 1)


@pytest.mark.costly
def test_figures_are_drawings(paper):
    folder, _, _ = paper
    for key, names in FIGURES.items():
        drawn = re.findall(r"\]\((\S+\.svg)\)", (folder / f"{key}.md").read_text())
        assert {f"{key}-{name}.svg" for name in names} <= set(drawn)
        for name in drawn:
            root = xml.etree.ElementTree.parse(folder / name).getroot()
            assert root.tag.endswith("svg") and len(list(root.iter())) > 50, name


def test_what_the_tool_refuses_has_no_value_and_is_listed():
    measurements = Measurements(quick=True)
    measurements.begin("p")
    job = Job("no-such-op", 2, "sbt")
    measurements.steps(job)
    measurements.run()
    assert measurements.steps(job) is None and measurements.time(job) is None
    (line,) = measurements.without_value("p", REFUSED)
    assert "no-such-op" in line


def test_a_measured_value_that_is_not_the_corrected_one_stands_out(tmp_path):
    document = Document("p", "P", {"E0": "why"}, tmp_path)
    assert document.cell("row", 3, 4, 5, 5, "E0") == ["4[^E0]", "5", "5"]
    assert "DIFFERS" in document.cell("row", 3, 5, 5, 6)[2]
    assert document.cell("row", 3, 5, 5, None) == ["5", "5", "n/a"]
    assert [value["good"] for value in document.values] == [True, False, True]
    with pytest.raises(ValueError, match="without a note"):
        document.cell("row", 3, 4, 5, 5)
