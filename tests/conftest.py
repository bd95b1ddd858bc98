"""Every test of the project is a case of one run of pytest; its last line is `N passed, N failed`.

Silence is a failure: a run that ends without a case that passed, or with a bad status without a
case that failed, counts as one failed case more.
"""
import collections
import datetime
import os
import random

import pytest

import boards
import costly

# Files whose cases compute for long without a pause. A worker takes neighbours of the list, so they
# are spread over its first part, between whole runs of meshes, which wait for each other.
LONG = ("test_house.py", "test_googletest.py")
LONG_PART = 0.7
# Of a family of cases that costs much, one of so many is drawn: others every day.
DRAWN = 8

STATUS = pytest.StashKey()
PLACE = pytest.StashKey()
# Sets of faults and drawn cases are others every day. The workers of this run inherit its seed.
SEED = os.environ.setdefault("MESH_SEED", f"{datetime.datetime.now(datetime.timezone.utc):%Y%m%d}")


def pytest_addoption(parser):
    parser.addoption("--drawn", action="store_true",
                     help="of the families of tests/costly.csv the cases that are drawn for today")
    parser.addoption("--exhaustive", action="store_true",
                     help="every packet count, n = 1..6 on qemu and 1..10 on sim")
    parser.addoption("--nodes", default="2-32",
                     help="of the networks that test_serial.py goes through if exhaustive")
    parser.addoption("--sample", type=int, default=1, metavar="K",
                     help="of each file every K-th case, and all that hang on the toolchain")


def pytest_configure(config):
    config.addinivalue_line("markers", "toolchain: the verdict hangs on the versions of compilers, "
                                       "libraries or the emulator; in every sample")
    config.addinivalue_line("markers", "every_board: wants boards that no sample makes; in none")
    config.addinivalue_line("markers", "found_by: more words by which -k finds the case")


def pytest_itemcollected(item):
    for mark in item.iter_markers("found_by"):
        item.extra_keyword_matches.update(mark.args)


def sampled(items, step):
    """Every `step`-th case of each file, the first included, and those of the toolchain. Boards of
    which only `hello` is made are not made for a sample, so no case that wants every board."""
    seen = collections.Counter()
    for item in items:
        if step > 1 and item.get_closest_marker("every_board"):
            continue
        if item.get_closest_marker("toolchain") or seen[item.path] % step == 0:
            yield item
        seen[item.path] += 1


def with_images(items, asked):
    """Without the cases of boards whose only image is `hello`, if any, but for those of which the
    name is in `asked`: `make conform BOARD=` asks for all of one."""
    few = boards.with_few_images() | boards.with_no_images()
    for item in items:
        if not any(board in item.name and board not in asked for board in few):
            yield item


def drawn(items):
    """All cases of cheap families, and today's cases of each family that costs much."""
    names = costly.load()
    families = collections.defaultdict(list)
    for item in items:
        family = costly.family_of(item.nodeid.split("::")[0], item.name)
        if family in names:
            families[family].append(item)
    if unknown := names - families.keys():
        raise pytest.UsageError("tests/costly.csv has families without a case (make it anew, as "
                                f"tests/tools/costly.py says): {', '.join(sorted(unknown))}")
    left_out = set()
    for family, members in families.items():
        today = random.Random(f"{SEED} {family}").sample(members, -(-len(members) // DRAWN))
        left_out.update(set(members) - set(today))
    return [item for item in items if item not in left_out]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    items[:] = with_images(items, config.option.keyword)
    if config.option.drawn:
        items[:] = drawn(items)
    items[:] = sampled(list(items), config.option.sample)
    for group, part in ((LONG[:1], LONG_PART), (LONG[1:], LONG_PART), (None, 1)):
        members = [item for item in items if (item.path.name in group if group is not None
                                              else item.path.name not in LONG)]
        for place, item in enumerate(members):
            item.stash[PLACE] = part * place / len(members)
    items.sort(key=lambda item: item.stash[PLACE])


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
    print(f"Today's sets of faults and drawn cases come again with MESH_SEED={SEED}.")
    for report in reporter.stats.get("passed", []):
        for name, words in report.user_properties:
            if name == "told":
                print(words)
    print(f"{passed} passed, {failed} failed")
