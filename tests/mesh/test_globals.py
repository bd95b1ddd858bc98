"""Globals of a program in a simulation change hands by the page: what is not written is free."""
import os
import subprocess

import pytest

from mesh_tool import MESH, console, mesh

HEAD = '#include "meshputer.hpp"\n#include <array>\n#include <cstdio>\n'
# Each node writes its own pages, another one in each round, and the rest is as it was loaded.
PAGES = HEAD + """
constexpr unsigned kPages = 12, kWords = 1024;
std::array<unsigned, kPages * kWords> zeroes;
std::array<unsigned, kPages * kWords> sevens = [] { // written before the program is entered
    std::array<unsigned, kPages * kWords> all{};
    all.fill(7);
    return all;
}();
constexpr std::array<unsigned, 3> kStarts{5, 6, 7};
std::array<unsigned, 3> starts = kStarts;

mesh::Process app_main(mesh::Kernel& node) {
    const unsigned self = mesh::index(node.id());
    unsigned wrong = starts == kStarts ? 0 : 1;
    starts[1] = 100 + self;
    std::array<unsigned, kPages> mine{};
    for (unsigned round = 0; round < 4; ++round) {
        const unsigned page = (self + 5 * round) % kPages;
        mine[page] = 1000 * round + self + 1;
        zeroes[page * kWords + self] = mine[page];
        sevens[page * kWords + self] = mine[page];
        if (co_await mesh::barrier(node) != mesh::Status::ok)
            co_return mesh::Status::failed;
    }
    for (unsigned at = 0; at < zeroes.size(); ++at) {
        const unsigned written = at % kWords == self ? mine[at / kWords] : 0;
        wrong += zeroes[at] != written;
        wrong += sevens[at] != (written != 0 ? written : 7);
    }
    printf("%u wrong\\n", wrong + (starts[1] == 100 + self ? 0 : 1));
    co_return wrong == 0 ? mesh::Status::ok : mesh::Status::failed;
}
"""
LARGE = HEAD + """
std::array<char, 200'000> large;
mesh::Process app_main(mesh::Kernel& node) {
    const auto self = mesh::index(node.id());
    large[70'000] = static_cast<char>(self);
    const auto status = co_await mesh::barrier(node);
    co_return large[70'000] == static_cast<char>(self) ? status : mesh::Status::failed;
}
"""


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """Programs that are built on the way stay out of the user's own folder."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))
    yield
    del os.environ["XDG_CACHE_HOME"]


def test_each_node_has_the_pages_that_it_wrote_and_the_others_as_they_were_loaded(tmp_path):
    source = tmp_path / "pages.cpp"
    source.write_text(PAGES)
    for more in (), ("--order", "drawn:3"), ("--faults", "drop:0.1,dup:0.1", "--seed", 5):
        outcome = mesh("run", "--engine", "sim", "--dim", 4, "--app", source, *more)
        assert outcome.status == 0, outcome
        assert console(outcome) == {node: ["0 wrong"] for node in range(16)}, outcome


def test_a_node_that_is_reset_finds_its_globals_as_they_were_loaded(tmp_path):
    source = tmp_path / "starts.cpp"
    source.write_text(HEAD + """
std::array<unsigned, 5000> counts; // of some pages
mesh::Process app_main(mesh::Kernel& node) {
    for (unsigned& count : counts)
        ++count;
    printf("%u %u\\n", counts.front(), counts.back());
    if (node.id() == mesh::NodeId{1})
        for (unsigned number = 0; number < 20; ++number)
            std::ignore = co_await mesh::send_value(node, number, mesh::NodeId{0}, 5);
    else if (node.id() == mesh::NodeId{0})
        for (unsigned number = 0; number < 20; ++number)
            std::ignore = co_await mesh::receive_value(node, number, mesh::NodeId{1}, 5);
    co_return mesh::Status::ok;
}
""")
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", source, "--faults",
                   "restart:1@9", "--timeout", 2)
    assert console(outcome).get(1) == ["1 1", "1 1"], outcome


def test_a_large_array_costs_a_node_only_the_page_that_it_writes(tmp_path):
    source = tmp_path / "large.cpp"
    source.write_text(LARGE)
    program = tmp_path / "large" # built before: a compiler's memory would count below
    assert mesh("build", source, "-o", program).status == 0
    largest = {}
    for dim in 1, 8:
        command = [MESH, "run", "--engine", "sim", "--dim", dim, "--app", program]
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        largest[dim] = usage.ru_maxrss
    assert largest[8] - largest[1] < 24 << 10, largest # KiB; whole copies are 50 MiB
