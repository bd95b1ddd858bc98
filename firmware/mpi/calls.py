#!/usr/bin/python3
"""calls.py TABLE... FOLDER: makes of the tables of the calls of MPI, each of one room of
firmware/mpi, mpi_calls.h, which mpi.h includes, and for each section of a table the doors of its
calls, which the file of that name includes at its end.

A row is NAME: ARGUMENTS, or NAME = FUNCTION(ARGUMENTS OF THE FUNCTION THAT COME FIRST): ARGUMENTS.
An argument is a word of WORDS, with a type and checks of its own, or a declaration of C: then only
a pointer to a result is checked, for null. `many` is before an argument that is an MPI_Count in the
form of the call for large counts, `wide` before one that is an MPI_Aint there, `moved` before one
that is read and written. Arguments in parentheses go to the function as one object. `!` is before a
call that may come before MPI_Init(), `*` before a collective that there is also without a wait, and
persistent, `&` before another call that all ranks of the communicator make, `@` before a call that
makes a datatype, which notes the arguments. A row goes on in lines that begin with four spaces.

Lines with two spaces follow, the docstring of the call: its section of MPI 4.1, in brackets errors
beside those of its arguments, and its words.

A door PMPI_X makes the checks, and goes to the function that does the work. MPI_X is another name
of it, and weak: a program may define MPI_X itself and call PMPI_X there, as profilers do. MPI_X_c,
for large counts, is a door in front of it: a node holds no more than an int counts, so what is more
is an error at once."""
import pathlib
import re
import sys
import textwrap

from call_notes import NOTING, joint, look_at_buffers, noting

WORDS = {
    **{word: f"const void *{word[6:]}" for word in ("const data", "const mine", "const all",
                                                    "const out")},
    **{word: f"void *{word}" for word in ("data", "mine", "all", "out", "in", "part", "result")},
    **{word: f"many int {word}" for word in ("count", "all_count", "out_count", "in_count",
                                             "target_count", "result_count")},
    **{word: f"many const int {word}[]" for word in ("counts", "out_counts", "in_counts", "lengths",
                                                     "places", "out_places", "in_places")},
    **{word: f"MPI_Datatype {word}" for word in ("type", "old", "all_type", "out_type", "in_type",
                                                 "target_type", "result_type")},
    **{word: f"const MPI_Datatype {word}[]" for word in ("out_types", "in_types")},
    **{word: f"int {word}" for word in ("root", "rank", "to", "from", "tag", "out_tag", "in_tag",
                                        "target")},
    **{word: "MPI_Comm comm" for word in ("comm", "intracomm", "across", "around", "grid", "graph",
                                          "dist_graph")},
    **{word: "MPI_Request *request" for word in ("request", "any_request", "the_request")},
    "the_comm": "MPI_Comm *comm", "the_group": "MPI_Group *group", "the_win": "MPI_Win *win",
    "session": "MPI_Session session", "the_session": "MPI_Session *session",
    "one_request": "MPI_Request request", "a_request": "MPI_Request request",
    "message": "MPI_Message *message", "members": "MPI_Group group",
    "any_type": "MPI_Datatype type", "op": "MPI_Op op", "info": "MPI_Info info",
    "win": "MPI_Win win", "group": "MPI_Group group", "other": "MPI_Group other",
    "status": "MPI_Status *status", "statuses": "MPI_Status statuses[]",
    "requests": "MPI_Request requests[]"}
# The object that checks a call, by the argument that has the handler of its errors.
CHECKERS = {
    "comm": "Checks checks({}, comm)", "intracomm": "Checks checks({}, comm)",
    "across": "AcrossChecks checks({}, comm)", "around": "AroundChecks checks({}, comm)",
    "grid": "GridChecks checks({}, comm)", "graph": "GraphChecks checks({}, comm, false)",
    "dist_graph": "GraphChecks checks({}, comm, true)", "win": "WindowChecks checks({}, win)",
    "group": "GroupChecks checks({}, group)",
    "the_comm": "Checks checks({}, comm == nullptr ? MPI_COMM_NULL : *comm)",
    "the_group": "GroupChecks checks({}, group == nullptr ? MPI_GROUP_NULL : *group)",
    "the_win": "WindowChecks checks({}, win == nullptr ? MPI_WIN_NULL : *win)",
    "session": "SessionChecks checks({}, session)",
    "the_session": "SessionChecks checks({}, session == nullptr ? MPI_SESSION_NULL : *session)",
    "message": "Matched checks({}, data, count, type, message)",
    "any_request": "RequestChecks checks({}, request)",
    "one_request": "RequestChecks checks({}, &request)",
    "requests": "RequestChecks checks({}, handles(count, requests))"}

