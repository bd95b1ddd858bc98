"""The developer's loop, measured: one line changes, the host tool is made, one test runs.

`python3 tests/tools/loop.py [BUILD]` in a tree whose host tool is up to date prints a row for each
of two files. Processor seconds count: wall time is less with two cores. A compiler's cache is not
asked.
"""
import os
import pathlib
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEST = "tests/mesh/command_line/test_dry_run.py"
FILES = ("firmware/kernel/links/link.cpp", "host-tools/mesh/reports/report.cpp")


def seconds_of(words, build):
    """Processor and wall seconds of a command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True,
                   env={**os.environ, "BUILD": build, "CCACHE_DISABLE": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime,
            time.monotonic() - start)


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "build"
    tool = ["make", f"BUILD={build}", f"{build}/host/mesh"]
    seconds_of(tool, build)
    print("| one line of | make, processor s | one test, processor s | both, wall s |")
    print("|---|---|---|---|")
    for name in FILES:
        file = ROOT / name
        text = file.read_text()
        try:
            file.write_text(text + "// one line more\n")
            made, wall = seconds_of(tool, build)
            tested, more = seconds_of([sys.executable, "-m", "pytest", "-q", "-n", "0", TEST],
                                      build)
        finally:
            file.write_text(text)
        print(f"| `{name}` | {made:.0f} | {tested:.0f} | {wall + more:.0f} |")


if __name__ == "__main__":
    main()
