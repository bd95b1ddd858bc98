"""A mesh that is on its own: one QEMU a node, their serial lines joined by pipes with nobody in
between, and a terminal device as the host's line of node 0.

An emulator that cannot send waits, and receives nothing meanwhile. A pipe holds 64 KB, more than
two nodes ever have under way to each other; a socket is full after some 278 writes of a byte each,
and then both would wait for ever."""
import contextlib
import fcntl
import os
import pathlib
import re
import struct
import subprocess
import tempfile
import termios

import boards
from mesh_tool import BUILD, wait_until

START_S = 60


def cables(dim, node):
    """{port: neighbour} in a cube."""
    return {port: node ^ 1 << port for port in range(dim)}


def bytes_waiting(end):
    return struct.unpack("i", fcntl.ioctl(end, termios.FIONREAD, bytes(4)))[0]


class DirectMesh:
    """Nodes from power-on to power-off; `device` is node 0's line."""
    NO_MORE = ["-nodefaults"]

    def __init__(self, board, dim, image, noise=b""):
        """`noise`: bytes that come by every cable before a node is on."""
        self.board, self.dim, self.image, self.nodes = board, dim, image, {}
        self.folder, self.noise, self.ends = tempfile.TemporaryDirectory(), noise, {}
        for node in range(1 << dim):
            for port, other in cables(dim, node).items():
                into = pathlib.Path(f"{self.end_of(node, port)}.in")
                os.mkfifo(into)
                pathlib.Path(f"{self.end_of(other, port)}.out").symlink_to(into)
                self.ends[node, port] = os.open(into, os.O_RDWR)
                os.write(self.ends[node, port], noise)

    def end_of(self, node, port):
        """Of a cable; QEMU reads from this .in and writes to this .out."""
        return f"{self.folder.name}/{node}.{port}"

    def log_of(self, node):
        return pathlib.Path(f"{self.folder.name}/{node}.log")

    def __enter__(self):
        try:
            for node in range(1 << self.dim):
                self.power_on(node)
            self.device = self.told_device(0)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for node in list(self.nodes):
            self.power_off(node)
        for end in self.ends.values():
            os.close(end)
        self.folder.cleanup()

    def power_on(self, node, board=None):
        """A node knows nothing of itself: neither number nor network. With `board` it is of another
        one, with an image for the same work."""
        facts = boards.facts(BUILD, board or self.board)
        lines = facts["lines"]["serial"]
        used = {lines[port + 1]: self.end_of(node, port) for port in range(self.dim)}
        words = ["qemu-system-arm", *self.machine(facts), "-accel", "tcg,tb-size=2",
                 *self.NO_MORE, "-display", "none", "-echr", "256", "-S", "-monitor", "stdio",
                 "-kernel",
                 str(BUILD / board / "relay" / self.image.name if board else self.image)]
        buffer = ",mux=on" if facts["lines"]["fill"] == 1 else ""  # as the host tool has it
        for line in range(max(lines[:self.dim + 1]) + 1):
            if line in used:
                words += ["-chardev", f"pipe,id=l{line},path={used[line]}{buffer}"]
            elif line == lines[0] and node == 0:
                words += ["-chardev", f"pty,id=l{line}{buffer}"]
            words += ["-serial",
                      f"chardev:l{line}" if f"id=l{line}" in ",".join(words) else "null"]
        words += self.given(node)
        with self.log_of(node).open("wb") as log:
            self.nodes[node] = subprocess.Popen(words, bufsize=0, stdin=subprocess.PIPE,
                                                stdout=log, stderr=subprocess.STDOUT)
        for port in range(self.dim):
            self.await_noise(node, port)
        self.about_to_run(node)
        with contextlib.suppress(BrokenPipeError):  # told_device() says how it has ended
            self.nodes[node].stdin.write(b"cont\n")

    def machine(self, facts):
        """Words for the machine."""
        return facts["machine"]

    def given(self, node):
        """What the emulator of a node is told besides."""
        del node
        return []

    def about_to_run(self, node):
        """The emulator of a node is there, and its processor stands still."""

    def await_noise(self, node, port):
        """Waits until some noise is on the line. A neighbour that is on sends more meanwhile."""
        if self.noise:
            end = self.ends[node, port]
            wait_until(lambda: bytes_waiting(end) != len(self.noise), START_S,
                       f"port {port} of node {node} takes the bytes that come",
                       lambda: self.ended(node))

    def power_off(self, node):
        process = self.nodes.pop(node)
        process.kill()
        process.wait()
        process.stdin.close()

    def said(self, node):
        """The output of its emulator up to now."""
        return self.log_of(node).read_text(errors="replace")

    def ended(self, node):
        """How its emulator has ended; None while it runs."""
        status = self.nodes[node].poll()
        return None if status is None else \
            f"the emulator of node {node} ended with {status} and said '{self.said(node).strip()}'"

    def told_device(self, node):
        """The device that its emulator says it has made."""
        return wait_until(lambda: re.search(r"redirected to (\S+) ", self.said(node)), START_S,
                          f"node {node} has a terminal device", lambda: self.ended(node))[1]


@contextlib.contextmanager
def silent_device():
    """A terminal device behind which nobody is."""
    inner, outer = os.openpty()
    try:
        yield os.ttyname(outer)
    finally:
        os.close(inner)
        os.close(outer)
