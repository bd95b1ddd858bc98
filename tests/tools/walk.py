"""The files that a change of a kind touches, walked in a copy of the tree: `walk.py BUILD KIND...`.

tests/walks/KIND.patch adds something small of its kind. The copy has the objects of BUILD, so that
make compiles only what the patch reaches; then the host tool must know the new thing and run it.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WALKS = ROOT / "tests" / "walks"
# Of each kind: the host tool's command line, and its right answer.
ASKED = {
    "tree": [(["tree", "--dim", "4", "--tree", "sbt-low", "--format", "json"], '"height":4'),
             (["run", "--engine", "sim", "--dim", "4", "--op", "bcast", "--tree", "sbt-low"],
              "verified  16 of 16 live nodes"),
             (["list", "trees"], "complement trailing zeroes")],
    "op": [(["run", "--engine", "sim", "--dim", "3", "--op", "rendezvous"],
            "verified  8 of 8 live nodes"),
           (["list", "ops"], "all meet, and meet again")],
    "fault": [(["list", "faults"], "the last byte of a frame comes turned over"),
              (["run", "--engine", "sim", "--dim", "4", "--op", "bcast", "--bytes", "20000",
                "--faults", "clip:0.2"], "faults    of frames: clip "),
              (["run", "--engine", "sim", "--dim", "4", "--op", "bcast", "--bytes", "20000",
                "--faults", "clip:0.2"], "verified  16 of 16 live nodes")],
    "option": [(["run", "--help"], "a text that the report has"),
               (["run", "--engine", "sim", "--dim", "2", "--op", "barrier", "--note", "seen",
                 "--report", "-"], '"note":"seen"')],
}


def files_of(kind):
    """The set of the files that the patch of this kind touches."""
    text = (WALKS / f"{kind}.patch").read_text()
    return set(re.findall(r"^\+\+\+ b/(\S+)", text, re.M))


def walk(kind, build):
    """The failures, one line each."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "tree"
        place.mkdir()
        for entry in ROOT.iterdir():
            if entry.name not in (".git", "build", build):
                subprocess.run(["cp", "-a", entry, place], check=True)
        (place / build).mkdir()
        for entry in ("host", "batch", "apps.txt", "boards.txt", "include", "linker"):
            if (ROOT / build / entry).exists():
                subprocess.run(["cp", "-a", ROOT / build / entry, place / build], check=True)
        subprocess.run(["patch", "-p1", "-s", "-i", WALKS / f"{kind}.patch"], cwd=place, check=True)
        made = subprocess.run(["make", f"BUILD={build}", f"{build}/host/mesh"], cwd=place,
                              capture_output=True, text=True)
        if made.returncode != 0:
            yield f"{kind}: make: {made.stdout[-2000:]}{made.stderr[-4000:]}"
            return
        for words, answer in ASKED[kind]:
            done = subprocess.run([place / build / "host" / "mesh", *words], cwd=place,
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if done.returncode != 0 or answer not in done.stdout:
                yield f"{kind}: mesh {' '.join(words)}: no '{answer}' in {done.stdout}{done.stderr}"


def main():
    build, *kinds = sys.argv[1:]
    wrong = [line for kind in kinds or ASKED for line in walk(kind, build)]
    print(*wrong or ["every walk comes to its end"], sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
