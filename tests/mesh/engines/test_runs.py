"""Runs whose every byte is foreseen give the same results as on every other machine."""
import pytest

import runs
from mesh_tool import BUILD

NAMED = runs.runs()
SAVED = {row[0]: row for row in runs.saved()}


@pytest.mark.toolchain
@pytest.mark.parametrize("name", NAMED)
def test_a_run_is_the_same_on_every_machine(name):
    row = runs.measured(BUILD, name, NAMED[name])
    assert not list(runs.differences([row], [SAVED[name]] if name in SAVED else []))


@pytest.mark.toolchain
def test_a_capture_looks_the_same_on_every_machine():
    wanted = [SAVED[name] for name in SAVED if name not in NAMED]
    assert len(wanted) == len(runs.VIEWS)
    assert not list(runs.differences(runs.views(BUILD), wanted))