# The classes of errors that arguments may have.
DATA = "data mine all out in part result"
COUNTS = "count all_count out_count in_count target_count result_count"
ERRORS = {
    "COMM": "comm intracomm across around grid graph dist_graph the_comm",
    "TOPOLOGY": "around grid graph dist_graph", "GROUP": "group other members the_group",
    "WIN": "win the_win", "SESSION": "session the_session", "OP": "op", "ROOT": "root",
    "REQUEST": "any_request the_request one_request a_request requests message",
    "RANK": "to from rank target", "TAG": "tag out_tag in_tag",
    "COUNT": f"{COUNTS} counts lengths out_counts in_counts requests",
    "TYPE": "type old any_type all_type out_type in_type target_type result_type out_types "
            "in_types",
    "BUFFER": DATA, "ARG": "requests any_request the_request message"}
HEAD = """\
/* Made by firmware/mpi/calls.py. A part of mpi.h, which includes it.
 *
 * The words of a call name its section of MPI 4.1. A call costs no message, and no model time, but
 * for those that its words name. Counts are of elements, `bytes`, `room` and extents of bytes. What
 * a pointer leads to stays the program's; a handle that a call gives is freed by the call that its
 * words name, or by MPI_Comm_free(), MPI_Type_free() and their like. MPI must have begun, and not
 * have ended, but for the calls of 9 and 11 that ask whether it has. No call may come from an
 * interrupt.
 *
 * An error is told to the handler of the communicator, the window or the session, of other calls
 * to that of MPI_COMM_WORLD. At first that ends the run; with MPI_ERRORS_RETURN the call gives the
 * class, and has done nothing unless its words say more. The classes:
 *
%s */
"""
REASONS = {
    "BUFFER": "a buffer is null, or the result goes there, too",
    "COUNT": "a count is negative, or the data has 2 GiB or more",
    "TYPE": "a datatype was freed, never made or not committed",
    "TAG": "a tag is negative",
    "COMM": "a communicator was freed, never made or is of the wrong kind",
    "RANK": "a rank is none of the group",
    "REQUEST": "a request or a message has ended, was never made or is of the wrong kind",
    "ROOT": "a root is none of the ranks",
    "GROUP": "a group was freed or never made",
    "OP": "an operation was freed, never made or means nothing for the datatype",
    "TOPOLOGY": "a communicator has no such topology",
    "DIMS": "a dimension, or a number of them, is wrong",
    "ARG": "another argument is wrong, a result has no place, ranks do not agree about the call",
    "TRUNCATE": "there is less room than data",
    "OTHER": "a node does not answer",
    "IN_STATUS": "one of several requests has an error, which its status has",
    "INFO_KEY": "a key has no letters, or too many", "INFO_NOKEY": "an info has no such key",
    "INFO_VALUE": "a value has too many letters", "INFO": "an info was freed or never made",
    "KEYVAL": "a key of attributes was freed, never made or is of the wrong kind",
    "NO_MEM": "the heap has no room", "SESSION": "a session was closed or never made",
    "BASE": "no memory begins there", "DISP": "a unit of displacements is below 1",
    "LOCKTYPE": "a lock is of no kind", "RMA_ATTACH": "memory cannot be attached",
    "RMA_RANGE": "an access is outside of the window",
    "RMA_SHARED": "nodes have no memory in common",
    "RMA_SYNC": "a window may not be accessed now", "SIZE": "a size is negative",
    "WIN": "a window was freed or never made",
    "RMA_FLAVOR": "a window was made by another call"}


def wrapped(text, indent=" * "):
    return "\n".join(textwrap.wrap(text, 98, initial_indent=indent, subsequent_indent=" *  ",
                                   break_long_words=False, break_on_hyphens=False))


