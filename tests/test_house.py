"""The house's rules as cases: layout, lengths, words, clang-tidy for each folder, sizes."""
import os
import pathlib
import subprocess
import sys

import pytest

import boards
import clocks
import contracts
import english
import reference
import size
import tidy

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = os.environ.get("BUILD", "build")
BOARD = boards.default(BUILD)


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.toolchain
@pytest.mark.parametrize("rule", tidy.RULES, ids=lambda rule: rule.__name__)
def test_sources_keep_the_rules_of(rule):
    assert not list(rule(BUILD))


BY_TIME = {
    "seconds compared": "def test_x():\n    assert outcome.seconds < 60\n",
    "a clock compared": "def test_x():\n    assert time.monotonic() - begin < 20\n",
    "a stopwatch": "def test_x():\n    if time.perf_counter() > until:\n        pass\n",
    "time that passed": "def test_x():\n    assert elapsed_s <= SOON_S\n",
    "a sleep": "def test_x():\n    time.sleep(2)\n",
    "a sleep in a series": "def test_x():\n    for _ in range(5):\n        time.sleep(2)\n",
    "a short time-out": "def test_x():\n    mesh('run', timeout=10)\n",
    "one with a name": "SOON_S = 10\n\ndef test_x():\n    run.communicate(timeout=SOON_S)\n",
    "one of a sum": "def test_x():\n    run.wait(timeout=15 + 20)\n",
    "one of a socket": "def test_x():\n    stub.settimeout(10)\n",
    "a short wait": "def test_x():\n    wait_until(ready, 10, 'it is ready')\n",
    "short silence": "def test_x():\n    mesh('run', '--dim', 1, '--timeout', 2)\n",
    "the lesser of two": "def test_x():\n    mesh('run', '--timeout', 2 if quick else 90)\n",
    "a short limit": "WORDS = ['--engine', 'qemu', '--limit', 8]\n",
    "either engine": "def test_x(engine):\n    for engine in ('sim', 'qemu'):\n"
                     "        run(engine, '--timeout', 2)\n",
    "free in the gate": "@pytest.mark.free(gate=True)\ndef test_x():\n    run('--timeout', 20)\n",
    "free, and a sleep": "@pytest.mark.free\ndef test_x():\n    time.sleep(2)\n",
}
NOT_BY_TIME = {
    "a poll": "def until(limit):\n    while time.monotonic() < limit:\n        time.sleep(0.02)\n",
    "a simulation": "def test_x():\n    mesh('run', '--engine', 'sim', '--limit', 2)\n",
    "one with a name": "SIM = ['run', '--engine', 'sim']\nJOB = [*SIM, '--dim', 3]\n\n"
                       "def test_x():\n    mesh(*JOB, '--timeout', 0.3)\n",
    "a case that is free": "@pytest.mark.free\ndef test_x():\n    run('--timeout', 10)\n",
    "a file that is free": "pytestmark = pytest.mark.free\n\ndef test_x():\n"
                           "    run('--timeout', 10)\n",
    "enough": "def test_x():\n    mesh('run', '--timeout', 60, timeout=300)\n",
    "model time": "def test_x():\n    assert report['model_time'] <= 55\n",
}


@pytest.mark.parametrize("what", BY_TIME)
def test_a_case_that_judges_by_time_is_found(what):
    assert len(clocks.places_in_python(BY_TIME[what])) == 1


@pytest.mark.parametrize("what", NOT_BY_TIME)
def test_a_case_that_does_not_judge_by_time_is_left_alone(what):
    assert not clocks.places_in_python(NOT_BY_TIME[what])


@pytest.mark.parametrize("line, found", [
    ("const auto until = std::chrono::steady_clock::now() + kSoon;", 1),
    ("std::this_thread::sleep_for(pause);", 1), ("constexpr auto kSoon = 10s;", 1),
    ("Ranks ranks(3, 400ms);", 1), ("Ranks ranks(3, 8min);", 0), ("wait_for(uplink, 0ms);", 0),
    ("board.set_time(1'000'000); // 1s", 0)])
def test_times_of_claims_are_found(line, found):
    assert len(list(clocks.places_in_cpp(line))) == found


DOCUMENTED = """#pragma once
namespace mesh {
/// A type.
class Told {
public:
    Told() = default;
    bool empty() const; ///< Nothing is in it.
    bool await_ready() const;
private:
    void secret();
};
namespace detail {
struct Inner {};
} // namespace detail
} // namespace mesh
"""


@pytest.mark.parametrize("line, names", [
    ("", []), ("struct Untold;", []), ("struct Untold {};", ["Untold"]),
    ("/// A list.\ntemplate <class T> class List { public: int size() const; };", ["size"]),
    ("void begin(); /// Ends.\nvoid end();", ["begin"]), ("using Number = int;", ["Number"]),
    ("/// Kinds.\nenum class Status;\n/// Ends it.\nStatus end();", ["end"]),
    ("/// Kinds.\nenum class Status;\n/// ok: it has ended.\nStatus end();", []),
    ("/// Two.\nenum class Two { one, other };\nbool operator!(Two);", ["operator!"])])
