"""Programs on every node: hello, pingpong and farm, and images of the user's own."""
import re

import pytest

from mesh_tool import IMAGES, mesh


def console(outcome):
    """{node: lines} of what the apps said."""
    lines = {}
    for node, text in re.findall(r"^\[(\d+)\] (.*)$", outcome.out, re.M):
        lines.setdefault(int(node), []).append(text)
    return lines


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