def head():
    """The text at the top of mpi_calls.h."""
    return HEAD % "".join(f"{wrapped(f'- MPI_ERR_{name}: {why}')}\n"
                          for name, why in REASONS.items())


def comment(words, errors, section):
    """The docstring of a call."""
    told = ", ".join(f"MPI_ERR_{error}" for error in REASONS if error in errors)
    source = section if section == "ULFM" else f"MPI 4.1, {section}"
    return wrapped(f"{words}{f' Errors: {told}.' if told else ''} {source}. */", "/** ") + "\n"


def note(name):
    """Notes where the program is."""
    return f'note_call("{name}", __builtin_return_address(0));'


class Argument:
    """`word`: as in the table, "" for a declaration; `many`, `wide`, `moved`: those marks; `opens`,
    `closes`: the parentheses that are beside it."""

    def __init__(self, text):
        self.opens, self.closes = text.startswith("("), text.endswith(")")
        text = text.strip("()")
        self.word = text if text in WORDS else ""
        *marks, text = re.match(r"(?:(many) |(wide) )?(?:(moved) )?(.*)",
                                WORDS.get(text, text)).groups()
        self.many, self.wide, self.moved = map(bool, marks)
        self.type, self.name, self.array = re.fullmatch(r"(.*?)(\w+)((?:\[\d*\])*)", text).groups()
        self.points = self.type.endswith("*") and (
            not self.type.startswith("const") or self.type == "const MPI_Status *")
        self.is_list = self.array != "" and (self.many or self.wide)

    def declared(self):
        return f"{self.type}{self.name}{self.array}"

    def large(self, with_old):
        """The same in the call for large counts. `with_old`: the call makes a datatype."""
        is_aint = self.wide or (self.word in ("places", "out_places", "in_places") and not with_old)
        number = "MPI_Aint" if is_aint else "MPI_Count"
        return (re.sub(r"\b(int|MPI_Aint)\b", number, self.type) if self.many or self.wide
                else self.type) + self.name + self.array

    def number(self):
        """The type of the number in the call that is not for large counts."""
        return re.search(r"int|MPI_Aint", self.type)[0]


def unnamed(parameters):
    """An info means nothing to most calls."""
    return parameters.replace("MPI_Info info", "MPI_Info")


