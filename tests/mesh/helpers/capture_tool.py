"""What Wireshark reads in a capture, by the dissector alone."""
import os
import subprocess

from mesh_tool import ROOT

LUA = ROOT / "host-tools/mesh/capture/meshputer.lua"
FIELDS = {"interface": "frame.interface_name", "id": "frame.packet_id",
          "direction": "frame.packet_flags_direction", "comment": "frame.comment",
          "kind": "meshputer.kind", "packet_flags": "meshputer.packet.flags",
          "malformed": "_ws.malformed", "lua_error": "_ws.lua.error",
          "hello": "meshputer.hello.node", "refused": "meshputer.refused",
          "bad": "meshputer.link_crc.bad", "bad_packet": "meshputer.packet.crc.bad"}
INBOUND, OUTBOUND = "0x00000001", "0x00000002"
DATA = "3"
# Wireshark runs no scripts of the superuser's. A descriptor is open whosever folder the file is in.
AS_NOBODY = [] if os.getuid() else ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def tshark(file, *words):
    """The lines that tshark says of a capture, by the dissector alone: a user's own settings and
    plugins are somewhere else."""
    home = {"HOME": "/nonexistent", "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    with LUA.open("rb") as script, file.open("rb") as capture:
        done = subprocess.run([*AS_NOBODY, "tshark", "-X", f"lua_script:/dev/fd/{script.fileno()}",
                               "-r", "-", *words], capture_output=True, timeout=120, stdin=capture,
                              text=True, pass_fds=[script.fileno()], env=home)
    assert done.returncode == 0 and "Lua" not in done.stderr, done.stderr
    return done.stdout.splitlines()


def frames(file, fields=FIELDS):
    """The fields of each frame as tshark reads them, {name: text}."""
    words = [word for field in fields.values() for word in ("-e", field)]
    lines = tshark(file, "-T", "fields", "-E", "separator=/t", *words)
    return [dict(zip(fields, line.split("\t"))) for line in lines]
