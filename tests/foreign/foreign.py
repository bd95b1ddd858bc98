#!/usr/bin/python3
"""Public MPI suites of Debian's source packages on the mesh: foreign.py BUILD [--only WORDS] ...

Fetches the packages that are not there into BUILD/foreign (apt-get source, which checks them),
builds each program, runs it in the simulation and on emulators, and compares with expected.csv.
Exits with 0 if each case ends as is expected and each engine reaches its bar. What a case printed
lies in BUILD/foreign/logs, all verdicts in BUILD/foreign/results.csv.
"""
import argparse
import collections
import concurrent.futures
import csv
import dataclasses
import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys

from suites import SUITES, judged

HERE = pathlib.Path(__file__).parent
BARS = {"sim": 99, "qemu": 97}  # per cent of what is in scope
OUT, RIGHT, WRONG = "out", "right", "wrong"
BUILD_LIMIT_S = 1800  # coll/allred.c is 4 MB behind the preprocessor
SIMULATED_HEAP = "2047M"  # of a rank; a simulated node may have more than a board
NOT_FETCHED = """\
test-foreign: the source package {package} is not there, and apt-get did not fetch it:
{words}
With a network: `make test-foreign` again. Without: unpack its upstream source as {folder}."""


# ---- sources of Debian ---------------------------------------------------------------------------
def apt(folder):
    """Options by which apt-get knows this Debian's source packages; nothing in /etc is changed."""
    told = pathlib.Path("/etc/os-release").read_text()
    suite = re.search(r"^VERSION_CODENAME=(\w+)", told, re.M).group(1)
    sources = folder / "sources.list"
    key = "/usr/share/keyrings/debian-archive-keyring.gpg"
    sources.write_text(f"deb-src [signed-by={key}] http://deb.debian.org/debian {suite} main\n")
    for name in ("lists", "cache"):
        (folder / name / "partial").mkdir(parents=True, exist_ok=True)
    return ("-qq", "-o", f"Dir::Etc::SourceList={sources}", "-o", "Dir::Etc::SourceParts=/dev/null",
            "-o", f"Dir::State::Lists={folder / 'lists'}", "-o", f"Dir::Cache={folder / 'cache'}",
            "-o", "APT::Sandbox::User=root")


def fetched(package, build):
    """The folder of a package's upstream source, which is fetched and unpacked once."""
    folder = build / "foreign" / package
    if folder.exists():
        return folder
    state = build / "foreign" / "apt"
    state.mkdir(parents=True, exist_ok=True)
    options = apt(state)
    done = subprocess.run(["apt-get", *options, "update"], capture_output=True, text=True)
    if done.returncode == 0:
        done = subprocess.run(["apt-get", *options, "source", "--download-only", "--tar-only",
                               package], cwd=state, capture_output=True, text=True)
    archives = sorted(state.glob(f"{package}_*.orig.tar.*"))
    if done.returncode != 0 or not archives:
        sys.exit(NOT_FETCHED.format(package=package, folder=folder, words=done.stderr.strip()))
    unpacked = state / "unpacked"
    shutil.rmtree(unpacked, ignore_errors=True)
    unpacked.mkdir()
    subprocess.run(["tar", "-xf", archives[-1], "-C", unpacked, "--strip-components=1",
                    "--no-same-owner"], check=True)
    unpacked.rename(folder)
    return folder


# ---- what is expected ----------------------------------------------------------------------------
@dataclasses.dataclass
class Row:
    """A line of expected.csv: cases that are out of scope, or known to fail, and why."""
    suite: str
    folder: str
    program: str  # NAME, or a pattern with *
    ranks: str
    engine: str
    verdict: str
    reason: str

    def meets(self, case, engine):
        return all(fnmatch.fnmatch(told, pattern) for told, pattern in (
            (case.suite, self.suite), (case.folder, self.folder), (case.program, self.program),
            (str(case.ranks), self.ranks), (engine, self.engine)))


def expected():
    with open(HERE / "expected.csv", newline="", encoding="utf-8") as file:
        return [Row(**row) for row in csv.DictReader(file)]


def row_of(rows, case, engine):
    return next((row for row in rows if row.meets(case, engine)), None)


