"""Several `mesh` that share one run, as a launcher starts them."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import mesh_tool
from mesh_tool import MESH, ROOT, Outcome, descendants

LAUNCHER = pathlib.Path(__file__).with_name("launcher_mpi.cpp")
TIMEOUT_S = 240
# Of two ways to have the nodes: seconds, the command, and what hangs on how often a node was awake
# or on the size of what it read at once.
OTHER = ("boot", "boot_s", "wall_s", "clock", "command", "counters", "dma_transfers", "stack_used")


def make_launcher(folder):
    """The object that stands for an MPI."""
    made = folder / "launcher.so"
    subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-I.", "-fPIC", "-shared", "-O1",
                    LAUNCHER, "-o", made], cwd=ROOT, check=True)
    return made


class Launched:
    """The processes of one launch; rank 0's words are kept."""

    def __init__(self, launcher, ranks, words, words_of_others=None, variables=None):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.report = self.folder / "report.json"
        self.command = [str(MESH), *map(str, words)]
        self.processes = []
        others = [str(MESH), *map(str, words_of_others or words)]
        for rank in range(ranks):
            env = {**os.environ, "PMI_RANK": str(rank), "PMI_SIZE": str(ranks),
                   "MESH_MPI": str(launcher), "RANKS_FOLDER": str(self.folder),
                   **(variables or {})}
            self.processes.append(subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *(others if rank else self.command)],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=env,
                stdin=subprocess.DEVNULL))

    def emulators(self):
        """By rank."""
        return [descendants(process.pid) for process in self.processes]

    def end(self):
        """The outcome of rank 0, and those of the others: (status, out, err)."""
        all_of_them = []
        try:
            for process in self.processes:
                out, err = process.communicate(timeout=TIMEOUT_S)
                all_of_them.append((process.returncode, out, err))
        finally:
            for process in self.processes:
                if process.poll() is None:
                    process.kill()
            shutil.rmtree(self.folder, ignore_errors=True)
        status, out, err = all_of_them[0]
        return Outcome(self.command, status, out, err, {}), all_of_them[1:]


def run_ranks(launcher, ranks, *words, **more):
    """A whole run; the other ranks must have ended well, and said nothing."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        outcome, others = Launched(
            launcher, ranks, ["run", "--engine", "qemu", "--report", report, *words], **more).end()
        assert others == [(0, "", "")] * (ranks - 1), (others, outcome)
        if report.exists():
            outcome.report = json.loads(report.read_text())
    return outcome


def run_alone(*words):
    return mesh_tool.run("qemu", *words)


def facts(report):
    """What must be the same however many ranks there are."""
    return {key: value for key, value in report.items() if key not in OTHER}
