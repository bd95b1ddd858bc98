"""The cases of public MPI suites, read from the suites' own files, and what judges a run of one.

A suite is a class with `package` (a source package of Debian), made for the folder of the unpacked
package, with `prepare()` and `cases()`. Nothing of a package is changed but that a header is added
which its configure would have written.
"""
import dataclasses
import pathlib
import re
import shlex


@dataclasses.dataclass(frozen=True)
class Case:
    """One line of a suite's list of tests."""
    suite: str
    folder: str
    program: str
    ranks: int
    words: tuple = ()  # of the program
    sources: tuple = ()  # files
    options: tuple = ()  # of `mesh build`
    limit_s: int = 600
    meant: str = "no errors"  # no errors; ended; silent; done
    lines: tuple = ()  # what is printed, in any order, where the suite says it
    may_fail: bool = False  # the suite expects it to

    @property
    def built(self):
        return f"{self.suite}/{self.folder}/{self.program}"

    @property
    def name(self):
        return " ".join((f"{self.built}-{self.ranks}", *self.words))


# What a mesh tells of a program besides, on the console of a rank: it is no word of the program.
OF_MPI = re.compile(r"^MPI[:_]")


def judged(case, status, lines):
    """None if a run with this exit status and these lines, (rank, text), is right, else why not."""
    said = [text for _, text in lines if text.strip() and not OF_MPI.match(text)]
    if case.meant == "ended":
        return None if status != 0 else "was to be ended, and was not"
    if case.meant == "silent":
        others = [text for text in said if not text.startswith("the program")]
        return "was to fail, and did not" if status == 0 else others[0] if others else None
    if status != 0:
        return f"status {status}"
    if case.meant == "no errors":
        other = [text for text in said if not re.fullmatch(r"\s*No [Ee]rrors\s*", text)]
        return other[0].strip() if other else None if said else "does not say No Errors"
    if case.lines and sorted(said) != sorted(case.lines):
        differ = sorted(set(said) ^ set(case.lines)) or ["the number of lines"]
        return f"prints otherwise: {differ[0]}"
    return None if said else "prints nothing"


# What MPICH's configure finds on a node. There are no threads, and what is asked for is what the
# standard says, not what MPICH has besides.
CONFIGURED = "".join(f"#define {name} 1\n" for name in (
    "USE_STRICT_MPI STDC_HEADERS HAVE_INTTYPES_H HAVE_STDINT_H HAVE_STDLIB_H "
    "HAVE_STRING_H HAVE_UNISTD_H HAVE_STDARG_H HAVE_LIMITS_H HAVE_SYS_TYPES_H "
    "HAVE_SYS_TIME_H HAVE_STRDUP HAVE_MEMSET HAVE_LONG_LONG HAVE_LONG_DOUBLE "
    "HAVE_MPI_WIN_CREATE HAVE_FLOAT__COMPLEX HAVE_DOUBLE__COMPLEX "
    "HAVE_LONG_DOUBLE__COMPLEX HAVE__BOOL").split())
CONFIGURED += "#define THREAD_PACKAGE_NAME THREAD_PACKAGE_NONE\n"


