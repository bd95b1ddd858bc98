#!/usr/bin/python3
"""Flash and RAM of the firmware per object, read from the linker maps of two images.

What counts as system is kernel, links, routing and messages together: firmware/core, wire and
kernel with the cube as its network, and the board's instance of Node<Board>; of RAM also the
board's main.o, where that one node and its links lie. It is measured in the image that uses all of
it (--full-image), and so are the collectives, the other networks and the rules of the cube's trees.
Kernel and collectives are compiled as a whole with each image (WHOLE in the Makefile). A function
counts for the source that it is of, one that is no function any more for its caller's.
Board, libc, app and C library are those of a small program (--image). RAM leaves out .noinit
(packet pool, process arena) and the stack. Budgets come from boards/BOARD/board.mk; one that is
exceeded fails the build.
"""
import argparse
import csv
import functools
import pathlib
import re
import subprocess
import sys

import boards

FLASH = (".text", ".rodata", ".vectors", ".ARM.ex", ".init_array", ".data")
RAM = (".data", ".bss")
NETWORKS = "firmware/kernel/base/networks/"
# Objects that are compiled once more with each image.
WHOLE = re.compile(r"firmware/(?:wire|collectives(?!/combiners)|kernel(?!/base/networks))/|"
                   r"boards/[^/]+/node\.o$")
# Functions that join rules to the kernel: those in the rules' objects that have no name outside.
JOINING = re.compile(r"_GLOBAL__N_1|mesh_network")
# The face of core/network.hpp, which is the same for all networks.
FACE = re.compile(r"NetworkSet")
# Features, by the objects and the functions that would not be there without them.
FEATURES = (
    ("messages", r"kernel/(?:api/message|api/await|packets/messages|packets/intake)\.o", r"."),
    ("  of that: another path when one dies", r"kernel/packets/messages\.o",
     r"::(?:end_round|come_to|next_question|before)\("),
    ("the sender learns of a loss", r"kernel/(?:packets/forwarder|links/links?)\.o",
     r"::(?:give_up|note_loss|tell_sender|says_too_much|say_what_was_lost|cut_off|tell|"
     r"take_undeliverable|send_waiting_notices|send_notice)\("),
    ("sessions, restart, cables that are mended", r"kernel/links/links?\.o",
     r"::(?:meet|on_hello|begin_session|end_session|forget_session|answer_hello|on_old_session|"
     r"note_death|give_up_silent|say_hello|next_hello|measure_hello)\("),
    ("refusal, so that forwarding cannot deadlock", r"kernel/links/links?\.o",
     r"::(?:take_back|on_buffers_free|tell_of_buffers)\("),
    ("model time and lockstep",
     r"kernel/(?:links/links?|base/timebase|base/networks/cube_trees)\.o",
     r"::(?:start_on|appointed|appointment|hold|take_due|in_pause)\("),
    ("links while a process computes",
     r"kernel/node/node_core\.o|cortex-m/(?:node|systick)\.o",
     r"preemptive_poll|poll_preemptively|SysTick|PendSV"),
    ("the host: job, arguments, data, console", r"kernel/node/host_port\.o", r"."),
    ("faults: crash record", r"cortex-m/fault\.o", r"."),
    ("UHC", r"networks/uhc\.o", r"."),
    ("star graph", r"networks/star\.o", r"."),
    ("trees of the cube", r"networks/cube_trees\.o", r"."),
    ("barrier", r"collectives/barrier\.o", r"."),
    ("broadcast", r"collectives/(?:broadcast|tree_flow)\.o", r"."),
    ("broadcast of several copies", r"collectives/copies\.o", r"."),
    ("reduce, allreduce, scan", r"collectives/(?:reduction|combiners|scan)\.o", r"."),
    ("scatter, gather, exchange on the cube", r"collectives/(?:personalised|parcel)\.o", r"."),
    ("the same on the UHC and the star",
     r"collectives/(?:exchange_packets|collector|depth_first|paths)\.o", r"."),
    ("plans and tags that must agree", r"collectives/agreement\.o", r"."),
    ("printf", r"firmware/libc/", r"."))
