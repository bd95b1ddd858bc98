"""Runs every fuzz target over its seeds, and with libFuzzer on inputs of its own for FUZZ_SECONDS.

New inputs stay in BUILD/fuzz/corpus/NAME; a crash leaves its input in BUILD/fuzz, and its path is
printed.
"""
import os
import pathlib
import re
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")
FOLDER = BUILD / "fuzz"
NAMES = sorted(source.stem for source in HERE.glob("*.cpp"))
SECONDS = int(os.environ.get("FUZZ_SECONDS", "2"))
LIMIT_S = SECONDS + 300


def seeds_of(name):
    return sorted(file for file in (HERE / "corpus" / name).iterdir() if file.is_file())


@pytest.mark.parametrize("name", NAMES)
def test_no_seed_breaks_a_parser(name):
    program = BUILD / "host" / "fuzz" / name
    assert program.exists(), f"not built: make {os.path.relpath(program, ROOT)}"
    seeds = seeds_of(name)
    done = subprocess.run([program, *seeds], capture_output=True, text=True, errors="replace",
                          timeout=300)
    assert done.returncode == 0 and seeds and f"{len(seeds)} inputs" in done.stdout, done.stderr


@pytest.mark.costly
@pytest.mark.parametrize("name", NAMES)
def test_no_input_breaks_a_parser_of_bytes_from_outside(name):
    seeds = HERE / "corpus" / name
    seed_count = len(seeds_of(name))
    found = FOLDER / "corpus" / name
    found.mkdir(parents=True, exist_ok=True)
    result = subprocess.run(
        [FOLDER / name, f"-max_total_time={SECONDS}", "-timeout=60", "-rss_limit_mb=2048",
         "-max_len=4096", "-entropic=0", "-print_final_stats=1", "-verbosity=0",
         f"-artifact_prefix={FOLDER}/{name}-", found, seeds], capture_output=True, text=True,
        errors="replace", timeout=LIMIT_S)
    crash = re.search(r"Test unit written to (\S+)", result.stderr)
    executed = re.search(r"number_of_executed_units: (\d+)", result.stderr)
    units = int(executed.group(1)) if executed else 0
    print(f"{name}: {seed_count} seeds, {units} inputs in {SECONDS} s")
    assert result.returncode == 0, \
        f"{result.stderr[-4000:]}\nrepeat: {FOLDER / name} {crash.group(1) if crash else seeds}"
    assert units > seed_count > 0, "no input beside the seeds"