def test_a_public_name_without_a_docstring_is_found(line, names, tmp_path):
    header = tmp_path / "header.hpp"
    header.write_text(DOCUMENTED.replace("namespace detail", f"{line}\nnamespace detail", 1))
    found = contracts.names_without([header], (str(tmp_path),))
    assert [name for _, _, name, _ in found] == names


@pytest.mark.parametrize("words, refused", [
    ("6.3 [ARG] Waits for all.", False), ("", True), ("Waits for all.", True), ("6.3", True),
    ("6.3 [NONE] Waits for all.", True)])
def test_a_call_of_mpi_without_a_docstring_is_refused(words, refused, tmp_path):
    table = tmp_path / "calls.txt"
    table.write_text(f"[room]\nBarrier: comm\n  {words}\n")
    done = subprocess.run([sys.executable, ROOT / contracts.CALLS, table, tmp_path], check=False,
                          capture_output=True, text=True)
    assert (done.returncode != 0) == refused and ("ValueError: Barrier" in done.stderr) == refused


def test_a_dead_link_is_found(tmp_path):
    (tmp_path / "other.md").write_text("# The other page\n## `make run`, and more\n")
    page = tmp_path / "page.md"
    page.write_text("# Page\n[a](other.md) [b](#page) [c](other.md#make-run-and-more) `[d](e)`\n"
                    "[f](https://there)\n```\n[g](h)\n```\n[i](none.md) [j](#none) "
                    "[k](other.md#none)\n")
    assert [link.split(": ")[1] for link in contracts.dead_links([page])] == [
        "there is no none.md", f"{page} has no heading none", "other.md has no heading none"]


def test_the_reference_has_the_head_of_a_file_and_comments_behind_members():
    text = """// A file.
#pragma once
struct Pair { // of two
    int one;  // the first,
              // which counts
    int two() { // a body
        return 2; // no member
    }
    enum class Kind { // of it
        first, // one kind
    };
}; // end
int outside; // no member"""
    assert list(reference.reference(text.splitlines(), "pair.hpp")) == [
        "/// \\file pair.hpp", *text.replace("// A file", "/// A file")
        .replace("// the first", "///< the first").replace("// which", "///< which")
        .replace("// one kind", "///< one kind").splitlines()]


@pytest.mark.parametrize("link, becomes", [
    ("[a](other.md#place)", "[a](other.md)"), ("[a](#place)", "[a](#place)"),
    ("[a](folder/)", "[a](folder/README.md)"), ("[a](code.hpp)", "a"),
    ("[a](https://there)", "[a](https://there)"), ("![a](picture.svg)", "![a](picture.svg)")])
def test_a_link_of_a_page_leads_somewhere_in_the_reference(link, becomes, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/README.md").touch()
    assert reference.page(f"See {link}.", tmp_path / "page.md") == f"See {becomes}."


def test_a_comment_that_begins_without_its_subject_is_found():
    text = ("// What it has.\nint a;\n/// The size.\n// Who knows?\n"
            "int b; // what it is\n# Whether it ends\n")
    assert [number for number, _ in english.headless_in(text)] == [1, 6]


@pytest.mark.parametrize("page, lines", [
    ("# Page\n\n" + "word " * 30 + "end.\n", [3]), ("word " * 29 + "end.\n", []),
    ("- " + "word " * 20 + "\n- " + "word " * 20, []),
    ("word `a b c` " * 15 + "end.", [1]), ("word `" + "code " * 40 + "`.", []),
    ("word " + "`a b` " * 40 + "end.", []),
    ("```\n" + "code " * 40 + "\n```\n", []), ("| a | " + "word " * 31 + "|", [1]),
    ("word " * 20 + "(`code` is here). `Code` " + "word " * 20, [])])
def test_a_long_sentence_of_a_page_is_found(page, lines):
    assert [number for number, _, _ in english.long_sentences_in(page)] == lines


def texts_to_tidy():
    os.chdir(ROOT)
    return list(tidy.texts())


@pytest.mark.parametrize("text", texts_to_tidy())
def test_clang_tidy_finds_nothing_in(text):
    assert not tidy.clang_tidy_of(text, BUILD)


IMAGES = pathlib.Path(BUILD) / BOARD


@pytest.fixture
def table():
    return size.measure_images(IMAGES / "hello.map", IMAGES / "job.map")


@pytest.mark.toolchain
def test_sizes_keep_their_budgets(table):
    results = list(size.limits(table, IMAGES / "job.map", pathlib.Path(BUILD), BOARD))
    assert len(results) == 9 and not [text for good, text in results if not good]


@pytest.mark.toolchain
def test_sizes_are_those_that_were_saved(table):
    if not size.saved_file("size.csv").exists():
        pytest.skip(f"no table of {size.compiler()} is saved; the budgets hold all the same")
    drifted = list(size.drift(table, size.read_csv(size.saved_file("size.csv"))))
    if drifted:
        pytest.fail("\n".join([*drifted, "If that is meant: make size SAVE=1"]))


@pytest.mark.parametrize("name, there", [
    ("firmware/libc/digits.o", True), ("firmware/nosuchroom/digits.o", False),
    ("firmware/libc/nosuchfile.su", False), ("traced/scheduler.o", True)])
def test_bytes_are_not_counted_for_a_source_that_is_gone(name, there):
    assert size.has_source(name) == there
