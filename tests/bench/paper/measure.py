"""Measures: runs of `mesh`, and censuses of the core's trees. Nothing here knows a formula.

What the sections ask for is asked twice: a first pass only collects the jobs, then all are run,
two at a time, then the second pass finds the answers. A job that the tool refuses
has no value; it is listed, and never made up.
"""
import concurrent.futures
import dataclasses
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "mesh/helpers"))
import mesh_tool  # noqa: E402
import networks  # noqa: E402

QEMU_DIM_MAX = 6  # of a cube; other networks up to as many nodes
RUN_LIMIT_S = 300
RUNS_AT_ONCE = 2  # a small cube leaves a core idle
REFUSED, FAILED = "refused", "failed"
NOT_AGAIN = "not tried again"


@dataclasses.dataclass(frozen=True)
class Job:
    """One `mesh run`. `bytes` is the message, for personalised ops that of each destination;
    `copies` is how many disjoint trees each packet takes."""
    op: str
    dim: int
    tree: str
    ports: str = "all"
    bytes: int = 16
    packet: int = 16
    schedule: str = ""
    tau: float = 1
    tc: float = 0
    topology: str = "cube"
    copies: int = 1

    @property
    def nodes(self):
        return networks.nodes_of(self.topology, self.dim)

    @property
    def root(self):
        return 5 * self.dim % self.nodes

    def arguments(self):
        words = ["--topology", self.topology, "--dim", self.dim, "--op", self.op,
                 "--tree", self.tree, "--ports", self.ports, "--bytes", self.bytes,
                 "--packet", self.packet, "--root", self.root]
        words += ["--schedule", self.schedule] if self.schedule else []
        words += ["--copies", self.copies] if self.copies > 1 else []
        words += ["--tau", repr(float(self.tau)), "--tc", repr(float(self.tc))]
        return words

    def kind(self):
        """The subject of a refusal, without sizes."""
        network = "" if self.topology == "cube" else self.topology
        copies = "copies" if self.copies > 1 else ""
        return " ".join(filter(None, [network, self.op, self.tree, self.schedule, self.ports,
                                      copies]))


@dataclasses.dataclass(frozen=True)
class Answer:
    status: str
    steps: int = 0
    model_time: float = 0
    hops: int = 0
    why: str = ""


def ask(engine, job):
    """Runs one job to its end."""
    try:
        outcome = mesh_tool.run(engine, *job.arguments(), timeout=RUN_LIMIT_S)
    except subprocess.TimeoutExpired:
        return Answer(FAILED, why=f"no end within {RUN_LIMIT_S} s")
    said = (outcome.err.strip().splitlines() or [""])[-1]
    said = re.sub(r" --report \S+", "", said)  # gone by now
    if outcome.status == 2:
        return Answer(REFUSED, why=said)
    report = outcome.report
    if outcome.status != 0 or report.get("verified_nodes") != report.get("nodes"):
        return Answer(FAILED, why=said)
    return Answer("ok", report["steps"], report["model_time"], report["hops"])


class Measurements:
    """Asks the tool and the census; remembers every answer."""

    def __init__(self, quick=False, qemu_dim_max=QEMU_DIM_MAX):
        self.quick = quick
        self.qemu_dim_max = 0 if quick else qemu_dim_max
        self._jobs = {}  # Job -> Answer, None while only collected
        self._asked = {}  # what each paper asked for
        self._paper = ""
        self._censuses = {}

    def engine(self, dim, topology="cube"):
        largest = 2 ** self.qemu_dim_max if self.qemu_dim_max else 0
        return "qemu" if networks.nodes_of(topology, dim) <= largest else "sim"

    def dims(self, *wanted):
        """Those of the dimensions that this run looks at."""
        return [dim for dim in wanted if not self.quick or dim <= 4]

    def begin(self, paper):
        """All measurements from here on are for this paper."""
        self._paper = paper

    def _answer(self, job):
        """The answer, if there is one with a value."""
        self._asked.setdefault(self._paper, {})[job] = True
        answer = self._jobs.setdefault(job)
        return answer if answer and answer.status == "ok" else None

    def steps(self, job):
        """Steps on the model clock; None if there is no value."""
        answer = self._answer(job)
        return answer.steps if answer else None

    def time(self, job):
        """Model time; None if there is no value."""
        answer = self._answer(job)
        return answer.model_time if answer else None

    def hops(self, job):
        """Packets over links, all of them; None if there is no value."""
        answer = self._answer(job)
        return answer.hops if answer else None

    def run(self, progress=sys.stderr):
        """Runs all jobs collected so far, two at a time, the small networks first. What failed once
        is not tried on larger ones."""
        waiting = sorted((job for job, answer in self._jobs.items() if answer is None),
                         key=lambda job: job.nodes)
        broken = set()

        def work(numbered):
            number, job = numbered
            if job.kind() in broken:
                self._jobs[job] = Answer(FAILED, why=NOT_AGAIN)
                return
            self._jobs[job] = ask(self.engine(job.dim, job.topology), job)
            if self._jobs[job].status == FAILED:
                broken.add(job.kind())
            if number % 100 == 0:
                print(f"{number} of {len(waiting)} runs", file=progress, flush=True)

        with concurrent.futures.ThreadPoolExecutor(RUNS_AT_ONCE) as pool:
            list(pool.map(work, enumerate(waiting, 1)))

    def census(self, tree, first, last):
        """The counts of tree_statistics, by dimension."""
        last = min(last, 10) if self.quick else last
        key = (tree, first, last)
        if key not in self._censuses:
            program = mesh_tool.BUILD / "host" / "paper" / "tree_statistics"
            done = subprocess.run([str(program), tree, str(first), str(last)], check=True,
                                  capture_output=True, text=True, timeout=RUN_LIMIT_S)
            rows = map(json.loads, done.stdout.splitlines())
            self._censuses[key] = {row["dim"]: row for row in rows}
        return self._censuses[key]

    def without_value(self, paper, status):
        """Jobs of a paper that ended so, as text: what they have in common, with which n, and
        what was said."""
        groups = {}
        for job in self._asked.get(paper, {}):
            answer = self._jobs[job]
            if answer and answer.status == status:
                groups.setdefault(job.kind(), []).append((job, answer))
        lines = []
        for kind, members in sorted(groups.items()):
            dims = sorted({job.dim for job, _ in members})
            packets = sorted({job.packet for job, _ in members})
            said = [answer.why for _, answer in members if answer.why != NOT_AGAIN]
            lines.append(f"{kind} (n = {', '.join(map(str, dims))}; packets of "
                         f"{', '.join(map(str, packets))}): {(said or [NOT_AGAIN])[0]}")
        return lines