CHECK_BYTES = 10  # a comparison, a branch, a number, a call
# Groups that differ from program to program.
OF_THE_PROGRAM = ("board", "libc", "app", "library")
FORBIDDEN = {"malloc", "free", "calloc", "realloc", "_Znwj", "_Znaj", "_ZdlPv", "_ZdlPvj",
             "__cxa_throw", "__cxa_allocate_exception", "__gxx_personality_v0", "__dynamic_cast"}
# The C library's own heap; a board may stand in for it with a fixed block for stdio.
HEAP_OBJECTS = re.compile(r"lib_a-(?:nano-)?(?:malloc|calloc|free|memalign)r?\.o|lib_a-sbrkr?\.o")
# Sizes by other compilers differ by more than a change of the source: each has tables of its own.
GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
# Objects and groups may differ from the saved table by so much unseen.
DRIFT_PART, DRIFT_BYTES = 0.05, 64
# Figures of others' stacks on a Cortex-M, for comparison; sources in README.md.
OTHERS = (("libcsp", 7600, 7700), ("libcanard", 8400, None))


@functools.cache
def compiler():
    """The cross compiler, as the folder of its saved tables is called."""
    version = subprocess.run(["arm-none-eabi-gcc", "-dumpversion"], capture_output=True, text=True,
                             check=True).stdout
    return f"gcc-{version.split('.')[0]}"


def saved_file(name):
    """Where the table of this name, as this compiler makes it, is saved; it may have none yet."""
    return GOLDEN / compiler() / name


def has_source(name):
    """False of an object of ours whose source is gone: it lies there until build/ is removed."""
    source = pathlib.Path(name)
    return source.parts[0] not in ("firmware", "boards") or any(
        source.with_suffix(ending).exists() for ending in (".cpp", ".c"))


def symbols(objects, *options):
    """(object, bytes, kind, symbol) of all that is defined in the objects of a board, by their
    paths there. Not by nm, which does not see the code of what is compiled with the whole."""
    files = [str(file) for file in sorted(objects.rglob("*.o"))
             if has_source(file.relative_to(objects))]
    listed = subprocess.run(["arm-none-eabi-readelf", "-sW", *options, *files],
                            capture_output=True, text=True, check=True).stdout
    for text in listed.split("\nFile: ")[1:]:
        name = str(pathlib.Path(text.split("\n", 1)[0]).relative_to(objects))
        for size, kind, symbol in re.findall(
                r"^ +\d+: [0-9a-f]+ +(\d+) (FUNC|OBJECT) +\S+ +\S+ +\d+ (.+)$", text, re.M):
            yield name, int(size), kind, symbol


@functools.cache
def objects_of_symbols(objects):
    """{symbol: object} of all symbols that the objects compiled with the whole define."""
    return {symbol: f"/obj/{name}" for name, _, _, symbol in symbols(objects)
            if WHOLE.match(name)}


@functools.cache
def sources_of_symbols(elf):
    """{symbol: source file} as the debugger knows it."""
    listed = subprocess.run(["arm-none-eabi-nm", "-l", "--defined-only", str(elf)],
                            capture_output=True, text=True, check=True).stdout
    here = f"{pathlib.Path.cwd()}/"
    return {match[1]: re.sub(r"\.cpp$", ".o", match[2].removeprefix(here).removeprefix("./"))
            for match in re.finditer(r"^\S+ \S (\S+)\t(.+):\d+$", listed, re.M)}


