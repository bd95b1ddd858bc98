"""Options of the whole-run tests."""
import pytest

import mesh_tool


def pytest_addoption(parser):
    parser.addoption("--exhaustive", action="store_true",
                     help="every packet count, n = 1..6 on qemu and 1..10 on sim")


@pytest.fixture
def exhaustive(request):
    return request.config.getoption("--exhaustive")


@pytest.fixture(params=["sim", "qemu"])
def engine(request):
    """Both engines, one after the other."""
    return request.param


def pytest_sessionstart(session):
    if not mesh_tool.MESH.exists():
        pytest.exit(f"{mesh_tool.MESH} is missing: run make first", returncode=2)
