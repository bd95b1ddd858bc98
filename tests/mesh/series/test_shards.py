"""--shard K/N shares the runs of a series or a matrix; mesh merge makes one report of the parts."""
import json
import re
from xml.etree import ElementTree

import pytest

from mesh_tool import mesh, refused

SERIES = ["run", "--engine", "sim", "--dim", 2, "--op", "bcast", "--tree", "sbt", "--bytes", 4000,
          "--packet", 16, "--faults", "cut:random@random", "--seed", "1..7"]
MATRIX = """engine = "sim"
op = "bcast"
[small]
dim = [1, 2, 3]
[refused]
dim = 2
root = [0, 9]
allow-refused = true
"""


def words_of_lines(outcome):
    return [line.split() for line in re.sub(r"-?[\d.]+ s\b", "", outcome.out).splitlines()]


def plain(file):
    """The runs and counts of a report, without times, and the command, which names the report."""
    whole = json.loads(file.read_text())
    for one in whole["runs"]:
        for key in "boot_s", "wall_s", "clock", "command":
            (one["report"] or {}).pop(key, None)
        del one["seconds"]
    return [*whole["runs"], *((key, whole[key]) for key in ("verified", "failed", "refused"))]


def names_in(junit):
    return [case.get("name") for case in ElementTree.parse(junit).getroot()]


@pytest.mark.parametrize("kind", ["series", "matrix"])
def test_the_parts_together_are_the_whole_in_its_order(tmp_path, kind):
    (tmp_path / "m.toml").write_text(MATRIX)
    job = SERIES if kind == "series" else ["matrix", tmp_path / "m.toml", "--jobs", 1]
    whole = mesh(*job, "--report", tmp_path / "whole", "--junit", tmp_path / "whole.xml")
    seen = []
    for part in range(1, 4):
        outcome = mesh(*job, "--shard", f"{part}/3", "--report", tmp_path / f"part{part}")
        seen.append(words_of_lines(outcome)[:-1])
        assert json.loads((tmp_path / f"part{part}").read_text())["shard"] == f"{part}/3"
    merged = mesh("merge", *(tmp_path / f"part{part}" for part in (2, 3, 1)),
                  "--report", tmp_path / "all", "--junit", tmp_path / "all.xml")
    *lines, totals = words_of_lines(whole)
    *merged_lines, merged_totals = words_of_lines(merged)
    assert merged.status == whole.status and merged_totals == totals, merged
    pairs = [(merged_lines, lines), (plain(tmp_path / "all"), plain(tmp_path / "whole")),
             (names_in(tmp_path / "all.xml"), names_in(tmp_path / "whole.xml"))]
    if kind == "series":
        assert seen == [lines[first::3] for first in range(3)]
        assert all(ours == theirs for ours, theirs in pairs), pairs
    else: # whose runs are told as they end
        assert sorted(map(len, seen)) == [1, 2, 2]
        assert all(sorted(map(str, ours)) == sorted(map(str, theirs)) for ours, theirs in pairs)


def test_parts_that_are_no_whole_are_told(tmp_path):
    parts = [tmp_path / f"part{part}" for part in (1, 2, 3)]
    for number, part in enumerate(parts, 1):
        mesh(*SERIES, "--shard", f"{number}/3", "--report", part)
    (tmp_path / "plain").write_text("{}")
    mesh(*SERIES, "--shard", "2/2", "--report", tmp_path / "other")
    for files, words in ((parts[:1], "of 3 shards these are missing: 2 3"),
                         ([*parts, parts[1]], "shard 2/3 is there twice"),
                         ([parts[0], tmp_path / "other"], "do not belong together"),
                         ([parts[0], tmp_path / "plain"], "no report of a shard"),
                         ([tmp_path / "none"], "No such file")):
        outcome = mesh("merge", *files)
        assert outcome.status == 1 and words in outcome.err and outcome.out == "", outcome


@pytest.mark.parametrize("kind, other, words", [
    ("series", ["--seed", "1..8"], "--seed 1..8"), ("series", ["--packet", 32], "--packet=32"),
    ("matrix", 'packet = 32', "5 runs, check sum")])
def test_shards_of_two_different_jobs_are_not_merged(kind, other, words, tmp_path):
    """Each shard is there once, and those of both have as many runs."""
    parts = [tmp_path / "1.json", tmp_path / "2.json"]
    for part in (1, 2):
        job = [*SERIES[:-2], "--seed", "1..7"]
        if kind == "series" and part == 2:
            at = job.index(other[0])
            job[at:at + 2] = other
        elif kind == "matrix":
            (tmp_path / "m.toml").write_text((other + "\n" if part == 2 else "") + MATRIX)
            job = ["matrix", tmp_path / "m.toml"]
        mesh(*job, "--shard", f"{part}/2", "--report", parts[part - 1])
    outcome = mesh("merge", *parts)
    assert outcome.status == 1 and outcome.out == "", outcome
    assert "other runs than" in outcome.err and words in outcome.err, outcome
    assert len(outcome.err.splitlines()) == 1, outcome


@pytest.mark.parametrize("shard", ["0/3", "4/3", "3", "a/b", "1/", "/2", "-1/2", "1/2/3"])
def test_what_is_no_shard_is_refused(shard):
    refused(mesh(*SERIES, f"--shard={shard}"), "allowed: K/N")


def test_a_shard_without_a_run_is_refused(tmp_path):
    refused(mesh(*SERIES, "--shard", "1/8"), "there are 7 runs only")
    (tmp_path / "m.toml").write_text(MATRIX)
    refused(mesh("matrix", tmp_path / "m.toml", "--shard", "6/6"), "there are 5 runs only")


@pytest.mark.parametrize("more", [[], ["--orders", 3]])
def test_a_shard_goes_with_several_seeds_only(more):
    refused(mesh(*SERIES[:5], "--op", "bcast", "--shard", "1/2", *more), "goes with --seed A..B")