class Mpich:
    """test/mpi of MPICH: a folder a chapter of the standard, with a testlist each."""
    name, package = "mpich", "mpich"
    FOLDERS = ("attr", "coll", "comm", "datatype", "errhan", "group", "info", "init", "pt2pt",
               "rma", "topo")
    MEANT = {"TestErrFatal": "ended", "TestStatus": "silent"}

    def __init__(self, folder):
        self.root = folder / "test/mpi"

    def prepare(self):
        for name in ("include/mpitestconf.h", "dtpools/dtpoolsconf.h"):
            (self.root / name).write_text(CONFIGURED)

    def cases(self):
        """Lines that differ in settings of MPICH's own only are one case."""
        return list(dict.fromkeys(case for folder in self.FOLDERS for case in self.listed(folder)))

    def listed(self, folder):
        make = (self.root / folder / "Makefile.am").read_text()
        for file in ("testlist", "testlist.in", "testlist.dtp"):
            path = self.root / folder / file
            for line in path.read_text().splitlines() if path.exists() else ():
                program, _, rest = re.sub(r"#.*|@\w+@", "", line).partition(" ")
                if program and "/" not in program:
                    yield self.case(folder, make, program, rest.split())

    def case(self, folder, make, program, words):
        told = dict(word.split("=", 1) for word in words[1:] if "=" in word)
        return Case(
            self.name, folder, program, int(words[0]),
            tuple(word[4:] for word in words if word.startswith("arg=")),
            *self.recipe(folder, make, program),
            limit_s=max(600, int(told.get("timeLimit", 0))),
            meant=self.MEANT.get(told.get("resultTest"), "no errors"), may_fail="xfail" in told)

    def recipe(self, folder, make, program):
        """Sources and options of a program, from the lines of Makefile.am that have its name."""
        def told(what):
            found = re.search(rf"^{re.escape(program)}_{what} *= *(.*)$", make, re.M)
            return found.group(1).split() if found else []
        own = [name for name in told("SOURCES") if name.endswith(".c")] or [f"{program}.c"]
        sources = [self.root / folder / name for name in own]
        common = [self.root / "util" / f"{name}.c" for name in ("mtest", "mtest_common",
                                                               "mtest_single")]
        if "$(LDADDDATA)" in told("LDADD"):
            common.append(self.root / "util/dtypes.c")
        if any("dtp" in file.read_text(errors="replace") for file in sources if file.exists()):
            common += sorted((self.root / "dtpools/src").glob("*.c"))
        options = [word for word in told("CPPFLAGS") if word.startswith("-D")]
        options += [f"-I{self.root / path}" for path in ("include", "dtpools/include", folder)]
        return tuple(map(str, (*sources, *common))), tuple(options)


class SimGrid:
    """Tests of SimGrid's MPI with what they are to print; those of MPI, and of its malloc()."""
    name, package = "simgrid", "simgrid"
    OTHERS = re.compile(r"SMPI_|smpi_[a-z]+ *\(|simgrid/|smpi/|XBT_|xbt_(new|assert)|MPI_File")
    ALLOCATES = ("-Dxbt_malloc=malloc", "-Dxbt_free=free", "-Dxbt_malloc0(n)=calloc(1,n)")

    def __init__(self, folder):
        self.root = folder / "teshsuite/smpi"

    def prepare(self):
        pass

    def cases(self):
        for file in sorted(self.root.glob("*/*.tesh")):
            source = file.with_suffix(".c")
            if not source.exists() or self.OTHERS.search(source.read_text()):
                continue
            lines = file.read_text().splitlines()
            runs = [i for i, line in enumerate(lines) if line.startswith("$ ") and "-np" in line]
            case = self.case(source, lines, runs[0]) if runs else None
            if case and case.lines:
                yield case

    def case(self, source, lines, at):
        words = shlex.split(lines[at].replace("${", "").replace("}", ""))
        ranks = int(words[words.index("-np") + 1])
        after = words[next(i for i, word in enumerate(words) if word.endswith(source.stem)) + 1:]
        end = next((i for i in range(at + 1, len(lines)) if lines[i][:2] in ("$ ", "p ")),
                   len(lines))
        # Lines in brackets with a time are the simulator's own.
        printed = tuple(line[2:].rstrip() for line in lines[at + 1:end]
                        if line.startswith("> ") and not re.match(r"> \[ *\d+\.\d+\]", line))
        return Case(self.name, "smpi", source.stem, ranks,
                    tuple(word for word in after if not word.startswith("--")), (str(source),),
                    self.ALLOCATES, meant="done", lines=printed)


class Examples:
    """Small programs that come with an MPI: each is to end well, and to print something."""

    def prepare(self):
        pass

    def cases(self):
        return [Case(self.name, "examples", pathlib.Path(file).stem, ranks, (),
                     (str(self.root / file),), meant="done") for file, ranks in self.FILES.items()]


class OpenMpi(Examples):
    name, package = "openmpi", "openmpi"
    FILES = {"hello_c.c": 5, "ring_c.c": 4, "connectivity_c.c": 8}

    def __init__(self, folder):
        self.root = folder / "examples"


class Lam(Examples):
    name, package = "lam", "lam"
    FILES = {"hello/hello.c": 4, "alltoall/alltoall.c": 4, "pi/cpi.c": 4, "ring/ring.c": 3,
             "trivial/trivialc.c": 2}

    def __init__(self, folder):
        self.root = folder / "examples"


SUITES = (Mpich, SimGrid, OpenMpi, Lam)
