#!/usr/bin/python3
"""fuzz.py FOLDER NAME SECONDS: runs one libFuzzer target from its seed corpus for a while.

New inputs stay in FOLDER/corpus/NAME; a crash leaves its input in FOLDER, and its path is printed.
Reports `1 passed, 0 failed` only if the target ran the seeds and at least one input of its own.
"""
import pathlib
import re
import subprocess
import sys


def main():
    folder, name, seconds = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    seeds = pathlib.Path("tests/fuzz/corpus") / name
    seed_count = sum(1 for file in seeds.iterdir() if file.is_file()) if seeds.is_dir() else 0
    found = folder / "corpus" / name
    found.mkdir(parents=True, exist_ok=True)
    command = [str(folder / name), f"-max_total_time={seconds}", "-timeout=10",
               "-rss_limit_mb=2048", "-max_len=4096", "-print_final_stats=1", "-verbosity=0",
               f"-artifact_prefix={folder}/{name}-", str(found), str(seeds)]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace",
                            timeout=seconds + 60)
    crash = re.search(r"Test unit written to (\S+)", result.stderr)
    executed = re.search(r"number_of_executed_units: (\d+)", result.stderr)
    units = int(executed.group(1)) if executed else 0
    good = result.returncode == 0 and seed_count > 0 and units > seed_count
    print(f"fuzz {name}: {seed_count} seeds, {units} inputs in {seconds} s")
    if not good:
        print(result.stderr[-4000:])
        print(f"repeat: {folder / name} {crash.group(1) if crash else seeds}")
    print("1 passed, 0 failed" if good else "0 passed, 1 failed")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