def origin(section, map_file):
    """Where something is from that was compiled with the whole: its object. What was inline there
    and is a function now: of core/ only collectives have that, the rest counts for the kernel."""
    symbol = re.sub(r"^\.(?:text|rodata|data|bss)(?:\.(?:unlikely|startup|hot))?\.?", "", section)
    source = sources_of_symbols(map_file.with_suffix(".elf")).get(symbol, "")
    objects = objects_of_symbols(map_file.parent / "obj")
    while symbol not in objects and "." in symbol:  # a variant: function.constprop.0
        symbol = symbol.rpartition(".")[0]
    if symbol in objects:
        return objects[symbol]
    source = re.sub(r"^firmware/core/", "firmware/collectives/", source)
    return f"/obj/{source if source.startswith('firmware/') else 'firmware/kernel/'}"


@functools.cache
def portable_objects(build):
    """{name: path} of what is in libraries of boards; boards with the same flags share objects."""
    names = (str(file).split("/obj/", 1)[1] for file in build.glob("*/obj/firmware/**/*.o"))
    return {pathlib.Path(name).name: f"/obj/{name}" for name in names if has_source(name)}


def input_sections(map_file):
    """(section, bytes, object) of everything that the linker kept."""
    text = map_file.read_text().split("Linker script and memory map", 1)[1]
    pattern = re.compile(r"^ (\.[\w.$:~<>*,&()-]+)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)\s+(\S+)$", re.M)
    portable = portable_objects(map_file.parent.parent)
    for section, address, size, name in pattern.findall(text):
        if int(address, 16) and int(size, 16):
            member = re.search(r"/libmesh\.a\((.*)\)$", name)
            if name.endswith(".ltrans.o"):
                name = origin(section, map_file)
            yield section, int(size, 16), portable[member[1]] if member else name


def group_of(name):
    """Which part of an image the object belongs to."""
    if ".a(" in name or "/lib/gcc/" in name or name.endswith(("crti.o", "crtn.o")):
        return "library"
    path = name.split("/obj/")[-1]
    if path.startswith(NETWORKS) and not path.endswith("/cube.o"):
        return {"cube_trees": "trees"}.get(pathlib.Path(path).stem, pathlib.Path(path).stem)
    if re.match(r"boards/[^/]+/node\.o$|firmware/(core|wire|kernel)/", path):
        return "system"
    if path.startswith("boards/"):
        return "board"
    if path.startswith(("firmware/collectives/", "firmware/libc/")):
        return path.split("/")[1]
    return "app"


def rule_bytes(map_file, network, *without):
    """Flash of the rules of a network."""
    return sum(size for section, size, name in input_sections(map_file)
               if name.endswith(f"{NETWORKS}{network}.o") and section.startswith(FLASH)
               and not any(pattern.search(section) for pattern in without))


def mpi_bytes(map_file):
    """Flash of what a program over MPI has of firmware/mpi and firmware/fiber."""
    return sum(size for section, size, name in input_sections(map_file)
               if re.search("/obj/firmware/(?:mpi|fiber)/", name) and section.startswith(FLASH))


def measure(map_file):
    """{(group, object): [flash, ram]}"""
    table = {}
    for section, size, name in input_sections(map_file):
        short = re.sub(r".*/(lib\w+\.a)\((.*)\)", r"\1:\2", name.split("/obj/")[-1])
        group = group_of(name)
        if section.startswith(FLASH):
            table.setdefault((group, short), [0, 0])[0] += size
        if section.startswith(RAM):
            if re.fullmatch(r"boards/[^/]+/main\.o", short):
                group = "system"
            table.setdefault((group, short), [0, 0])[1] += size
    return table


def features(full_image):
    """(feature, flash): of its functions as they stand in their objects, each for itself; and of
    all checks of the image."""
    functions = {(name, symbol): size
                 for name, size, kind, symbol in symbols(full_image.parent / "obj", "-C")
                 if kind == "FUNC"}
    for feature, of_object, of_function in FEATURES:
        yield feature, sum(size for (name, symbol), size in functions.items()
                           if re.search(of_object, name) and re.search(of_function, symbol))
    code = subprocess.run(["arm-none-eabi-objdump", "-d", str(full_image.with_suffix(".elf"))],
                          capture_output=True, text=True, check=True).stdout
    yield "all checks", CHECK_BYTES * len(re.findall(r"\sb\S*\s.*check_failed", code))


