"""A rule of the house: no case of `make test` judges by the time that something takes.

On a busy machine anything may take any time. So a case asserts who ended a run, words, counts,
order and model time; it polls for what is to come (mesh_tool.wait_until) and waits a minute or
more for it; times that matter are measured in tests/bench. Refused are in the Python of the tests

- a comparison with a clock, or with seconds that have passed; but a loop may have a limit
- time.sleep() outside a loop that polls: it would have to be long enough
- a limit of less than a minute: timeout=, settimeout(), wait_until(), and the words --timeout and
  --limit of a run. Simulated nodes owe nothing in real time: their runs may have any

and in *_test.cpp clocks, sleeps and times of less than a minute. Cases with the marker `free` are
not in `make test`, but for those that say gate=True; they may have any limit.
"""
import ast
import pathlib
import re

LEAST_S = 60
# Places where a form is right: a folder, a file, or FILE::NAME of a function or a value.
ALLOWED = {
    "tests/bench": "measures times",
    "tests/tools": "measures times",
    "tests/mesh/boards/test_board.py::test_an_idle_node_costs_no_processor_time": "processor time",
    "tests/mesh/boards/test_board.py::test_a_node_that_hangs_says_nothing_and_costs_nothing":
        "processor time",
    "tests/mesh/faults/test_hostile.py::SOON": "of cases with the marker `free`",
    "tests/mesh/faults/test_hostile.py::test_a_run_that_was_stopped_gives_up_no_live_node":
        "it is stopped for longer than its limit",
    "tests/mesh/series/test_matrix.py::runs_at_once":
        "too short a wait sees less, and fails nothing",
    "tests/mesh/programs/test_programs.py::"
    "test_a_source_file_is_built_once_and_again_when_it_has_changed":
        "a step of the clock of files",
    "tests/mesh/command_line/test_signals.py::NEVER_READY": "nodes that never say a word",
    "tests/mesh/diagnostics/test_told.py::test_a_loop_around_an_alt_or_probe_is_told_as_such":
        "told() simulates",
}
CLOCK = re.compile(r"\b(monotonic|perf_counter|process_time|time\.time|seconds|\w*elapsed\w*|"
                   r"(cpu|wall|boot)_s)\b")
SIMULATED, ON_BOARDS = re.compile(r"['\"]sim['\"]"), re.compile(r"qemu|--board")
CPP_CLOCK = re.compile(r"\b(steady_clock|system_clock|high_resolution_clock|clock_gettime|"
                       r"sleep_for|sleep_until|usleep|nanosleep)\b")
CPP_TIME = re.compile(r"(?<![\w.])(\d+)(ns|us|ms|s)\b(?!\")")
UNIT_S = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}


def value_of(node, names):
    """The number that an expression stands for, if it is plain enough; of two the smaller one."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.Name):
        return names.get(node.id)
    parts = [node.body, node.orelse] if isinstance(node, ast.IfExp) else \
        [node.left, node.right] if isinstance(node, ast.BinOp) else []
    values = [value for part in parts if (value := value_of(part, names)) is not None]
    if isinstance(node, ast.IfExp):
        return min(values, default=None)
    if len(values) == 2 and isinstance(node.op, (ast.Add, ast.Mult)):
        return sum(values) if isinstance(node.op, ast.Add) else values[0] * values[1]
    return None


class Reader(ast.NodeVisitor):
    """Collects the places of one file: (line, function, what)."""

    def __init__(self, text):
        self.lines = text.encode().splitlines(keepends=True)
        self.found, self.in_loop, self.function = [], False, ""
        tree = ast.parse(text)
        self.numbers, self.simulated = {}, set() # names of the file
        for part in tree.body:
            names = [target.id for target in getattr(part, "targets", [])
                     if isinstance(target, ast.Name)]
            self.numbers |= dict.fromkeys(names, value_of(getattr(part, "value", None), {}))
            if self.simulates(part):
                self.simulated.update(names)
        free = any("pytestmark" in self.source(part) and self.frees(part) for part in tree.body)
        for part in tree.body:
            names = [getattr(target, "id", "") for target in getattr(part, "targets", [])]
            self.function = getattr(part, "name", "".join(names))
            self.any_limit = free or self.simulates(part) or any(
                map(self.frees, getattr(part, "decorator_list", [])))
            self.visit(part)

    def segment(self, node):
        """As ast.get_source_segment(), which parts the text into lines anew for each node."""
        lines = self.lines[node.lineno - 1:node.end_lineno]
        lines[-1] = lines[-1][:node.end_col_offset]
        lines[0] = lines[0][node.col_offset:]
        return b"".join(lines).decode()

    def source(self, node):
        parts = [*getattr(node, "decorator_list", []), node]
        return "\n".join(self.segment(part) for part in parts if hasattr(part, "lineno"))

    def frees(self, node):
        return "mark.free" in self.source(node) and "gate=True" not in self.source(node)

    def simulates(self, node):
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        text = self.source(node)
        return bool(names & self.simulated or SIMULATED.search(text)) and \
            not ON_BOARDS.search(text)

    def note(self, node, what):
        self.found.append((node.lineno, self.function, what))

    def note_limit(self, node, limit, name):
        value = value_of(limit, self.numbers)
        if not self.any_limit and value is not None and 0 < value < LEAST_S:
            self.note(node, f"{name} of less than {LEAST_S} s")

    def note_words(self, words):
        """--timeout or --limit, and its number, in a command line."""
        for word, limit in zip(words, words[1:]):
            name = word.value if isinstance(word, ast.Constant) else None
            if name in ("--timeout", "--limit"):
                self.note_limit(limit, limit, name)

    def visit_While(self, node):
        before, self.in_loop = self.in_loop, True
        for part in node.body + node.orelse: # without its condition, which may have a limit
            self.visit(part)
        self.in_loop = before

    def visit_Compare(self, node):
        if any(CLOCK.search(self.source(part)) for part in [node.left, *node.comparators]):
            self.note(node, "compares times")
        self.generic_visit(node)

    def visit_List(self, node):
        self.note_words(node.elts)
        self.generic_visit(node)

    visit_Tuple = visit_List

    def visit_Call(self, node):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name == "sleep" and not self.in_loop:
            self.note(node, "sleeps")
        limits = [word.value for word in node.keywords if word.arg == "timeout"]
        limits += {"settimeout": node.args[:1], "wait_until": node.args[1:2]}.get(name, [])
        for limit in limits:
            self.note_limit(node, limit, "a limit")
        self.note_words(node.args)
        self.generic_visit(node)


def places_in_python(text):
    return sorted(Reader(text).found)


def places_in_cpp(text):
    for number, line in enumerate(text.splitlines(), 1):
        code = line.split("//")[0]
        if CPP_CLOCK.search(code):
            yield number, "", "looks at a clock, or sleeps"
        elif any(0 < int(count) * UNIT_S[unit] < LEAST_S for count, unit in CPP_TIME.findall(code)):
            yield number, "", f"a time of less than {LEAST_S} s"


def verdicts_by_time(files):
    """Verdicts by time, in those of the files that have cases."""
    for file in map(pathlib.Path, files):
        if file.parts[0] != "tests" or not file.name.endswith((".py", "_test.cpp")):
            continue
        read = places_in_python if file.suffix == ".py" else places_in_cpp
        around = {str(file), *map(str, file.parents)}
        for number, function, what in read(file.read_text()):
            if not ALLOWED.keys() & (around | {f"{file}::{function}"}):
                yield f"{file}:{number}: {what}"
