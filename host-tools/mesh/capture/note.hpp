// The loom's thread notes a frame for the thread that makes the file: the note and, behind it, the
// bytes that are kept. Whole blocks of the file are passed on in the same way.
#pragma once

#include "host-tools/mesh/cables/tap.hpp"

#include <cstdint>

namespace mesh::host {

struct Note {
    enum class What : std::uint8_t {
        blocks,   // whole blocks of the file
        went_in,  // a frame goes into a cable
        came_out, // it comes out
        through,  // both, with nothing noted in between and the same bytes
    };
    std::uint64_t id = 0;       // of the frame
    std::uint64_t in_time = 0;  // as in the file
    std::uint64_t out_time = 0; // as in the file
    std::uint32_t in_wire = 0;
    std::uint32_t out_wire = 0;
    std::uint32_t bytes = 0; // of the whole frame
    std::uint32_t kept = 0;  // that follow
    FrameFaults faults;
    What what = What::blocks;
    bool nobody = false; // see Tap
    bool second = false; // see Transit
};

} // namespace mesh::host