def smallest(build):
    """Of each board its hello, and its loader if it has one."""
    for board in boards.names(build):
        for image in ("hello", "loader/loader"):
            map_file = build / board / f"{image}.map"
            if map_file.exists():
                yield f"{board} {map_file.stem}", *total(measure(map_file))


def budgets(board):
    """The numbers that board.mk sets."""
    text = pathlib.Path(f"boards/{board}/board.mk").read_text()
    return {name: int(value)
            for name, value in re.findall(r"^(\w+_BUDGET)\s*:?=\s*(\d+)", text, re.M)}


def deepest_frames(build, board):
    """Largest stack frames of single functions, from -fstack-usage."""
    frames = []
    objects = build / board / "obj"
    alone = [file for file in objects.rglob("*.su") if has_source(file.relative_to(objects))]
    for file in [*alone, *(build / board).glob("job.elf.*.su")]:
        if "tests" in file.relative_to(build).parts:
            continue
        for line in file.read_text().splitlines():
            place, size, kind = line.split("\t")
            frames.append((int(size), place.split(":", 3)[-1], kind))
    return sorted(frames, reverse=True)


def forbidden_symbols(build, board):
    """`image: symbol` for heap, exceptions or RTTI in any image of the board."""
    for image in sorted((build / board).glob("*.elf")):
        kept = {name for _, _, name in input_sections(image.with_suffix(".map"))}
        yield from (f"{image.name}: {name}" for name in sorted(kept) if HEAP_OBJECTS.search(name))
        names = subprocess.run(["arm-none-eabi-nm", str(image)], capture_output=True, text=True,
                               check=True).stdout.split()
        yield from (f"{image.name}: {name}" for name in sorted(FORBIDDEN.intersection(names)))


def write_csv(table, file):
    file.parent.mkdir(exist_ok=True)
    with open(file, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("group", "object", "flash_bytes", "ram_bytes"))
        writer.writerows((*key, *sizes) for key, sizes in sorted(table.items()))


def read_csv(file):
    with open(file, newline="", encoding="utf-8") as source:
        return {(row["group"], row["object"]): [int(row["flash_bytes"]), int(row["ram_bytes"])]
                for row in csv.DictReader(source)}


def total(table, group=None):
    rows = [sizes for key, sizes in table.items() if group in (None, key[0])]
    return [sum(column) for column in zip(*rows)] if rows else [0, 0]


def print_table(table):
    print(f"{'object':44}{'flash':>8}{'ram':>8}")
    for group in ("system", "trees", "uhc", "star", "board", "collectives", "libc", "app",
                  "library"):
        for key, sizes in sorted(table.items(), key=lambda item: -item[1][0]):
            if key[0] == group and group != "library":
                print(f"  {key[1]:42}{sizes[0]:8}{sizes[1]:8}")
        print(f"{group:44}{total(table, group)[0]:8}{total(table, group)[1]:8}")


def print_diff(table, saved):
    print(f"{'object':44}{'flash':>8}{'':>8}{'ram':>8}")
    for key in sorted(set(table) | set(saved)):
        new, old = table.get(key, [0, 0]), saved.get(key, [0, 0])
        if new != old:
            print(f"{key[1]:44}{new[0]:8}{new[0] - old[0]:+8}{new[1]:8}{new[1] - old[1]:+8}")
    new, old = total(table, "system"), total(saved, "system")
    print(f"{'system':44}{new[0]:8}{new[0] - old[0]:+8}{new[1]:8}{new[1] - old[1]:+8}")