# ---- one case ------------------------------------------------------------------------------------
class Lab:
    def __init__(self, build, board, engines):
        self.engines = engines
        self.mesh = build / "host/mesh"
        self.folder = build / "foreign"
        self.board = board
        # What a program is made of; it is made anew if it is older.
        parts = (self.mesh, *(build / board).glob("*.a"), *(build / board).glob("*.o"))
        self.made_s = max(part.stat().st_mtime for part in parts)

    def call(self, words, limit_s):
        """Exit status, standard output and error of mesh; status None: it did not end."""
        try:
            done = subprocess.run([self.mesh, *words], capture_output=True, text=True,
                                  errors="replace", timeout=limit_s, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return None, "", f"not ended after {limit_s} s"
        return done.returncode, done.stdout, done.stderr

    def program(self, case):
        """Of one engine alone, or of both."""
        return self.folder / "programs" / "-".join(self.engines) / case.built

    def build(self, case):
        """None, or why there is no program."""
        program = self.program(case)
        program.parent.mkdir(parents=True, exist_ok=True)
        if program.exists() and program.stat().st_mtime > self.made_s:
            return None
        one = ("--engine", *self.engines) if len(self.engines) == 1 else ()
        status, _, said = self.call(["build", *one, "--board", self.board, *case.options,
                                     *case.sources, "-o", program], BUILD_LIMIT_S)
        (program.parent / f"{case.program}.log").write_text(said)
        errors = [line for line in said.splitlines() if "error" in line or line.startswith("mesh:")]
        return None if status == 0 else f"not built: {errors[0] if errors else said.strip()}"

    def run(self, case, engine):
        """None if the case is right, else why not."""
        ranks = case.ranks
        words = ["run", "--engine", engine, "--dim", str(max(1, (ranks - 1).bit_length())),
                 "--limit", str(case.limit_s), "--timeout", str(case.limit_s // 3), "--quiet"]
        words += ["--board", self.board] if engine == "qemu" else ["--heap", SIMULATED_HEAP]
        if ranks & (ranks - 1) or ranks == 1:
            words += ["--ranks", str(ranks)]
        words += ["--app", str(self.program(case)), "--", *case.words]
        status, printed, said = self.call(words, case.limit_s + 60)
        log = self.folder / "logs" / engine / (re.sub(r"[^\w.-]+", "_", case.name)[:150] + ".txt")
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(f"mesh {' '.join(map(str, words))}\n{printed}{said}\nstatus {status}\n")
        lines = re.findall(r"^\[(\d+)\] ?(.*)$", printed, re.M)
        why = judged(case, status, lines)
        if why is None or status == 0:
            return why
        told = [line.partition("; repeat:")[0] for line in said.splitlines() if line.strip()]
        return f"{why}: {told[-1]}" if told else why


def is_surprise(verdict, row, _):
    return verdict != OUT and (verdict == WRONG) != (row is not None)


# ---- all of them ---------------------------------------------------------------------------------
def chosen(build, only):
    cases = []
    for suite in SUITES:
        told = suite(fetched(suite.package, build))
        told.prepare()
        cases += told.cases()
    return [case for case in cases if only in case.name]


def verdicts(lab, cases, rows, jobs):
    """(case, engine) -> verdict, row of expected.csv, reason"""
    found = {}
    by_program = collections.defaultdict(list)
    for case in cases:
        for engine in lab.engines:
            row = row_of(rows, case, engine)
            if row and row.verdict == OUT:
                found[case, engine] = OUT, row, row.reason
            else:
                by_program[case.built].append((case, engine))

    def tried(program):
        wanted = by_program[program]
        refused = lab.build(wanted[0][0])
        for case, engine in wanted:
            why = refused or lab.run(case, engine)
            row = row_of(rows, case, engine)
            if why and case.may_fail and row is None:
                yield (case, engine), (OUT, None, f"the suite expects it to fail: {why}")
            else:
                yield (case, engine), (WRONG if why else RIGHT, row, why or "")

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        begun = [pool.submit(lambda name: list(tried(name)), program) for program in by_program]
        for done in concurrent.futures.as_completed(begun):
            for key, told in done.result():
                found[key] = told
                if is_surprise(*told):
                    print(f"{key[1]:4} {key[0].name}: {told[2] or 'right, but expected to fail'}",
                          flush=True)
    return found


def table(found, engines):
    """Prints a row for each folder, and returns the share of what is in scope that is right."""
    counts = collections.Counter((f"{case.suite}/{case.folder}", engine, verdict)
                                 for (case, engine), (verdict, *_) in found.items())
    places = sorted({place for place, *_ in counts})
    print(f"\n{'':22}" + "".join(f"{engine:>24}" for engine in engines))
    print(f"{'cases':22}" + f"{'right':>12}{'wrong':>6}{'out':>6}" * len(engines))
    for place in places:
        print(f"{place:22}" + "".join(
            f"{counts[place, engine, RIGHT]:12}{counts[place, engine, WRONG]:6}"
            f"{counts[place, engine, OUT]:6}" for engine in engines))
    shares = {}
    for engine in engines:
        right, wrong = (sum(counts[place, engine, verdict] for place in places)
                        for verdict in (RIGHT, WRONG))
        shares[engine] = 100 * right / max(1, right + wrong)
        print(f"{engine}: {right} of {right + wrong} in scope, {shares[engine]:.1f} %, "
              f"wanted {BARS[engine]} %")
    return shares


def keep(found, file):
    with open(file, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(("suite", "folder", "program", "words", "ranks", "engine", "verdict",
                         "expected", "reason"))
        for (case, engine), (verdict, row, why) in found.items():
            writer.writerow((case.suite, case.folder, case.program, " ".join(case.words),
                             case.ranks, engine, verdict, row.verdict if row else RIGHT, why))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="", help="cases whose name has these words")
    parser.add_argument("--sample", type=int, default=1, help="each so-manyth of these alone")
    parser.add_argument("--engine", choices=("sim", "qemu"))
    parser.add_argument("--board", default="mps2-an505")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    told = parser.parse_args()
    engines = (told.engine,) if told.engine else ("sim", "qemu")
    build = told.build.resolve()
    rows = expected()
    lab = Lab(build, told.board, engines)
    found = verdicts(lab, chosen(build, told.only)[::told.sample], rows, told.jobs)
    keep(found, build / "foreign/results.csv")
    shares = table(found, engines)
    surprises = [key for key, told in found.items() if is_surprise(*told)]
    print(f"{len(surprises)} cases end otherwise than tests/foreign/expected.csv says")
    low = not told.only and any(shares[engine] < BARS[engine] for engine in engines)
    sys.exit(1 if surprises or low else 0)


if __name__ == "__main__":
    main()
