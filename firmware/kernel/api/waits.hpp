// What a process waits for, for who looks at a node from outside: why has a mesh come to rest
// before its end?
//
// Nothing is noted and no code is there for it. What a process awaits is an object in its frame,
// known by the name of its function `ask`; where such objects keep what they match is a list of
// numbers in a section of the image that no board loads. Who reads the memory of a node (the host
// tool; a debugger) finds all in it, also in a node that does not answer any more.
#pragma once

#include "core/base/types.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mesh {

enum class WaitKind : std::uint8_t {
    condition, // one of its own
    slot,      // no wait: ProcessSlot; at: its frame, what it waits for, bytes of a slot
    waiting,   // no wait: Waiting; at: its function `ask`, bytes of it
    mail,      // at: a Match; where a 1 says that there is one, or 0; the kind if there is none
    process,   // the end of another one; at: a ProcessId
    taking,    // that its message is taken; at: to whom, the message's tag
    buffer,    // one of the pool
    time,
    channel,  // of its node; at: 1: that it is written to; 2: that it is read
    children, // below it in a tree, that they take packets
    turn      // its next one: it gave way
};

/// Of one kind of objects.
struct WaitLayout {
    static constexpr std::size_t kNameBytes = 56;

    std::array<char, kNameBytes> name{}; // of the class, as a demangler writes it
    WaitKind kind{};
    std::array<std::uint16_t, 3> at{}; // bytes from its beginning

    constexpr WaitLayout(std::string_view its_name, WaitKind its_kind, std::size_t first = 0,
                         std::size_t second = 0, std::size_t third = 0)
        : kind(its_kind),
          at{static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(second),
             static_cast<std::uint16_t>(third)} {
        std::size_t length = 0;
        for (const char letter : its_name) // too long a name does not compile
            name.at(length++) = letter;
    }
};
static_assert(sizeof(WaitLayout) == 64, "compilers leave no room between tables of these");

} // namespace mesh

/// Puts layouts into the section; the linker script knows it by this name too.
#define MESH_WAIT_LAYOUTS [[gnu::section("mesh_waits"), gnu::used]]