def drift(table, saved):
    """The objects and groups that differ from the saved table by more than the tolerance."""
    groups = sorted({key[0] for key in table} | {key[0] for key in saved})
    rows = {key[1]: (table.get(key, [0, 0]), saved.get(key, [0, 0]))
            for key in sorted(set(table) | set(saved))}
    rows |= {f"all of {group}": (total(table, group), total(saved, group)) for group in groups}
    for name, (new, old) in rows.items():
        for memory, now, then in zip(("flash", "RAM"), new, old):
            if abs(now - then) > max(DRIFT_BYTES, DRIFT_PART * then):
                yield f"{name} {memory} {then} -> {now}"


def limits(table, full_image, build, board):
    """Every limit: whether it holds, and the measured value."""
    limit = budgets(board)
    flash, ram = total(table, "system")
    frame = (deepest_frames(build, board) or [(0, "none", "")])[0]
    measured = (("flash of the system", flash, "FLASH_BUDGET", ""),
                ("static RAM of the system", ram, "RAM_BUDGET", ""),
                ("flash of all collectives", total(table, "collectives")[0], "COLLECTIVES_BUDGET",
                 ""),
                ("flash of all trees", rule_bytes(full_image, "cube_trees", JOINING),
                 "TREES_BUDGET", ""),
                ("flash of the UHC's rules", rule_bytes(full_image, "uhc", JOINING, FACE),
                 "NETWORK_BUDGET", ""),
                ("flash of the star's rules", rule_bytes(full_image, "star"), "NETWORK_BUDGET", ""),
                ("flash of MPI under MPI_Send and MPI_Recv",
                 mpi_bytes(full_image.with_name("messages.map")), "MPI_BUDGET", ""),
                ("largest stack frame", frame[0], "STACK_BUDGET", frame[1]))
    yield from ((0 < value <= limit[budget], f"{what} {value} of {limit[budget]} {detail}".strip())
                for what, value, budget, detail in measured)
    bad = list(forbidden_symbols(build, board))
    yield not bad, "no heap, exceptions or RTTI in any image " + ", ".join(bad)


def measure_images(image, full_image):
    """The whole table: shared objects as in the full image, the rest as in the small one."""
    table = {key: sizes for key, sizes in measure(image).items() if key[0] in OF_THE_PROGRAM}
    shared = {key: sizes for key, sizes in measure(full_image).items()
              if key[0] not in OF_THE_PROGRAM}
    return table | shared


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--board", help="the default board if none is named")
    parser.add_argument("--image", default="hello")
    parser.add_argument("--full-image", default="job")
    parser.add_argument("--save", action="store_true", help="make this the compiler's saved table")
    parser.add_argument("--diff", nargs="?", type=pathlib.Path, const=saved_file("size.csv"),
                        help="compare with a table that was saved (default: the compiler's)")
    parser.add_argument("build", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.board = arguments.board or boards.default(arguments.build)
    folder = arguments.build / arguments.board
    image, full_image = (folder / f"{name}.map" for name in (arguments.image, arguments.full_image))
    table = measure_images(image, full_image)
    if arguments.diff:
        print_diff(table, read_csv(arguments.diff))
        return 0
    print_table(table)
    for name in (image, full_image):
        flash, ram = total(measure(name))
        print(f"{'image ' + name.stem:44}{flash:8}{ram:8}")
    print("\nthe smallest images of each board")
    for board, flash, ram in smallest(arguments.build):
        print(f"{board:44}{flash:8}{ram:8}")
    print("\nfeature, its functions for themselves")
    for feature, flash in features(full_image):
        print(f"{feature:44}{flash:8}")
    print()
    for name, flash, ram in OTHERS:
        print(f"{name + ' (quoted)':44}{flash:8}{ram or '-':>8}")
    if arguments.save:
        write_csv(table, saved_file("size.csv"))
    results = list(limits(table, full_image, arguments.build, arguments.board))
    for good, text in results:
        print(f"{'ok  ' if good else 'FAIL'} {text}")
    return 0 if all(good for good, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
