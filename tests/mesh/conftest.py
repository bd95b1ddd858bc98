"""Fixtures that the whole-run tests share."""
import pytest

import mesh_tool


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
