"""A mesh that stands alone: no mesh process anywhere. QEMU carries the cables, node 0 alone is told
which node of which network it is, and a terminal is its line.

    alone_mesh.py BOARD DIM APP         prints the line of node 0 until it has answered or Ctrl-C
"""
import os
import select
import sys
import time
import tty

from direct_mesh import DirectMesh
from mesh_tool import BUILD, boards

CUBE = 0
ANSWER_S = 120


class AloneMesh(DirectMesh):
    """A cube whose node 0 has an identity."""
    line = None

    def given(self, node):
        if node != 0:
            return []
        mac = bytes([2, CUBE, self.dim, 0, 0, 0, 0, 0])
        return ["-device", f"loader,addr={boards.facts(BUILD, self.board)['identity']},"
                           f"data=0x{int.from_bytes(mac, 'little'):x},data-len=8"]

    def about_to_run(self, node):
        """Somebody listens before node 0 says a word: an emulator drops what nobody reads."""
        if node == 0:
            self.hang_up()
            self.line = os.open(self.told_device(0), os.O_RDWR | os.O_NOCTTY)
            tty.setraw(self.line)

    def hang_up(self):
        """Leaves the line to others."""
        if self.line is not None:
            os.close(self.line)
        self.line = None

    def __exit__(self, *error):
        self.hang_up()
        super().__exit__(*error)

    def read(self, seconds):
        """What node 0 has said in that time; less if it says nothing more."""
        return os.read(self.line, 4096) if select.select([self.line], [], [], seconds)[0] else b""

    def lines(self, count, seconds=ANSWER_S):
        """So many lines of node 0."""
        text, until = b"", time.monotonic() + seconds
        while text.count(b"\n") < count and time.monotonic() < until:
            text += self.read(1)
            ended = [self.ended(node) for node in self.nodes if self.ended(node)]
            assert not ended, ended
        return text.decode(errors="replace").splitlines()


def main(board, dim, app):
    image = BUILD / board / "alone" / f"{app}.elf"
    with AloneMesh(board, int(dim), image) as nodes:
        print(f"{1 << int(dim)} nodes of {board}, nobody else; node 0 says:", flush=True)
        for line in nodes.lines(1):
            print(line)


if __name__ == "__main__":
    main(*sys.argv[1:])