class Call:
    def __init__(self, row):
        row, _, told = row.partition("\v")
        self.section, told_errors, self.told = re.fullmatch(
            r"(?:([\d.]+|ULFM) )?(?:\[([A-Z_ ]+)\] )?(.*)", told).groups("")
        if not (self.section and self.told):
            raise ValueError(f"{row}: no docstring")
        left, right = re.fullmatch(r"(.*?):(?: (.*)|)", row).groups("")
        mark = left[0] if left[0] in "!*@&" else ""
        self.checked, self.is_later, self.is_kept = mark != "!", mark == "*", mark == "@"
        self.is_joint = mark in ("*", "&")
        name, _, body = left.removeprefix(mark).partition(" = ")
        self.returns, _, self.name = name.rpartition(" ")
        self.returns = self.returns or "int"
        self.prefix = "MPIX_" if self.name.startswith("MPIX_") else "MPI_"
        self.name = self.name.removeprefix("MPIX_")
        self.full = self.prefix + self.name
        self.body, first = re.fullmatch(r"(\w+)(?:\((.*)\))?",
                                        body or self.name.lower()).groups()
        self.first = [first] if first else []
        texts = right.split(", ") if right else []
        if "requests" in texts:
            texts.insert(texts.index("requests"), "int count")
        self.arguments = [Argument(text) for text in texts]
        self.words = {argument.word: argument.name for argument in self.arguments}
        self.is_large = any(argument.many or argument.wide for argument in self.arguments)
        words = {word.removeprefix("const ") for word in self.words}
        self.errors = {error for error, its in ERRORS.items() if words & set(its.split())}
        self.errors |= set(told_errors.split())
        if unknown := self.errors - set(REASONS):
            raise ValueError(f"{row}: no such errors: {unknown}")
        if self.is_later:
            self.errors |= {"ARG", "OTHER"} | ({"TRUNCATE"} if words - {"comm"} else set())
        if self.checked and any(one.startswith("result") for one in self.checks()[1]):
            self.errors.add("ARG")

    def parameters(self, large=False, more=(), defines=False):
        """`defines`: what is not used has no name."""
        with_old = "old" in self.words or self.name == "Type_create_struct"
        text = ", ".join([argument.large(with_old) if large else argument.declared()
                          for argument in self.arguments] + list(more)) or "void"
        return unnamed(text) if defines and "info" in self.words else text

    def checker(self, name):
        for word, checker in CHECKERS.items():
            if word in self.words:
                return checker.format(f'"{self.prefix}{name}"') + ";"
        return f'Checks checks("{self.prefix}{name}");'

    def checks(self):
        """The checks of a row: (statements before, calls of `checks`)."""
        before, chain = [], []
        texts = [argument.word.replace("const ", "") for argument in self.arguments]
        for at, argument in enumerate(self.arguments):
            word, name = argument.word, argument.name
            buffer, peer = texts[at:at + 3], texts[at + 3:at + 5]
            if word == "the_request":
                before.append("Request* const its_request = checks.result(request).bad() ? nullptr "
                              ": checks.object<Request>(*request);")
            elif word == "a_request":
                before.append("Request* const its_request = checks.object<Request>(request);")
            elif word == "any_type":
                before.append("Type* const its_type = checks.any_type(type);")
            elif word == "other":
                before.append("const Group* const its_other = checks.group(other);")
            elif word == "members":
                before.append("Group* const its_group = checks.group(group);")
            elif word == "intracomm":
                chain.append("one_group()")
            elif word == "requests":
                chain.append("count(count)")
            elif word in ("root", "rank", "target"):
                chain.append(f"{word.replace('rank', 'member')}({name})")
            elif word == "request" or (not word and argument.points and not argument.array
                                       and not re.search("void|function", argument.type)):
                chain.append(f"result({name})")
            elif "void" in argument.type and peer in (["to", "tag"], ["to", "out_tag"],
                                                      ["from", "tag"], ["from", "in_tag"]):
                for rank, tag in (peer, texts[at + 5:at + 7]):
                    if rank in ("to", "from"):
                        chain.append(f"message({', '.join(buffer)}, {rank}, {tag}, "
                                     f"{'true' if rank == 'from' else 'false'})")
                    if texts[at + 5:at + 7] != ["from", "in_tag"]:
                        break
            elif word == "from" and at == 0:
                chain.append("peer(from, true).tag(tag, true)")
            elif word == "tag" and "to" not in texts and "from" not in texts:
                chain.append("tag(tag)")
        return before, chain

    def passed(self):
        given = {"any_type": "*its_type", "other": "*its_other", "the_request": "*its_request",
                 "a_request": "*its_request",
                 "members": "*its_group",
                 "requests": "handles(count, requests)"}
        gone = set(CHECKERS) - {"any_request", "one_request", "requests", "the_comm", "the_group",
                                  "the_win", "the_session", "message"} | {"info"}
        for argument in self.arguments:
            if argument.name == "count" and "requests" in self.words or argument.word in gone:
                continue
            yield "{" * argument.opens + given.get(argument.word, argument.name) + (
                "}" * argument.closes)

    def length(self, argument):
        """Of a list of numbers."""
        if "old" in self.words or "lengths" in self.words:
            return "dimensions" if "int dimensions" in self.parameters() else "its_count"
        if "around" in self.words:
            side = "destinations" if argument.name.startswith("out") else "sources"
            return f"checks.bad() ? 0 : Around(checks.comm()).{side}().size()"
        if "root" in self.words:
            return "checks.comm().is_root(root) ? checks.comm().peers->size : 0"
        return "checks.comm().size()" if "op" in self.words else "checks.comm().peers->size"


def defined(returns, name, used, parameters, lines):
    """The function P`name`, with `used` of its parameters named, and its weak name."""
    body = "\n    ".join(lines)
    return (f"{returns} P{name}({used}) {{\n    {body}\n}}\n"
            f'{returns} {name}({parameters}) __attribute__((weak, alias("P{name}")));\n')


