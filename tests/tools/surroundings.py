"""What a run of the tests is given, whoever starts it, wherever and whenever.

Of the environment only what finds programs, or is meant for the tests, comes in; a case that asks
how a program does elsewhere gives it the rest. The home is one in the folder of the build, so no
settings of a user count; files are made with the rights that most users give.
"""
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The clock may be another one (faketime), which is preloaded.
KEPT = {"PATH", "TMPDIR", "BUILD", "CXX", "FUZZ_SECONDS", "LD_PRELOAD"}
KEPT_BEGINNINGS = ("MESH_SEED", "PYTEST_", "FAKETIME")
GIVEN = {"LC_ALL": "C.UTF-8", "TZ": "UTC0",
         # Whoever runs the tests need not own the repository.
         "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
MASK = 0o022


def settle(build):
    """For this process and those that it starts."""
    home = ROOT / build / "home"
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in os.environ.items()
            if name in KEPT or name.startswith(KEPT_BEGINNINGS)}
    os.environ.clear()
    os.environ.update(kept | GIVEN | {"HOME": str(home)})
    os.umask(MASK)
