"""Drives build/host/mesh as a user would: a command line in, exit status, text and report out."""
import array
import dataclasses
import fcntl
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "tools"))
import boards  # noqa: E402
import emulators  # noqa: E402
import seeds  # noqa: E402

BUILD = ROOT / os.environ.get("BUILD", "build")
MESH = BUILD / "host" / "mesh"
BOARD = boards.default(BUILD)
IMAGES = BUILD / BOARD
TIMEOUT_S = 300
PACKET = 16 # bytes, where a test counts packets
ENHANCED_PACKET = 6 # type of the blocks of a pcapng file that have frames
# The command has a folder of its own; how deep interrupts find a stack hangs on when they come.
HOST_TIME = ("boot_s", "wall_s", "clock", "command", "stack_used", "longest_turn")


@dataclasses.dataclass
class Outcome:
    """The outcome of one command."""
    command: list
    status: int
    out: str
    err: str
    report: dict

    def __str__(self):
        return (f"{' '.join(map(str, self.command))}\n"
                f"exit {self.status}\n"
                f"stdout: {self.out[-3000:]}\nstderr: {self.err[-3000:]}")


def mesh(*arguments, timeout=TIMEOUT_S, env=None, cwd=ROOT, stdin=subprocess.DEVNULL):
    """Runs mesh to its end."""
    command = [str(MESH), *emulators.told_how(arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=cwd,
                          errors="replace", env=env, stdin=stdin)
    if done.returncode != 2:
        emulators.check_mark(arguments)
    return Outcome(command, done.returncode, done.stdout, done.stderr, {})


def run(engine, *arguments, timeout=TIMEOUT_S):
    """`mesh run` with its report."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "report.json"
        outcome = mesh("run", "--engine", engine, "--report", file, *arguments, timeout=timeout)
        if file.exists():
            outcome.report = json.loads(file.read_text())
    return outcome


def program(name):
    """The path of what make built of tests/mesh/programs; fails if it has not."""
    path = BUILD / "programs" / name
    assert path.exists(), f"not built: make {os.path.relpath(path, ROOT)}"
    return path


def probe(engine, name, *words, options=(), **more):
    """`mesh run --app` with a program of tests/mesh/apps."""
    app = IMAGES / f"app_{name}.elf"
    words = ["--", *words] if words else []
    return mesh("run", "--engine", engine, "--app", app, *options, *words, **more)


def console(outcome):
    """{node: lines} that the programs printed."""
    lines = {}
    for node, text in re.findall(r"^\[(\d+)\] (.*)$", outcome.out, re.M):
        lines.setdefault(int(node), []).append(text)
    return lines


def collective(topology, engine, dim, op, *more, packets=None, timeout=TIMEOUT_S):
    """`mesh run --op`; of messages of so many packets the last one is not full."""
    size = [] if packets is None else ["--packet", PACKET, "--bytes", packets * PACKET - 5]
    return run(engine, "--topology", topology, "--dim", dim, "--op", op, *size, *more,
               timeout=timeout)


def refused(outcome, allowed):
    """A command that must have been refused in one line, which says what is allowed.

    An echo of the command says nothing of that, so the words must not stand in it.
    """
    assert not [word for word in outcome.command[1:] if allowed in str(word)], "an echo would do"
    assert outcome.status == 2 and allowed in outcome.err and outcome.out == "", outcome
    assert len(outcome.err.splitlines()) == 1, outcome


def verified(outcome):
    """The report of a run that must have verified every node; fails with the whole story."""
    report = outcome.report
    assert outcome.status == 0, outcome
    assert report["verified_nodes"] == report["nodes"], outcome
    assert report["failed_nodes"] == [] and report["unreachable_nodes"] == [], outcome
    in_order = report["engine"] == "sim" or report["lockstep"]
    if in_order and not any(report["faults"].values()):
        assert report["asks"] == 0, outcome # a healthy mesh needs no question
    return report


def without_host_time(report):
    """What two runs of one seed have in common."""
    return {key: value for key, value in report.items() if key not in HOST_TIME}


def survived(outcome):
    """True if every live node has everything. A kill at a random moment may come too late."""
    report = outcome.report
    killed = len(report["faults"]["kill"])
    return (outcome.status == 0 and report["failed_nodes"] == [] and not report["missing_blocks"]
            and report["verified_nodes"] == report["nodes"] - killed)


def some(items, count, exhaustive, *seed):
    """At most `count` of them, the same ones every time; all if `exhaustive`."""
    items = list(items)
    if exhaustive or len(items) <= count:
        return items
    return seeds.draw_of(*seed).sample(items, count)


def blocks(data):
    """(type, bytes) of each block of a pcapng file."""
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        assert struct.unpack_from("<I", data, at + length - 4) == (length,)
        yield kind, data[at:at + length]
        at += length


def random_faults(draw, count):
    """So many dead cables and nodes, of any mix, each from a random moment on."""
    dead = draw.randint(0, count)
    faults = [f"cut:random@random x{count - dead}"] if dead < count else []
    return ",".join(faults + ([f"kill:random@random x{dead}"] if dead else []))


def tree(dim, name, root=0, topology="cube"):
    """The first subtree that `mesh tree` prints, and the whole of it."""
    outcome = mesh("tree", "--topology", topology, "--dim", dim, "--tree", name, "--root", root,
                   "--format", "json")
    assert outcome.status == 0, outcome
    whole = json.loads(outcome.out)
    return whole["subtrees"][0], whole


def start(*arguments, under=()):
    """A mesh that is left running, `under` a command that becomes it, if any; its group is the
    caller's to end. It dies with the caller, and obeys signals that the caller is to ignore."""
    emulators.check_mark(arguments)
    command = ["setpriv", "--pdeathsig", "KILL", "env", "--default-signal=HUP,INT,TERM", *under,
               MESH, *emulators.told_how(arguments)]
    return subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True,
                            stdin=subprocess.DEVNULL)


