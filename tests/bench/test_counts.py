"""Counts of instructions, which no clock disturbs, are no larger than those that were saved, and
the page has these."""
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


def rows_of(page):
    """{first cell: other cells} of the tables of a page."""
    rows = (line.strip("| \n").split(" | ") for line in page.read_text().splitlines()
            if line.startswith("| "))
    return {cells[0]: cells[1:] for cells in rows}


def row(rows, start):
    return next(cells for name, cells in rows.items() if name.startswith(start))


@pytest.mark.parametrize("column, compiler", [(0, "gcc-12"), (1, "gcc-14")])
def test_the_page_has_the_saved_numbers_of(column, compiler):
    rows = rows_of(pathlib.Path(bench.__file__).with_name("README.md"))
    saved = bench.load(bench.size.GOLDEN / compiler / "instructions.csv")
    for start, size in (("a packet of 64 bytes forwarded", 64), ("the same, 1 KiB", 1024)):
        expected = [round(saved["forwarding", f"{traffic} {size}", "0"])
                    for traffic in ("both ways", "alone", "sbt")]
        assert row(rows, start)[column] == ", ".join(map(str, expected))
    table = bench.size.read_csv(bench.size.GOLDEN / compiler / "size.csv")
    for start, group in (("kernel, links, routing", "system"), ("all collectives", "collectives"),
                         ("`printf` and its kin", "libc"), ("the board's driver", "board")):
        assert row(rows, start)[column] == str(bench.size.total(table, group)[0])


def test_the_page_has_the_saved_counts_of_thread_metric():
    rows = rows_of(pathlib.Path(bench.__file__).with_name("README.md"))
    saved = bench.load(bench.size.GOLDEN / "gcc-14" / "instructions.csv")
    counts = {key[1].split(",")[0].split()[0]: value for key, value in saved.items()
              if key[0] == "thread_metric"}
    assert len(counts) == 5
    for test, count in counts.items():
        assert row(rows, f"{test}: ")[0] == str(round(count))


def test_the_page_has_the_saved_counts_of_messages():
    rows = rows_of(pathlib.Path(bench.__file__).with_name("README.md"))
    saved = bench.load(bench.size.GOLDEN / "gcc-14" / "instructions.csv")
    for size in (4, 64, 512):
        counts = [saved["messages", f"two messages {size}", column] for column in "01"]
        assert rows[str(size)][:2] == [str(round(count)) for count in counts]
