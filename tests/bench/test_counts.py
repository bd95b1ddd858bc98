"""Counts of instructions, which no clock disturbs, are no larger than those that were saved."""
import pathlib

import pytest

import bench
from mesh_tool import BUILD


@pytest.mark.toolchain
def test_no_instruction_more_than_saved_for_this_compiler():
    if not bench.SAVED_COUNTS.exists():
        pytest.skip(f"no table of {bench.size.compiler()} is saved")
    grown = bench.grown(bench.print_instructions(pathlib.Path(BUILD)),
                        bench.load(bench.SAVED_COUNTS))
    assert not grown, "\n".join([*grown, "If that is meant: make bench COUNTS=1 SAVE=1"])