def kept(call, work):
    """The work of a call that makes a datatype, which is told then what the call was given."""
    given = {"int": [], "MPI_Datatype": [], "MPI_Aint": []}
    length = "dimensions" if "int dimensions" in call.parameters() else "count"
    for argument in call.arguments[:-1]:
        kind = argument.type.replace("const ", "").strip()
        given[kind].append(f"list({argument.name}, {length})" if argument.array
                           else f"list(&{argument.name}, 1)")
    combiner = call.name.removeprefix("Type_").removeprefix("create_").upper()
    lists = ", ".join(f"{{{', '.join(some)}}}" for some in given.values())
    return f"kept({work}, type, [&] {{ return Given{{MPI_COMBINER_{combiner}, {lists}}}; }})"


def door(call):
    passed = [*call.first, *call.passed()]
    if call.body.startswith("PMPI_") or call.returns != "int":
        lines = [*[note(call.full)] * (call.returns == "int"),
                 f"return {call.body}({', '.join(passed)});"]
    elif not call.checked:
        lines = [note(call.full),
                 f"return end_of([&] {{ return {call.body}({', '.join(passed)}); }});"]
    else:
        before, chain = call.checks()
        lines = [note(call.full), call.checker(call.name), *before]
        if chain or before or set(call.words) & set(CHECKERS):
            lines.append(f"if (checks{''.join(f'.{one}' for one in chain)}.bad()) "
                         "return checks.code();")
        lines += [*look_at_buffers(call), *joint(call, waits=True)]
        work = f"end_of([&] {{ return {call.body}({', '.join(['checks', *passed])}); }}, &checks)"
        lines.append(f"return {kept(call, work) if call.is_kept else work};")
    return defined(call.returns, call.prefix + call.name, call.parameters(defines=True),
                   call.parameters(), lines)


def narrowed(call, with_lists=True):
    """What makes the numbers of a large call those of the other: (statements, its arguments)."""
    lines, arguments = [], []
    for argument in call.arguments:
        name, number = argument.name, None
        if (argument.many or argument.wide) and (with_lists or not argument.is_list):
            number = argument.number()
        if number is None:
            arguments.append(name)
        elif argument.is_list:
            lines.append(f"const Narrowed<{number}> its_{name}(checks, {name}, "
                         f"{call.length(argument)});")
            arguments.append(f"its_{name}.data()")
        elif argument.points:
            first = f"{name} == nullptr ? 0 : narrowed<{number}>(checks, *{name})"
            lines.append(f"{number} its_{name} = {first if argument.moved else 0};")
            arguments.append(f"{name} == nullptr ? nullptr : &its_{name}")
        else:
            lines.append(f"const {number} its_{name} = narrowed<{number}>(checks, {name});")
            arguments.append(f"its_{name}")
    return lines, arguments


def large_door(call):
    name, parameters = call.name + "_c", call.parameters(large=True)
    lines, arguments = narrowed(call)
    checker = call.checker(name) if "message" not in call.words else (
        f'Checks checks("MPI_{name}");')
    lines = [note(f"MPI_{name}"), checker, *lines, "if (checks.bad()) return checks.code();",
             f"const int code = PMPI_{call.name}({', '.join(arguments)});"]
    lines += [f"if (code == MPI_SUCCESS) *{argument.name} = its_{argument.name};"
              for argument in call.arguments
              if (argument.many or argument.wide) and argument.points]
    return defined("int", f"MPI_{name}", parameters, parameters, [*lines, "return code;"])


def held(call):
    """What a collective holds until it is done, as a Held."""
    names = [argument.name for argument in call.arguments]
    if "out_types" in names:
        if "around" in call.words:
            return "held_around(checks.comm(), out_types, in_types)"
        return "{.ones = given(out, out_types), .others = in_types}"
    if "op" in names:
        return "{.op = op, .one = type}"
    if "all_type" in names and "root" in names:
        return "{.one = given(mine, type, root), .other = at_root(checks, root, all_type)}"
    types = [name for name in names if name.endswith("type")]
    if len(types) < 2:
        return "{.one = type}" if types else "{}"
    return f"{{.one = given({names[0]}, {types[0]}), .other = {types[1]}}}"


