"""`mesh run --dry-run`: says what would happen, boots nothing, and refuses what a run refuses."""
import re
import shlex

import pytest

from mesh_tool import mesh, refused, run, verified


def line(outcome, word):
    """The text behind `word` at the beginning of a line."""
    assert outcome.status == 0, outcome
    return re.search(rf"^{word} +(.*)$", outcome.out, re.M).group(1)


def numbers(text):
    return [int(number) for number in re.findall(r"\d+", text)]


JOBS = {
    "bcast": ["--dim", 4, "--op", "bcast", "--tree", "msbt", "--bytes", 5000, "--packet", 64],
    "scatter": ["--dim", 3, "--op", "scatter", "--bytes", 100, "--packet", 16],
    "star": ["--topology", "star", "--dim", 4, "--op", "bcast", "--bytes", 300, "--packet", 16],
    "uhc": ["--topology", "uhc", "--dim", 4, "--op", "reduce", "--bytes", 64, "--packet", 16],
}


@pytest.mark.parametrize("job", JOBS)
def test_the_steps_foreseen_are_those_of_the_formula(job):
    foreseen = mesh("run", "--engine", "sim", *JOBS[job], "--dry-run")
    report = verified(run("sim", *JOBS[job]))
    assert line(foreseen, "steps").endswith(f"{report['formula']} = {report['formula_steps']}")


@pytest.mark.parametrize("job", ["bcast", "star"])
def test_the_packets_foreseen_of_a_broadcast_are_those_that_are_sent(job):
    foreseen = mesh("run", "--engine", "sim", *JOBS[job], "--dry-run")
    report = verified(run("sim", *JOBS[job]))
    assert numbers(line(foreseen, "traffic")) == [report["hops"]]


def test_the_head_is_that_of_the_table():
    arguments = ["run", "--engine", "sim", "--dim", 3, "--op", "scatter", "--tree", "sbnt-minr"]
    assert mesh(*arguments, "--dry-run").out.splitlines()[:2] == \
        mesh(*arguments).out.splitlines()[:2]


@pytest.mark.parametrize("dim", [1, 3, 5])
def test_the_cables_of_node_0_are_the_cubes(dim):
    wiring = line(mesh("run", "--engine", "sim", "--dim", dim, "--op", "barrier", "--dry-run"),
                  "wiring")
    assert numbers(wiring)[0] == dim * 2 ** (dim - 1)
    assert re.findall(r"port (\d+) to node (\d+) port (\d+)", wiring) == \
        [(str(d), str(1 << d), str(d)) for d in range(dim)]


def test_every_port_of_a_node_with_one_way_links_is_shown():
    wiring = line(mesh("run", "--engine", "sim", "--topology", "uhc", "--dim", 4, "--op", "bcast",
                       "--dry-run"), "wiring")
    ports = re.findall(r"port (\d+) (to|from) node (\d+)", wiring)
    assert [(int(d), int(node)) for d, _, node in ports] == [(d, 1 << d) for d in range(4)]
    assert sorted(way for _, way, _ in ports) == ["from", "from", "to", "to"]


def test_a_swapped_cable_is_shown_swapped():
    wiring = line(mesh("run", "--engine", "sim", "--dim", 2, "--op", "bcast", "--dry-run",
                       "--miswire", "0/0", "1/1"), "wiring")
    assert "port 0 to node 3 port 1" in wiring and "port 1 to node 2 port 1" in wiring


@pytest.fixture
def emulator(tmp_path):
    """Says which version it is, writes down with which words it was started as a node, and ends
    when all four nodes have done so: the engine stops the others as soon as one has ended."""
    script = tmp_path / "emulator"
    script.write_text('#!/bin/sh\n'
                      'if [ "$1" = --version ]; then echo "QEMU emulator version 7.2.0"; exit; fi\n'
                      f'for w in "$0" "$@"; do echo "$w"; done >{tmp_path}/words.$$\n'
                      f'mv {tmp_path}/words.$$ {tmp_path}/started.$$\n'
                      f'until [ -e {tmp_path}/all ]; do\n'
                      f'  set -- {tmp_path}/started.*; [ $# -lt 4 ] || : >{tmp_path}/all\n'
                      '  sleep 0.05\n'
                      'done\n')
    script.chmod(0o755)
    return script


def started(folder):
    return [file.read_text().splitlines() for file in folder.glob("started.*")]


def test_the_command_line_of_node_0_is_what_the_engine_starts(emulator, tmp_path):
    arguments = ["run", "--engine", "qemu", "--qemu", emulator, "--dim", 2, "--op", "bcast"]
    foreseen = shlex.split(line(mesh(*arguments, "--dry-run"), "node 0"))
    assert not started(tmp_path), "a dry run boots nothing"
    assert mesh(*arguments).status == 1, "an emulator that ends at once fails the run"
    assert foreseen in started(tmp_path)


@pytest.mark.parametrize("boot", ["fork", "exec"])
def test_the_memory_needed_grows_with_the_nodes_and_is_compared_with_what_there_is(boot):
    needed = {}
    for dim in (3, 6):
        memory = line(mesh("run", "--dim", dim, "--op", "bcast", "--boot", boot, "--dry-run"),
                      "memory")
        needed[dim], available = numbers(memory)
        assert needed[dim] < available
    if boot == "exec":
        assert needed[6] == 8 * needed[3] > 0
    else: # all nodes share a template
        assert 8 * needed[3] > needed[6] > 2 * needed[3] > 0


@pytest.mark.parametrize("wrong, allowed", [
    (["--dim", 3, "--op", "bcast", "--tree", "oak"], "sbt"),
    (["--dim", 16, "--op", "bcast"], "--dim up to 8"),
    (["--engine", "sim", "--dim", 16, "--op", "bcast", "--tree", "hp"], "--dim up to 15"),
    (["--dim", 2, "--op", "bcast", "--faults", "kill:4"], "0 to 3")])
def test_what_a_run_refuses_a_dry_run_refuses_in_the_same_words(wrong, allowed):
    dry = mesh("run", *wrong, "--dry-run")
    refused(dry, allowed)
    assert dry.err == mesh("run", *wrong).err
