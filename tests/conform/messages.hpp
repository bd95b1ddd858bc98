// The commands of the driver of `make conform` to the image that it runs on a board.
//
// A command is a host frame with HostTag::job whose payload is a Command; answers are console text,
// a line each. What is asked is in firmware/hal/conform.hpp.
#pragma once

#include <cstdint>

namespace mesh::conform {

enum class What : std::uint32_t {
    sizes = 1, // says what the board has
    print,     // `first` bytes in one line
    lengths,   // by `port`, frames of `first`, + `step`, .. to `last` bytes of payload and one more
               // (0: no packet), each back before the next
    flood,     // by all ports at once for `first` milliseconds, all back in the end
    send,      // by `port` `first` frames of the largest kind, one after the other
    sleep,     // takes nothing for `first` milliseconds
    counts,    // says what has come by ports since the last time
    alarm,     // waits for `first` microseconds
    check,     // a check fails
    halt,      // the same while a frame to the host is leaving
    recurse,   // until the stack is full
    hang,
};

struct Command {
    What what;
    std::uint32_t port;
    std::uint32_t first;
    std::uint32_t last;
    std::uint32_t step;
};

} // namespace mesh::conform
