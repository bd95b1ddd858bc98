"""Lines of the doors of calls that note for a simulation what a call is given, and the macros by
which a program for a strict run notes its buffers (buffers/noted.hpp). A part of calls.py."""

# Types of letters and truth values are no numbers, so buffers of these may hold anything.
NOTING = """\
/* Made by firmware/mpi/calls.py. A part of mpi.h in programs that are made for a strict run, as
 * `mesh run --strict` makes them. A macro notes before a call what the compiler knows of its
 * buffers: bytes to their ends, and the type of their elements. No argument is evaluated twice. */
#ifdef __cplusplus
#define MPI_MEANING(buffer) 0
#else
#define MPI_MEANS(family, T) T *: family << 8 | sizeof(T), const T *: family << 8 | sizeof(T)
#define MPI_MEANING(buffer) (int)_Generic((buffer), \\
    MPI_MEANS(1, short), MPI_MEANS(1, unsigned short), MPI_MEANS(1, int), \\
    MPI_MEANS(1, unsigned), MPI_MEANS(1, long), MPI_MEANS(1, unsigned long), \\
    MPI_MEANS(1, long long), MPI_MEANS(1, unsigned long long), MPI_MEANS(2, float), \\
    MPI_MEANS(2, double), MPI_MEANS(2, long double), default: 0)
#endif
#define MPI_NOTE_BUFFER(at, buffer) \\
    mpi_note_buffer(at, __builtin_dynamic_object_size(buffer, 0), MPI_MEANING(buffer))
void mpi_note_buffer(int at, size_t bytes, int meaning);
"""


def buffers(call):
    """The buffers of a call whose size it knows: (name, count, its factor, type)."""
    texts = [argument.word.replace("const ", "") for argument in call.arguments]
    if "around" in texts or not (call.is_later or set(texts) & {"tag", "out_tag", "win"}):
        return
    size, root = "checks.comm().peers->size", "checks.comm().is_root(root)"
    each = {"all": f"{root} ? {size} : 0" if "root" in texts else size, "out": size, "in": size}
    for at, argument in enumerate(call.arguments):
        first = at + 1 + (texts[at:at + 2] in (["mine", "all"], ["mine", "part"]))
        count, kind = (texts[first:first + 2] + ["", ""])[:2]
        if "void" not in argument.type or not (count.endswith("count") and kind.endswith("type")):
            continue
        factor = "1"
        if call.is_later and "op" not in texts:
            factor = each.get(texts[at], "1")
        elif "part" in texts and texts[at] == "mine":
            factor = size
        elif texts[at] == "all" and "root" in texts:
            factor = root
        yield argument.name, call.arguments[first].name, factor, call.arguments[first + 1].name


def look_at_buffers(call):
    """In a simulation: looks at what the program's compiler has noted (buffers/noted.hpp)."""
    given = ", ".join(f"{{{name}, std::int64_t{{{count}}} * ({factor}), {kind}}}"
                      for name, count, factor, kind in buffers(call))
    return ["#if MESH_NOTES",
            f"if (check_buffers(checks, {{{given}}}).bad()) return checks.code();",
            "#endif"] if given else []


def noting(call, name, more=()):
    """The macro by which a program notes its buffers before a call; "" if it has none."""
    notes = [f"MPI_NOTE_BUFFER({at}, {one[0]})" for at, one in enumerate(buffers(call))]
    words = ", ".join([argument.name for argument in call.arguments] +
                      [one.rpartition("*")[2].rpartition(" ")[2] for one in more])
    return (f"#define MPI_{name}({words}) \\\n    ({', '.join(notes)}, MPI_{name}({words}))\n"
            if notes else "")


def joint(call, waits=False):
    """In a simulation: what the ranks of a collective must give alike (collectives/joint.hpp).
    `waits`: it is done by the call itself."""
    if not call.is_joint:
        return []
    text = '{.communicator = "a window"}' if {"win", "the_win"} & set(call.words) else "{}"
    if call.is_later:
        given = [call.words.get("root", "kNoRoot"), call.words.get("op", "MPI_OP_NULL")]
        has_lists = any(argument.is_list for argument in call.arguments)
        sides = [f"joint_of({', '.join([*given, name, '-1' if has_lists else count])})"
                 for word, name in call.words.items() for count in [word.replace("type", "count")]
                 if word.endswith("type") and ("op" in call.words or not has_lists)
                 and "around" not in call.words]
        if len(sides) == 2 and "root" in call.words:  # all_type means something at the root only
            sides = [f"checks.comm().is_root(root) ? {max(sides, key=len)} : {min(sides, key=len)}"]
        text = (sides or [f"joint_of({', '.join([*given, 'MPI_DATATYPE_NULL', '-1'])})"])[-1]
    meets = ["meet_if_strict(checks);"] * (waits and call.is_later and call.name != "Barrier")
    return ["#if MESH_NOTES", f"note_joint(checks, {text});", *meets, "#endif"]
