"""C programs print over MPICH, natively, what they print on the mesh: `make test-mpi`.

MPICH is not asked for by the tests (Debian: apt-get install mpich); without it these are skipped.
"""
import functools
import shutil
import subprocess

import pytest

from mesh_tool import ROOT, console, mesh, program

PROGRAMS = ROOT / "tests" / "mesh" / "mpi"
COMPILER, LAUNCHER = shutil.which("mpicc.mpich"), shutil.which("mpiexec.mpich")
# Not ring, which tells model time, grid, which counts links, objects, most of which MPICH does
# otherwise (codes of functions, values of MPI_Info_get() that are cut off), and cancel, since MPICH
# cancels no send, and waits for its receive. With each the fewest ranks that it is for.
NAMES = {"ahead": 3, "allsend": 2, "behind": 2, "cg": 1, "communicators": 4, "corners": 1,
         "farm": 1, "generalized": 2, "heat": 1, "hello": 1, "intercommunicators": 1, "life": 1,
         "matched": 1, "matrix": 1, "messages": 2, "neighbors": 2, "nonblocking": 2, "pairs": 2,
         "pi": 1, "samplesort": 1, "types": 2, "windows": 1}
LOSSES = ("--faults", "drop:0.1,corrupt:0.05")
# Where they run: on so many ranks, the first nodes of a mesh; the others forward.
PLACES = [(ranks, "sim", "cube", max(1, (ranks - 1).bit_length()))
          for ranks in (1, 2, 3, 4, 5, 6, 7, 8, 12, 16)]
PLACES += [(5, "sim", "uhc", 3), (8, "sim", "uhc", 3), (4, "sim", "star", 3), (6, "sim", "star", 3),
           (3, "qemu", "cube", 2), (4, "qemu", "cube", 2), (6, "qemu", "star", 3),
           (6, "sim", "cube", 3, *LOSSES), (6, "sim", "star", 3, *LOSSES),
           (4, "qemu", "cube", 2, *LOSSES)]
CASES = [(name, place) for name, fewest in NAMES.items() for place in PLACES if place[0] >= fewest]
TODAY = [("intercommunicators", (6, "sim", "star", 3)), ("windows", (4, "sim", "cube", 2))]

pytestmark = pytest.mark.skipif(COMPILER is None or LAUNCHER is None,
                                reason="no MPICH: apt-get install mpich")


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    """What a program prints over MPICH, which is asked once."""
    folder = tmp_path_factory.mktemp("native")

    @functools.cache
    def built(name):
        subprocess.run([COMPILER, "-O1", "-w", PROGRAMS / f"{name}.c", "-o", folder / name, "-lm"],
                       check=True)
        return folder / name

    @functools.cache
    def printed(name, ranks):
        done = subprocess.run([LAUNCHER, "-n", str(ranks), built(name)], capture_output=True,
                              text=True, timeout=240)
        assert done.returncode == 0, done
        return sorted(line for line in done.stdout.splitlines() if line)
    return printed


@pytest.mark.toolchain
@pytest.mark.parametrize("name, place", CASES, ids=lambda part: "-".join(map(str, part)) if
                         isinstance(part, tuple) else part)
def test_a_program_prints_what_it_prints_over_mpich(native, name, place, exhaustive):
    if not exhaustive and (name, place) not in TODAY:
        pytest.skip("make test-mpi")
    ranks, engine, topology, dim, *faults = place
    outcome = mesh("run", "--engine", engine, "--topology", topology, "--dim", dim,
                   "--ranks", ranks, *faults, "--app", program(f"mpi/{name}"))
    assert outcome.status == 0, outcome
    ours = sorted(line for lines in console(outcome).values() for line in lines)
    assert ours, outcome
    assert native(name, ranks) == ours
