"""What the page of a run draws: nodes that lack something, small ones, and who waits for whom."""
import json
import subprocess

import pytest

from mesh_tool import ROOT, mesh
from page_tool import WITH_LIBRARIES, model_of, opened

pytestmark = pytest.mark.toolchain


def test_what_is_too_small_in_a_node_is_said_beside_the_one_that_is_pointed_at(tmp_path):
    beside = {}
    for dim in (4, 7):
        page = tmp_path / f"{dim}.html"
        assert mesh("run", "--engine", "sim", "--dim", dim, "--op", "bcast", "--bytes", 16,
                    "--report", page).status == 0
        shown = opened(page, "")
        assert shown["drawn"]["labels"] == [f"{node:0{dim}b}" for node in range(2 ** dim)]
        beside[dim] = shown["beside"]
        assert shown["high"] < 50 + 6 * 2 ** 7, "ports at work"
    assert beside == {4: ["", ""], 7: ["5: 0000101", ""]}


def test_a_pause_is_in_the_address(tmp_path):
    page = tmp_path / "run.html"
    assert mesh("run", "--engine", "sim", "--dim", 3, "--op", "bcast", "--report", page).status == 0
    opens = ROOT / "tests/mesh/reports/open_page.js"
    script = (f"const {{ page }} = require('{opens}').open('{page}');"
              "const { document, location } = page.window;"
              "const byId = id => document.getElementById(id), before = byId('clock').textContent;"
              "byId('play').click();"
              "const wait = setInterval(() => { if (byId('clock').textContent === before) return;"
              "clearInterval(wait); byId('play').click();"
              "console.log(location.hash, byId('time').value); process.exit(); }, 5);")
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True, timeout=60,
                          env=WITH_LIBRARIES)
    address, time = done.stdout.split()
    assert address == f"#time={round(float(time), 3):g}" and float(time) > 0, done


def test_a_node_without_all_its_bytes_is_not_drawn_full(tmp_path):
    words = ["run", "--engine", "sim", "--dim", 4, "--bytes", 20000, "--packet", 1000]
    parts = {}
    for op, faults in (("bcast", "kill:2@100,cut:0/0@160"), ("scatter", "kill:2@100")):
        page = tmp_path / f"{op}.html"
        outcome = mesh(*words, "--op", op, "--faults", faults, "--report", page)
        assert outcome.status == 1, outcome
        parts[op] = model_of(page.read_text(), tmp_path, "(model => [model.progress(model.hops, "
                             "model.last), [...model.failed]])(makeModel(run))")
        shares, failed = parts[op]
        assert len(failed) > 2 and all(shares[node] < 0.9 for node in failed), parts
        assert all(shares[node] == 1 for node in range(16) if node not in (*failed, 2)), parts
    share = parts["bcast"][0][1] # of 20 packets that all are to have
    assert 0 < share < 0.85 and share * 20 == pytest.approx(round(share * 20))
    assert 0 < parts["bcast"][0][2] < 0.85, "which was killed with a part"


def test_who_waits_for_one_of_several_nodes_has_an_arrow_to_each(tmp_path):
    page = tmp_path / "run.html"
    assert mesh("run", "--engine", "sim", "--dim", 2, "--op", "bcast", "--report", page).status == 0
    words = ("the first of these: a message with tag 7 from node 0; a message with tag 7 from node "
             "3; a message with tag 8 from node 3; somebody to read a channel of its node")
    waits = json.dumps([{"node": 1, "process": 0, "for": words}])
    found = model_of(page.read_text(), tmp_path, "makeModel({ ...run, results: { ...run.results, "
                     f"waits: {waits} }} }}).waits_between")
    assert [(wait["node"], wait["to"]) for wait in found] == [(1, 0), (1, 3)]
    assert {wait["words"] for wait in found} == {f"node 1 waits for {words}"}
