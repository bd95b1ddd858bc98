// Makes the packet blocks of a capture from the loom's notes. This costs time, so it is done in the
// thread that writes the file. The faults of a frame, and repetitions, become its comments here.
#pragma once

#include "block_buffer.hpp"
#include "note.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mesh::host {

class PacketBlocks {
public:
    /// Every node has `ports` of the `wires`.
    PacketBlocks(std::size_t wires, unsigned ports) : ports_(ports), senders_(wires) {}

    /// The blocks of these notes, which stay until the next call.
    std::span<const std::byte> of(std::span<const std::byte> notes);

private:
    /// The frames lately sent at one end, to recognise those that are sent again.
    struct Sender {
        static constexpr std::size_t kKept = 32; // two windows
        struct Sent {
            std::uint32_t packet_crc = 0;
            std::uint16_t sequence = 0;
            std::uint16_t times = 0;
        };
        std::array<Sent, kKept> recent;
        std::uint16_t session = 0xFFFF;
        bool taken_back = false; // the last epoch ended with a refusal
    };

    void went_in(const Note& note, std::span<const std::byte> frame);
    void came_out(const Note& note, std::span<const std::byte> frame);
    void describe(const FrameFaults& faults, bool comes_out);
    void again(Sender& sender, std::span<const std::byte> frame);
    void say(std::string_view words);
    std::byte* add(const Note& note, std::uint32_t wire, std::uint64_t time, std::uint32_t flags,
                   std::span<const std::byte> frame);

    unsigned ports_;
    std::vector<Sender> senders_;
    BlockBuffer blocks_;
    std::string comment_;
};

} // namespace mesh::host
