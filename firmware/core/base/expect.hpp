// EXPECT: what a rule takes for granted of its caller, such as "not the root".
//
// A constant expression that breaks one does not compile. Programs of the host end there, with the
// line: the tests, which ask every rule about every node, are such programs. Firmware leaves the
// test out: kernel and collectives ask for nodes and ports that they have checked already
// (here.hpp; MESH_CHECK), and one more test in each of these functions would slow every packet
// down.
#pragma once

#ifndef __arm__
#include <cstdio>
#include <cstdlib>

namespace mesh {

/// Ends the program with what was expected and where.
[[noreturn]] inline void expectation_broken(const char* what, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: expected: %s\n", file, line, what);
    std::abort();
}

} // namespace mesh

#define MESH_EXPECT(condition)                                                                     \
    ((condition) ? static_cast<void>(0)                                                            \
                 : ::mesh::expectation_broken(#condition, __FILE__, __LINE__))
#else
#define MESH_EXPECT(condition) static_cast<void>(0)
#endif
