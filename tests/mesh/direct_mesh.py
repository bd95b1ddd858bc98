"""A mesh that is on its own: one QEMU a node, their serial lines joined by sockets with nobody in
between, and a terminal device as the host's line of node 0."""
import contextlib
import os
import re
import select
import socket
import subprocess
import time

import boards
from mesh_tool import BUILD

START_S = 60


def cables(dim, node):
    """{port: neighbour} in a cube."""
    return {port: node ^ 1 << port for port in range(dim)}


class DirectMesh:
    """Nodes from power-on to power-off; `device` is node 0's line."""

    def __init__(self, board, dim, image):
        self.facts = boards.facts(BUILD, board)
        self.dim, self.image, self.nodes = dim, image, {}
        self.ends = {}
        for node in range(1 << dim):
            for port, other in cables(dim, node).items():
                if node < other:
                    self.ends[node, port], self.ends[other, port] = socket.socketpair()

    def __enter__(self):
        for node in range(1 << self.dim):
            self.power_on(node)
        self.device = self.told_device(self.nodes[0].stdout)
        return self

    def __exit__(self, *_):
        for node in list(self.nodes):
            self.power_off(node)
        for end in self.ends.values():
            end.close()

    def power_on(self, node):
        """A node knows nothing of itself: neither number nor network."""
        lines = self.facts["lines"]["serial"]
        used = {lines[port + 1]: end.fileno()
                for (owner, port), end in self.ends.items() if owner == node}
        words = ["qemu-system-arm", *self.facts["machine"], "-accel", "tcg,tb-size=2",
                 "-nodefaults", "-display", "none", "-echr", "256", "-kernel", str(self.image)]
        buffer = ",mux=on" if self.facts["lines"]["fill"] == 1 else ""  # as the host tool has it
        for line in range(max(lines[:self.dim + 1]) + 1):
            if line in used:
                words += ["-chardev", f"socket,id=l{line},fd={used[line]}{buffer}"]
            elif line == lines[0] and node == 0:
                words += ["-chardev", f"pty,id=l{line}{buffer}"]
            words += ["-serial",
                      f"chardev:l{line}" if f"id=l{line}" in ",".join(words) else "null"]
        self.nodes[node] = subprocess.Popen(words, pass_fds=list(used.values()),
                                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def power_off(self, node):
        process = self.nodes.pop(node)
        process.kill()
        process.wait()
        process.stdout.close()

    @staticmethod
    def told_device(stream):
        """QEMU says which one it has made."""
        text, end = b"", time.monotonic() + START_S
        while time.monotonic() < end:
            if select.select([stream], [], [], 1)[0]:
                text += os.read(stream.fileno(), 4096)
            if found := re.search(rb"redirected to (\S+) ", text):
                return found[1].decode()
        raise AssertionError(f"QEMU has no terminal device: {text}")


@contextlib.contextmanager
def silent_device():
    """A terminal device behind which nobody is."""
    inner, outer = os.openpty()
    try:
        yield os.ttyname(outer)
    finally:
        os.close(inner)
        os.close(outer)
