"""The rules that Coq proves things about are those of the code: `mesh tree` gives tables with the
checksums of tests/verify/proof/tables.csv. `make proof` compares these with Coq's."""
import csv
import itertools
import pathlib
import re
import sys

import pytest

from mesh_tool import ROOT, tree
from networks import star_labels

sys.path.append(str(ROOT / "tests/verify/proof"))
import check_link  # noqa: E402
import check_proof  # noqa: E402
import check_trees  # noqa: E402


def port(node, other):
    return (node ^ other).bit_length() - 1


def star_port(label, other):
    """Dimension 2 is port 0; a link swaps the symbols at places 1 and d."""
    return [place for place in range(1, len(label)) if label[place] != other[place]][0] - 1


def table(dim, whole):
    """A tree as Tables.v has it: dimensions to parent and children, as seen from the root."""
    root, rows = whole["root"], [[[whole["height"]]]]
    for subtree in whole["subtrees"]:
        parents, children = subtree["parent"], subtree["children"]
        nodes = [address ^ root for address in range(2 ** dim)]
        rows.append([[dim if node == root else port(node, parents[node]),
                      *(port(node, child) for child in children[node])] for node in nodes])
    return rows


@pytest.mark.parametrize("rule", [rule for rule, (topology, *_) in check_trees.PRINTED.items()
                                  if topology != "star" and rule not in (
                                      "bt1", "adst", "ist", "disjoint")])