def end(process):
    """Ends what start() began, whatever state it is in."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


STATE, PARENT, STARTED = 0, 1, 19 # fields of /proc/PID/stat behind the name


def all_that_run():
    """{process: its fields} of all that run (a zombie does not), in the order of their starts:
    their numbers begin anew at some 30,000."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if fields[STATE] != "Z":
                found[int(entry.name)] = fields
    return dict(sorted(found.items(), key=lambda each: int(each[1][STARTED])))


def all_parents():
    """{process: its parent} of all that run."""
    return {pid: int(fields[PARENT]) for pid, fields in all_that_run().items()}


def children(pid):
    """Process ids of those that `pid` has started and that still run, the first first."""
    return [child for child, parent in all_parents().items() if parent == pid]


def descendants(pid):
    """Process ids of all children and theirs, of `pid`."""
    parents = all_parents()
    found, frontier = set(), {pid}
    while frontier:
        frontier = {child for child, parent in parents.items() if parent in frontier}
        found |= frontier
    return found


def alive(pids):
    """Those of `pids` that still run (a zombie does not)."""
    running = set()
    for pid in pids:
        try:
            state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if state != "Z":
            running.add(pid)
    return running


def words_of(pid):
    """A process's command line, as bytes; none if it has ended."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


def ticks_of(pid):
    """The processor time that a process has taken, in ticks of the system; 0 if it has ended."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])


def wait_until(condition, seconds, what, ended=lambda: None):
    """Polls until `condition()` holds; its value. `ended()` says how the process that alone can
    make it hold has ended, or nothing while it runs."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        how = ended() # before the last look at the condition
        value = condition()
        if value:
            return value
        assert not how, f"{how}, before this: {what}"
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds} s: {what}")


def wait_until_full(pipe):
    """Waits until half of this pipe is full, which nobody reads: soon its writer waits, too."""
    waiting = array.array("i", [0])
    wait_until(lambda: fcntl.ioctl(pipe, termios.FIONREAD, waiting) == 0 and
               waiting[0] >= 1 << 15, 60, "a pipe that is full")
