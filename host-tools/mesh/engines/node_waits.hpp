// Reads from a node's memory what each of its processes waits for: on either engine, whatever the
// node itself does. The offsets of kernel/api/waits.hpp say where each field is.
#pragma once

#include "kernel/api/waits.hpp"
#include "kernel/packets/mailbox.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mesh::host {

struct WaitsFor {
    WaitKind kind = WaitKind::condition;
    std::uint8_t process = 0;       // its slot; 0 is the program
    std::uint8_t other = 0;         // process: its slot; channel: 1 or 2, as WaitKind says
    Match match;                    // mail, begun
    NodeId to = kNoNode;            // taking, mpi
    Tag tag = 0;                    // taking
    std::int32_t mpi_tag = 0;       // mpi: as in mpi::Awaited
    bool mpi_send = false;          // mpi
    NodeId came_from = kNoNode;     // mpi: of a message that has come and is another one
    std::int32_t came_tag = 0;      // mpi
    std::vector<WaitsFor> guards{}; // alternative, row: the first ones that count
    std::uint64_t more = 0;         // row: guards beside those
    std::uint64_t wake = 0;         // when it is asked at the latest, as its node counts time
    std::uint32_t resumes = 0;      // place of the function that goes on, as in a wire::CrashRecord

    /// True if it is never asked because of a time.
    bool for_ever() const { return wake >= std::uint64_t{1} << 52; } // microseconds: 142 years
};

/// A node as it is seen from outside.
class ProcessMemory {
public:
    virtual ~ProcessMemory() = default;
    /// False if it cannot be read.
    virtual bool read(std::uint64_t address, std::span<std::byte> out) = 0;
    /// The function that begins there, as a demangler writes it; "" if that is not known.
    virtual std::string function_at(std::uint64_t address) = 0;

    /// The place of a function that begins there, as in a wire::CrashRecord; 0: not known.
    virtual std::uint32_t code_place(std::uint64_t /*address*/) { return 0; }

    std::uint64_t slots = 0;      // address of its first ProcessSlot
    std::uint64_t slot_count = 0; // as its image says; no more are read than a node can have
    unsigned pointer_bytes = 0;
    std::span<const WaitOffsets> offsets;
};

/// The waits of all processes that wait, in the order of their slots.
std::vector<WaitsFor> waits_in(ProcessMemory& memory);
/// The wait of the blocked process in one slot. Precondition (promise): the memory has offsets.
WaitsFor wait_in(ProcessMemory& memory, unsigned slot);
/// The wait of a process for the object at this address.
WaitsFor wait_at(ProcessMemory& memory, std::uint64_t object);
/// " with tag 3", " on channel 2".
std::string tag_words(Tag tag);
/// "a message with tag 3 from node 1".
std::string describe(const Match& match);
/// The thing that is waited for, in words: "a message with tag 3 from node 1".
std::string describe(const WaitsFor& waiting);

/// The offsets of this process's own nodes.
std::span<const WaitOffsets> own_wait_offsets();

} // namespace mesh::host
