// build: --engine sim
// Each node writes pages of its own; the rest stays as it was loaded.
#include "meshputer.hpp"

#include <array>
#include <cstdio>

#ifndef PAGES
#define PAGES 12 // together so many that they are mapped, not copied
#endif
constexpr unsigned kPages = PAGES, kWords = 1024;
std::array<unsigned, kPages * kWords> zeroes;
constexpr unsigned kSevens = kPages * kWords;
std::array<unsigned, kSevens> sevens = [] { // written before the program is entered
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
    printf("%u wrong\n", wrong + (starts[1] == 100 + self ? 0 : 1));
    co_return wrong == 0 ? mesh::Status::ok : mesh::Status::failed;
}
