"""Programs on every node: hello, pingpong and farm, and images of the user's own."""
import re

import pytest

from mesh_tool import IMAGES, console, mesh, run


def test_hello_runs_on_every_node_and_names_its_neighbours(engine):
    outcome = mesh("run", "--engine", engine, "--app", "hello", "--dim", 3)
    assert outcome.status == 0, outcome
    lines = console(outcome)
    assert sorted(lines) == list(range(8)), outcome
    for node, said in lines.items():
        numbers = set(map(int, re.findall(r"\d+", " ".join(said))))
        assert {node ^ 1, node ^ 2, node ^ 4} <= numbers, outcome


@pytest.mark.parametrize("app", ["pingpong", "farm"])
def test_the_teaching_apps_end_well(engine, app):
    outcome = mesh("run", "--engine", engine, "--app", app, "--dim", 3)
    assert outcome.status == 0, outcome
    assert console(outcome), outcome


def test_an_image_runs_by_its_file_name():
    outcome = mesh("run", "--engine", "qemu", "--app", IMAGES / "hello.elf", "--dim", 2)
    assert outcome.status == 0, outcome
    assert sorted(console(outcome)) == [0, 1, 2, 3], outcome


def test_the_program_in_the_readme_runs_as_it_stands_there():
    outcome = mesh("run", "--engine", "qemu", "--app", IMAGES / "readme.elf", "--dim", 2)
    assert outcome.status == 0, outcome
    assert console(outcome) == {node: [f"node {node} got 'hello, mesh'"] for node in range(4)}


def test_an_app_gets_its_words_and_a_verdict_that_is_not_ok_is_a_failed_run():
    words = ["--", "9", "two words"]
    outcome = mesh("run", "--engine", "qemu", "--app", IMAGES / "app_words.elf", "--dim", 1, *words)
    assert outcome.status == 0, outcome
    assert console(outcome) == {0: words[1:], 1: words[1:]}, outcome
    outcome = mesh("run", "--engine", "qemu", "--app", IMAGES / "app_words.elf", "--dim", 1, "--",
                   "1")
    assert outcome.status == 1, outcome
    assert "node 1 ended with: unreachable" in outcome.err, outcome


@pytest.mark.free
def test_a_node_that_computes_passes_on_what_comes_and_keeps_what_is_for_it():
    """For 6 s without waiting: traffic ends meanwhile, no link takes the node for dead."""
    image = IMAGES / "app_computes.elf"
    for more in [], ["calls"]: # nor does a tight loop of calls of the kernel
        outcome = mesh("run", "--engine", "qemu", "--app", image, "--dim", 2, "--", "6", "200",
                       *more)
        assert outcome.status == 0, outcome
        lines = outcome.out.splitlines()
        assert lines.index("[3] all came") < lines.index("[1] computed"), outcome
        assert lines.index("[1] computed") < lines.index("[1] got 42"), outcome


@pytest.mark.free
def test_a_node_that_computes_without_end_is_told_from_a_silent_one():
    outcome = mesh("run", "--engine", "qemu", "--app", IMAGES / "app_computes.elf", "--dim", 2,
                   "--timeout", 5, "--", "100000", "20")
    assert outcome.status == 1, outcome
    assert re.search(r"node 1 has computed for \d+ s without waiting, longer than three times "
                     "--timeout", outcome.err), outcome
    outcome = mesh("run", "--engine", "qemu", "--app", IMAGES / "app_computes.elf", "--dim", 2,
                   "--limit", 15, "--", "100000", "20")
    assert outcome.status == 1, outcome
    assert re.search(r"--limit 15 s; node 1 has computed for \d+ s without waiting",
                     outcome.err), outcome


def test_a_cable_in_the_wrong_port_is_found_before_any_work_begins(engine):
    outcome = mesh("run", "--engine", engine, "--dim", 2, "--op", "bcast", "--tree", "sbt",
                   "--miswire", "0/0", "3/1")
    assert outcome.status in (1, 2), outcome
    assert re.search(r"node \d+ port \d+", outcome.err), outcome
    assert "verified" not in outcome.out, outcome


def test_a_message_that_nobody_takes_fails_the_run_and_is_named():
    outcome = run("qemu", "--app", IMAGES / "app_unread.elf", "--dim", 1)
    assert outcome.status == 1, outcome
    assert "node 1: nobody took a message of node 0 with tag 5" in outcome.err, outcome
    assert outcome.report["untaken"] == 1 and outcome.report["failed_nodes"] == [0, 1], outcome
