"""The files that a change of a kind touches, walked in a copy of the tree: `walk.py BUILD KIND...`.

tests/walks/KIND.patch adds something small of its kind. The copy has the objects of BUILD, so that
make compiles only what the patch reaches; then the host tool must know the new thing and run it.
tests/walks/README.md has the size of each walk.
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
    "board": [(["list", "boards"], "mps2-an386        Arm MPS2+ AN386"),
              (["run", "--board", "mps2-an386", "--dim", "1", "--lockstep", "--app", "hello"],
               "[1] hello, neighbours are 0")],
    "MPI call": [(["run", "--engine", "sim", "--dim", "3", "--app", "tests/mesh/mpi/axes.c"],
                  "[5] 2 rows of 4")],
    "lab": [(["lab", "list"], "15-ones        Ones: how far a node is from node 0"),
            (["grade", "tests/labs/15-ones/solution", "--lab", "15"], "15-ones: 100 of 100")],
}
# What the patch calls the new thing, where the page says NAME.
NAMES = {"board": "mps2-an386", "MPI call": "axes", "lab": "15-ones"}
# What make makes beside the host tool.
IMAGES = {"board": ["BOARD=mps2-an386", "mps2-an386/hello.elf"]}
# What the copy has of BUILD. Boards with the same flags have the objects of firmware/ in common.
COPIED = ["host", "batch", "calls", "apps.txt", "boards.txt", "include", "labs", "linker"]
WITH_SAME_FLAGS = {"board": ["ast1030-evb"]}


def patch_of(kind):
    return WALKS / f"{kind.lower().replace(' ', '_')}.patch"


def files_of(kind):
    """The set of the files that the patch of this kind touches, as the page names them."""
    files = re.findall(r"^\+\+\+ b/(\S+)", patch_of(kind).read_text(), re.M)
    return {file.replace(NAMES[kind], "NAME") if kind in NAMES else file for file in files}


def lines_of(kind):
    """How many lines the patch writes or changes."""
    return len(re.findall(r"^\+(?!\+\+ )", patch_of(kind).read_text(), re.M))


def walk(kind, build):
    """The failures, one line each."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "tree"
        place.mkdir()
        for entry in ROOT.iterdir():
            if entry.name not in (".git", "build", build):
                subprocess.run(["cp", "-a", entry, place], check=True)
        (place / build).mkdir()
        for entry in COPIED + WITH_SAME_FLAGS.get(kind, []):
            if (ROOT / build / entry).exists():
                subprocess.run(["cp", "-a", ROOT / build / entry, place / build], check=True)
        subprocess.run(["patch", "-p1", "-s", "-i", patch_of(kind)], cwd=place, check=True)
        more = [word if "=" in word else f"{build}/{word}" for word in IMAGES.get(kind, [])]
        made = subprocess.run(["make", f"BUILD={build}", f"{build}/host/mesh", *more], cwd=place,
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
