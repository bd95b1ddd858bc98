"""How the emulators of a case run: in lockstep, so that a busy machine changes nothing, or free.

A case that boots emulators which keep to wall time is marked `free`, and is not in the gate (but a
dozen are: tests/README.md). All others run in lockstep, where they do not say how; `make test-all`
runs those free, too.
"""
import contextvars

# True where emulators run free if a command does not say how (tests/conftest.py).
FREE = contextvars.ContextVar("FREE", default=False)
# True in a case that may boot emulators that run free.
MARKED = contextvars.ContextVar("MARKED", default=True)
ONLY_FREE = {"--free", "--host-at", "--serial"}
# With --qemu a case has scripts of its own in place of emulators, and says how they run.
NO_RUN = {"--help", "--version", "--dry-run", "--qemu"}


def own_words(arguments):
    """Those of `mesh run` itself, none for other commands and where nothing is emulated."""
    words = [str(word) for word in arguments]
    words = words[:words.index("--")] if "--" in words else words
    engine = words[words.index("--engine") + 1] if "--engine" in words[:-1] else "qemu"
    return words if words[:1] == ["run"] and engine == "qemu" and not NO_RUN & {*words} else []


def told_how(arguments):
    """The words of a command, in which `run` says how emulators run."""
    words, own = [str(word) for word in arguments], own_words(arguments)
    if not own or FREE.get() or "--lockstep" in own or ONLY_FREE & {*own}:
        return words
    return ["run", "--lockstep", *words[1:]]


def check_mark(arguments):
    """Of a command that was not refused: no case runs free by oversight."""
    words = list(map(str, arguments))
    free = ONLY_FREE & {*own_words(words)} or words[:1] == ["load"] and not NO_RUN & {*words}
    assert MARKED.get() or not free, \
        f"mark the case `free`, or leave the words out: {' '.join(words)}"
