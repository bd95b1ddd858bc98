"""C programs print over MPICH, natively, what they print on the mesh: `make test-mpi`.

MPICH is not asked for by the tests (Debian: apt-get install mpich); without it these are skipped.
"""
import shutil
import subprocess

import pytest

from mesh_tool import ROOT, console, mesh

PROGRAMS = ROOT / "tests" / "mesh" / "mpi"
COMPILER, LAUNCHER = shutil.which("mpicc.mpich"), shutil.which("mpiexec.mpich")
# Not ring, which tells model time, grid, which counts links, objects, since MPI_Info_get() of MPICH
# refuses to cut a value off, corners, since MPICH tells the world of errors in MPI_Waitall(), and
# cancel, since MPICH cancels no send, and waits for its receive.
NAMES = ["ahead", "allsend", "behind", "cg", "communicators", "farm", "generalized", "heat",
         "hello", "intercommunicators", "life", "matched", "matrix", "messages", "neighbors",
         "nonblocking", "pairs", "pi", "samplesort", "types", "windows"]
NETWORKS = {2: ("cube", 1), 4: ("cube", 2), 6: ("star", 3), 8: ("cube", 3), 16: ("cube", 4)}
# Some programs want at least four ranks.
PAIRS = ["intercommunicators", "matched", "windows"]
CASES = [(name, ranks) for name in NAMES for ranks in NETWORKS if ranks > 2 or name in PAIRS]
TODAY = {("intercommunicators", 6), ("windows", 4)}

pytestmark = pytest.mark.skipif(COMPILER is None or LAUNCHER is None,
                                reason="no MPICH: apt-get install mpich")


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    """Compiles a program for MPICH, once."""
    folder = tmp_path_factory.mktemp("native")

    def build(name):
        into = folder / name
        if not into.exists():
            subprocess.run([COMPILER, "-O1", "-w", PROGRAMS / f"{name}.c", "-o", into, "-lm"],
                           check=True)
        return into
    return build


@pytest.mark.parametrize("name, ranks", CASES)
def test_a_program_prints_what_it_prints_over_mpich(native, name, ranks, exhaustive):
    if not exhaustive and (name, ranks) not in TODAY:
        pytest.skip("make test-mpi")
    topology, dim = NETWORKS[ranks]
    outcome = mesh("run", "--engine", "sim", "--topology", topology, "--dim", dim, "--app",
                   PROGRAMS / f"{name}.c")
    assert outcome.status == 0, outcome
    ours = sorted(line for lines in console(outcome).values() for line in lines)
    assert ours, outcome
    done = subprocess.run([LAUNCHER, "-n", str(ranks), native(name)], capture_output=True,
                          text=True, timeout=240)
    assert done.returncode == 0, done
    assert sorted(line for line in done.stdout.splitlines() if line) == ours, done