def test_the_tree_is_the_one_that_is_proved(rule):
    topology = check_trees.PRINTED[rule][0]
    for (known, dim), checksum in check_trees.known_tables().items():
        for root in {0, 2 ** dim // 6 * 2} if known == rule else ():
            rows = table(dim, tree(dim, rule, root, topology)[1])
            if topology == "uhc":
                even = bin(root).count("1") % 2 == 0
                other = table(dim, tree(dim, rule, root ^ 1, topology)[1])
                rows = [*rows, other[1]] if even else [*other, rows[1]]
            assert check_trees.checksum(rows) == checksum, (dim, root)


@pytest.mark.parametrize("rule", ["bt1", "adst", "ist"])
def test_the_ways_in_trees_of_the_uhc_are_those_that_are_proved(rule):
    for (known, dim), checksum in check_trees.known_tables().items():
        for even in (0, 2 ** dim - 1 - dim % 2) if known == rule else ():
            rows = []
            for root in (even, even ^ 1):
                for subtree in tree(dim, rule, root, "uhc")[1]["subtrees"]:
                    parents = subtree["parent"]
                    rows.append([[dim if address == 0 else
                                  port(address ^ root, parents[address ^ root])]
                                 for address in range(2 ** dim)])
            assert check_trees.checksum(rows) == checksum, (dim, even)


@pytest.mark.parametrize("rule", ["spt", "edt", "edt-v2"])
def test_the_trees_of_the_star_are_those_that_are_proved(rule):
    for (known, symbols), checksum in check_trees.known_tables().items():
        if known == rule:
            labels = star_labels(symbols)
            rows = [[[symbols - 1 if parent < 0 else star_port(labels[node], labels[parent])]
                     for node, parent in enumerate(subtree["parent"])]
                    for subtree in tree(symbols, rule, 0, "star")[1]["subtrees"]]
            assert check_trees.checksum(rows) == checksum, symbols


def test_the_paths_are_those_that_are_proved():
    # disjoint_paths_test.cpp computes the checksums of the code's paths and has these to compare.
    source = (ROOT / "tests" / "core" / "disjoint_paths_test.cpp").read_text()
    there = [number.lower() for number in re.findall(r"0x(\w{16})u", source)]
    assert there == [checksum for (rule, _), checksum in check_trees.known_tables().items()
                     if rule == "disjoint"]


def test_the_page_of_proofs_names_what_there_is_and_all_theorems():
    page = (ROOT / "tests" / "PROVED.md").read_text()
    cases = {f"{suite}.{case}" for file in (ROOT / "tests").glob("*/*_test.cpp")
             for suite, case in re.findall(r"^TEST\((\w+), (\w+)\)", file.read_text(), re.M)}
    assert set(re.findall(r"`([A-Z]\w+\.[A-Z]\w+)`", page)) <= cases
    named = set()
    for file, names in re.findall(r"`((?:\w+/)?\w+\.v)` ((?:`\w+`(?:, )?)+)", page):
        proof = (ROOT / "tests/verify/proof" / file).read_text()
        there = re.findall(r"^Theorem (\w+)", proof, re.M)
        names = re.findall(r"\w+", names)
        assert set(names) <= set(there), file
        named |= {f"{pathlib.Path(file).stem}.{name}" for name in names}
    helpers = {"Cube.clearing_spans", "Cube.clearing_height", "Sbt.sbt_clears", "Sbnt.sbnt_clears",
               "Theorems.always_sound", "Theorems.less_to_do"}
    there = check_trees.theorems() + check_link.theorems() + check_proof.theorems()
    assert set(there) == named | helpers
    # The last column of the first table: the code that a theorem is about.
    firmware = ROOT / "firmware"
    code = "".join(file.read_text() for file in firmware.rglob("*.[ch]pp"))
    rows = [line for line in page.split("\n## ")[1].splitlines() if ".v` `" in line]
    for name in re.findall(r"`([^`]+)`", " ".join(row.split(" | ")[-1] for row in rows)):
        known = (firmware / name).exists() if "/" in name else all(
            re.search(rf"\b{word}\b", code) for word in re.findall(r"\w+", name))
        assert known, name


def premises():
    """The rows of the table: what is supposed, the names in the proofs, and what keeps it."""
    section = (ROOT / "tests" / "PROVED.md").read_text().split("\n## Premises\n")[1]
    rows = [line.strip("| ").split(" | ") for line in section.split("\n## ")[0].splitlines()
            if line.startswith("| ")]
    return rows[1:] # of words, without the head


@pytest.mark.parametrize("premise", premises(), ids=lambda row: row[0][:60])
def test_each_premise_of_the_proofs_names_what_keeps_it(premise):
    """Functions and checks that are in the file that stands before them; or it says that nothing
    does."""
    _, where, keeper = premise
    proofs = "".join(flat(file.relative_to(ROOT))
                     for file in (ROOT / "tests/verify/proof").rglob("*.v"))
    for name in re.findall(r"`(\w+)`", where):
        assert re.search(rf"\b{name}\b", proofs), name
    text = None
    for name in re.findall(r"`([^`]+)`", keeper):
        if "/" in name:
            there = [ROOT / folder / name for folder in ("firmware", "tests")
                     if (ROOT / folder / name).exists()]
            assert there, name
            text = there[0].read_text()
        elif name != "static_assert":
            assert text and re.search(rf"\b{name}\b", text), name
    assert text or "nothing" in keeper, keeper


def test_the_page_of_mutants_has_all_that_are_checked():
    # python3 tests/verify/proof/check_proof.py --save-mutants
    page = check_proof.PAGE.read_text().splitlines()
    table = check_proof.mutants_table()
    assert [line for line in page if line.startswith("|")] == table
    jobs = [job for job in check_proof.jobs(pathlib.Path("build")) if "mutant" in job[0]]
    assert len(jobs) == len(table) - 2
    cases = {file.stem for file in check_proof.HERE.glob("**/mutants/*.v")}
    needed_by_cases = {"Three", "Chain", "Try"}
    assert cases == needed_by_cases | set(re.findall(r"mutants/(\w+)\.v", "\n".join(table)))


def test_each_service_is_of_one_kind_of_the_proof():
    enum = (ROOT / "firmware/kernel/base/service.hpp").read_text()
    enum = re.search(r"enum class Service[^{]*\{(.*?)kCount", enum, re.S)[1]
    services = re.findall(r"^ +(\w+),", enum, re.M)
    proof = (ROOT / "tests/verify/proof/Kinds.v").read_text()
    kinds = {kind: names.split(", ")
             for kind, names in re.findall(r"^ +- `(\w+)`: ([a-z, ]+)\.", proof, re.M)}
    # The predicates of service.hpp go by this order.
    questions, words = services.index("ask"), services.index("taken")
    assert kinds == {"single": ["packet"], "offer": ["message"], "fragment": ["fragment"],
                     "question": services[questions:words], "word": services[words:]}
    assert services[:questions] == ["packet", "message", "fragment"]
    assert " := " + " | ".join(kinds) + "." in proof


def test_two_sessions_of_one_byte_are_as_far_apart_as_the_page_of_proofs_says():
    code = (ROOT / "firmware/kernel/links/link.cpp").read_text()
    factor = int(re.search(r"\((\d+) \* sender \+ receiver\) % kSessions", code)[1])
    start = int(re.search(r"kNumbersPerStart = (\d+);", code)[1])
    mask = (ROOT / "firmware/wire/frame.hpp").read_text()
    sessions = int(re.search(r"kSessionMask = (\w+?)u?;", mask)[1], 0) // 2

    def name(sender, receiver):
        return (factor * sender + receiver) % sessions

    # An end's number grows by one with each session that it ends: so often at the end that has
    # ended more of them.
    apart = min(max(more) for more in itertools.product(range(sessions + 1), repeat=2)
                if any(more) and name(*more) == 0)
    assert apart - 1 == 11 # in between
    before, after = (21, 20), (32, 32)
    assert name(*before) == name(*after)
    assert all(then == (number // start + 1) * start
               for number, then in zip(before, after, strict=True))


def flat(file):
    return " ".join((ROOT / file).read_text().split())


def test_the_lines_of_the_code_are_those_that_the_proofs_are_about():
    # A line that changes takes its statement with it, or the proof is about something else: change
    # both, let `make proof` check it, then tests/verify/proof/lines.csv.
    with (ROOT / "tests/verify/proof" / "lines.csv").open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        assert row["line"] in flat(f"firmware/{row['file']}"), row
        assert row["statement"] in flat(f"tests/verify/proof/{row['proof']}"), row
    # Each function of the rule, and what it is in the proof.
    rule = (ROOT / "firmware/kernel/base/admission.hpp").read_text()
    proof = flat("tests/verify/proof/Network.v") + flat("tests/verify/proof/Kinds.v")
    for comment, name in re.findall(r"((?: +///.*\n)+) +(?:static constexpr )?\w+ (\w+)\(", rule):
        names = re.search(r"\[([^]]+)\]", comment)
        assert names, f"{name}() names nothing of the proof"
        for known in names[1].split(", "):
            assert re.search(rf"(Definition|Inductive|Fixpoint|Theorem|Variable|\|) {known}\b",
                             proof), (name, known)
    for line in re.findall(r"return [^;]+;", rule):
        line = " ".join(line.split())
        assert line == "return 0;" or any(line in row["line"] for row in rows), line