# A call that does not wait, and one that is persistent: name, whether it is that, more arguments,
# words, sections of MPI 4.1 for all ranks and for neighbours.
LATER = (("I{}", "false", ("MPI_Request *request",),
          "Begins {}. The buffers are the request's until that is done, and an error is that of "
          "the call that ends it. By messages, also over all nodes.", ("6.12", "8.7")),
         ("{}_init", "true", ("MPI_Info info", "MPI_Request *request"),
          "Makes a request that does {} each time that MPI_Start() begins it. The info means "
          "nothing. MPI_Request_free() frees it.", ("6.13", "8.8")))
LARGE = "The same as {} with counts of 64 bits; more than a node can hold is MPI_ERR_COUNT."


def later_name(form, call):
    return form.format(call.name.lower() if form.startswith("I") else call.name)


def later_door(call, form, is_persistent, more, large):
    name = later_name(form, call) + ("_c" if large else "")
    parameters = call.parameters(large, more)
    lines, arguments = narrowed(call, False) if large else ([], [
        argument.name for argument in call.arguments])
    has_lists = any(argument.is_list for argument in call.arguments)
    its = {"comm": "its_comm", "op": "its_op"}
    arguments = ", ".join(its.get(argument, argument) for argument in arguments)
    op = "MPI_Op its_op" if "op" in call.words else "MPI_Op"
    lines = [note(f"MPI_{name}"), call.checker(name), *lines,
             "if (checks.result(request).bad()) return checks.code();",
             *([] if large else look_at_buffers(call)), *joint(call),
             f"const auto call = [=](MPI_Comm its_comm, {op}) {{ return "
             f"PMPI_{call.name}{'_c' if large and has_lists else ''}({arguments}); }};",
             f"return begin_collective(checks, {is_persistent}, {held(call)}, later(call), "
             "request);"]
    return defined("int", f"MPI_{name}", unnamed(parameters), parameters, lines)


def read(table):
    """{section: [row, with its docstring behind a \\v]}"""
    sections = {}
    for line in re.sub(r"\n {4}", " ", table).split("\n"):
        if line.startswith("["):
            rows = sections.setdefault(line.strip("[]"), [])
        elif line.startswith("  "):
            rows[-1] += (" " if "\v" in rows[-1] else "\v") + line.strip()
        elif line:
            rows.append(line)
    return sections


def main():
    *tables, folder = map(pathlib.Path, sys.argv[1:])
    sections = read("\n".join(table.read_text() for table in tables))
    prototypes, files, notings = [], {}, []

    def declare(returns, name, parameters, words, errors, section):
        prototypes.append(comment(words, errors, section))
        prototypes.extend(f"{returns} {p}{name}({parameters});\n" for p in ("", "P"))

    for section, rows in sections.items():
        doors = []
        for call in map(Call, rows):
            name = f"{call.prefix}{call.name}"
            declare(call.returns, name, call.parameters(), call.told, call.errors, call.section)
            doors.append(door(call))
            notings.append(noting(call, call.name))
            if call.is_large:
                declare("int", f"{name}_c", call.parameters(large=True), LARGE.format(f"{name}()"),
                        call.errors | {"COUNT"}, call.section)
                doors.append(large_door(call))
            for form, is_persistent, more, told, places in LATER if call.is_later else ():
                for large in (False, True)[:1 + call.is_large]:
                    its = f"MPI_{later_name(form, call)}"
                    declare("int", its + "_c" * large, call.parameters(large, more),
                            LARGE.format(f"{its}()") if large else told.format(f"{name}()"),
                            call.errors | {"NO_MEM"}, places["around" in call.words])
                    doors.append(later_door(call, form, is_persistent, more, large))
                    notings.append("" if large else noting(call, later_name(form, call), more))
        joints = '#include "mpi/collectives/joint.hpp"\n' * any(
            row.startswith("*") for row in rows)
        joints += '#include "mpi/buffers/noted.hpp"\n' * any(
            "check_buffers" in one for one in doors)
        files[f"doors/{section}.inc"] = ('#include "mpi/objects/door.hpp"\n' + joints +
                                         'namespace mesh::mpi {\n'
                                         'extern "C" {\n' + "".join(doors) + "}\n}\n")
    files["mpi_calls.h"] = head() + "".join(prototypes)
    files["mpi_buffers.h"] = NOTING + "".join(notings)
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text() != text:
            file.write_text(text)
    (folder / "made").touch()


if __name__ == "__main__":
    main()
