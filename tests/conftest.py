"""Every test of the project is a case of one run of pytest; its last line is `N passed, N failed`.

Silence is a failure: a run that ends without a case that passed, or with a bad status without a
case that failed, counts as one failed case more.

`--gate` leaves out what tests/README.md calls costly or free. Nothing here knows the day, the place
or the machine: the same commit has the same cases, with the same seeds, everywhere.
"""
import math
import os
import re

import pytest

import boards
import costly
import emulators
import seeds
import surroundings

surroundings.settle(os.environ.get("BUILD", "build"))

# Files whose cases compute for long without a pause. A worker takes neighbours of the list, so they
# are spread over its first part, between whole runs of meshes, which wait for each other.
LONG = ("test_house.py", "test_storms.py", "test_googletest.py")
LONG_PART = 0.7
# What the gate spends on a family of tests/costly.csv, in seconds of a processor.
FAMILY_S = 3

STATUS = pytest.StashKey()
BEGUN = pytest.StashKey()
PLACE = pytest.StashKey()


def pytest_addoption(parser):
    parser.addoption("--gate", action="store_true",
                     help="without cases that are costly or boot emulators that run free")
    parser.addoption("--free", action="store_true",
                     help="emulators run free where a case does not say how")
    parser.addoption("--exhaustive", action="store_true",
                     help="every packet count, n = 1..6 on qemu and 1..10 on sim")
    parser.addoption("--nodes", default="2-32",
                     help="of the networks that test_serial.py goes through if exhaustive")


def pytest_configure(config):
    for marker in (
            "toolchain: the verdict hangs on the versions of compilers, libraries, the emulator or "
            "another program of the system; it runs on both Debians",
            "costly: left out of the gate for its price; also by tests/costly.csv",
            "free(gate=False): boots emulators that run free; left out of the gate, unless it is "
            "one of the few that are there to show that such a mesh boots",
            "found_by: more words by which -k finds the case"):
        config.addinivalue_line("markers", marker)


def pytest_itemcollected(item):
    for mark in item.iter_markers("found_by"):
        item.extra_keyword_matches.update(mark.args)


def pytest_generate_tests(metafunc):
    if "drawn_by" in metafunc.fixturenames:
        metafunc.parametrize("drawn_by", seeds.of_this_run())


def with_images(items, asked):
    """Without the cases of boards whose only image is `hello`, if any, but for those of which the
    name is in `asked`: `make conform BOARD=` asks for all of one."""
    few = boards.with_few_images() | boards.with_no_images()
    for item in items:
        if not any(board in item.name and board not in asked for board in few):
            yield item


def mark_costly(items):
    """Marks the cases of costly families, all but a few that lie evenly in the family; the names of
    families without a case. Those few cost FAMILY_S together by the table, so a family of which one
    case costs more has none."""
    prices = costly.load()
    families = {}
    for item in items:
        family = costly.family_of(item.nodeid.split("::")[0], item.name)
        if family in prices:
            families.setdefault(family, []).append(item)
    for family, members in families.items():
        kept = min(len(members), math.floor(FAMILY_S / prices[family]))
        places = {place * len(members) // kept for place in range(kept)}
        for place, item in enumerate(members):
            if place not in places:
                item.add_marker("costly")
    return sorted(prices.keys() - families.keys())


def in_gate(item):
    free = item.get_closest_marker("free")
    return not item.get_closest_marker("costly") and (not free or free.kwargs.get("gate", False))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    items[:] = with_images(items, config.option.keyword)
    unknown = mark_costly(items)
    if config.option.gate and config.args == ["tests"] and unknown:
        raise pytest.UsageError("tests/costly.csv has families without a case (make it anew, as "
                                f"tests/tools/costly.py says): {', '.join(unknown)}")
    if config.option.gate:
        items[:] = [item for item in items if in_gate(item)]
    for file, part in (*((name, LONG_PART) for name in LONG), (None, 1)):
        members = [item for item in items
                   if file == (item.path.name if item.path.name in LONG else None)]
        for place, item in enumerate(members):
            item.stash[PLACE] = part * place / len(members)
    items.sort(key=lambda item: item.stash[PLACE])


def processor_s():
    """Of this process and all that it has waited for: on a busy machine the same as on a quiet one.
    """
    return sum(os.times()[:4])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Before fixtures run commands for the case."""
    item.stash[BEGUN] = processor_s()
    marked = item.get_closest_marker("free") is not None or item.config.option.free
    emulators.MARKED.set(marked)
    emulators.FREE.set(marked)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """With a failure comes the command that repeats it, with each case its price."""
    if call.when == "call":
        price = processor_s() - item.stash[BEGUN]
        item.user_properties.append((costly.PRICE, round(price, 2)))
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        words = " and ".join(re.findall(r"[\w.+-]+", item.name))
        how = [f"{seeds.VARIABLE}={seeds.of_commit()}"] if seeds.of_commit() else []
        how += ["FREE=1"] if item.config.option.free else []
        report.sections.append(("repeat", " ".join(["make test", *how, f"TEST='{words}'"])))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    session.config.stash[STATUS] = int(exitstatus)


def pytest_unconfigure(config):
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or STATUS not in config.stash or config.option.collectonly:
        return
    count = {name: len(reporter.stats.get(name, [])) for name in ("passed", "failed", "error")}
    passed, failed = count["passed"], count["failed"] + count["error"]
    if failed == 0 and (passed == 0 or config.stash[STATUS] != 0):
        failed = 1
    print(f"Drawn by the seeds {', '.join(seeds.of_this_run())}.")
    for report in reporter.stats.get("passed", []):
        for name, words in report.user_properties:
            if name == "told":
                print(words)
    print(f"{passed} passed, {failed} failed")
