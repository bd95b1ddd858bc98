// Debug information: what each process of a node waits for, as the host tool or a debugger reads it
// from the memory of the node. It tells why a mesh has come to rest before its end.
//
// The kernel notes nothing for it and has no code for it. A process awaits an object in its
// coroutine frame, whose function `ask` tells its class. The offsets of the fields of each class
// are a table in a section of the image that no board loads (`mesh_waits`). So the waits of a node
// can be read also when it does not answer any more.
#pragma once

#include "core/base/types.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mesh {

/// The kind of a wait, or of another object that the table describes, with what `at` holds of it:
/// offsets of fields.
enum class WaitKind : std::uint8_t {
    condition, // one of its own
    slot,      // no wait: ProcessSlot; at: its frame, what it waits for, bytes of a slot
    waiting,   // no wait: Waiting; at: its function `ask`, bytes of it, when to ask at the latest
    mail,      // at: a Match; where a 1 says that there is one, or 0; the kind if there is none
    process,   // the end of another one; at: a ProcessId
    taking,    // that its message is taken; at: to whom, the message's tag
    buffer,    // one of the pool
    time,
    channel,  // of its node; at: 1: that it is written to; 2: that it is read
    children, // below it in a tree, that they take packets
    turn,     // its next one: it gave way
    request,  // the end of one of several
    begun,    // that a neighbour begins a collective, too; at: as of mail
    mpi,      // a message of MPI; at: mpi::Awaited
    link_event,
    attempt, // it may be given up; at: a pointer to what it waits for
    // An alternative: the names of its guards' classes are arguments of its own class. at: them.
    alternative, // one behind the other, as the members of detail::Guards
    row,         // of one class, as a std::span
    // no waits, but guards; at: a field of it (Match, or none), its bytes, its alignment
    mail_guard,
    channel_guard,
    time_guard,
    link_guard,
    conditional_guard // a guard, whose class is its argument, then a bool: false leaves it out
};

/// Where the objects of one class have their fields.
struct WaitOffsets {
    static constexpr std::size_t kNameBytes = 56;

    std::array<char, kNameBytes> name{}; // of the class, as a demangler writes it
    WaitKind kind{};
    std::array<std::uint16_t, 3> at{}; // bytes from its beginning

    /// `its_name`: fewer than kNameBytes + 1 characters, else it does not compile. `first` to
    /// `third`: WaitOffsets::at.
    constexpr WaitOffsets(std::string_view its_name, WaitKind its_kind, std::size_t first = 0,
                          std::size_t second = 0, std::size_t third = 0)
        : kind(its_kind),
          at{static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(second),
             static_cast<std::uint16_t>(third)} {
        std::size_t length = 0;
        for (const char letter : its_name) // too long a name does not compile
            name.at(length++) = letter;
    }
};
static_assert(sizeof(WaitOffsets) == 64, "compilers leave no room between tables of these");

} // namespace mesh

/// Puts tables of offsets into the section; the linker script knows it by this name too.
#define MESH_WAIT_OFFSETS [[gnu::section("mesh_waits"), gnu::used]]
