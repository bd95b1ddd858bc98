// Two ends of one cable in one region of memory: the link that nodes run, a small pool at each end,
// and the frames on their way. Whatever may happen to them is an action; a state can be saved, put
// back, and written without what does not matter (which buffer, what time, how large a number), so
// that states which go on alike are one.
//
// Packets of one end have numbers in the order in which they were offered. What must hold, and is
// looked at after every action: a packet is accepted after those before it, once; one that the
// sender was told to have arrived was accepted; a number that is skipped was given up with a
// session of the link; pools, queues and windows are counted right.
#pragma once

#include "kernel/links/link.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace mesh::model {

struct Limits {
    unsigned buffers = 3; // of each end
    unsigned window = 2;  // frames in flight
    unsigned frames = 2;  // in each direction of the cable
    bool one_way = false; // only the first end offers packets
    bool lives = true;    // links may die, and ends begin anew
};

struct Action {
    enum class Kind : std::uint8_t {
        send,    // the end's next frame goes to the cable
        deliver, // the cable's next frame arrives
        drop,
        twice,
        swap,
        corrupt, // it arrives with a damaged packet
        offer,   // a process has a packet
        consume, // a process has taken one
        rest,    // the node has nothing else to do
        timer,
        death, // the last one in vain
        hello,
        restart,
        kCount
    };
    Kind kind{};
    std::uint8_t end = 0; // that does it, or that the frame goes to
};
std::string words_of(const Action& action);

class LinkWorld {
public:
    using Snapshot = std::vector<std::byte>;

    explicit LinkWorld(const Limits& limits);
    LinkWorld(const LinkWorld&) = delete;
    LinkWorld& operator=(const LinkWorld&) = delete;

    bool possible(const Action& action) const;
    /// Does it; what must not be then, or nothing. Precondition: possible(action).
    const char* act(const Action& action);

    std::size_t snapshot_bytes() const { return snapshot_bytes_; }
    void save(std::byte* to) const;
    void restore(const std::byte* from);
    /// The state as words; those that go on alike have the same.
    const std::vector<std::uint32_t>& state();
    /// Without further faults every packet arrives and both ends come to rest, or what goes wrong.
    const char* come_to_rest();

private:
    static constexpr unsigned kBuffersMax = 6;
    static constexpr unsigned kFramesMax = 4;

    struct Frame {
        wire::LinkHeader header;
        std::uint32_t number;
    };
    struct Cable {
        unsigned count;
        std::array<Frame, kFramesMax> frames;
    };
    /// The packets that the end's processes have, and the observations about it.
    struct Books {
        std::array<PacketBuffer*, kBuffersMax> held{}; // accepted and not consumed, oldest first
        unsigned held_count = 0;
        unsigned starts = 0;
        std::uint32_t offered = 0;  // last number
        std::uint32_t accepted = 0; // last number of the other end's
    };
    struct End : Books {
        explicit End(const Limits& limits);
        std::array<PacketBuffer, kBuffersMax> buffers;
        std::array<PortSlot, kBuffersMax> slots;
        LinkContext context;
        Link link;
    };
    struct Region {
        std::byte* from;
        std::size_t bytes;
    };

    void add_region(void* from, std::size_t bytes);
    void send(unsigned end);
    const char* take(unsigned end, const Frame& frame, bool damaged);
    const char* accept(unsigned end, std::uint32_t number);
    void offer(unsigned end);
    void consume(unsigned end);
    void restart(unsigned end);
    void fire(unsigned end, bool last);
    void give_up(unsigned end);
    bool has_outstanding(unsigned end, std::uint32_t number) const;
    const char* check(unsigned end) const;
    void write_end(unsigned end);
    void write_frame(unsigned to, const Frame& frame);
    void rank_packets(unsigned number);
    std::uint32_t rank(unsigned number, std::uint32_t packet) const;
    bool may_be_accepted(unsigned to, const Frame& frame) const;
    const char* settle();

    Limits limits_;
    End ends_[2];
    Cable cables_[2]{}; // by receiver
    std::vector<Region> regions_;
    std::size_t snapshot_bytes_ = 0;
    std::vector<std::uint32_t> words_;
    std::vector<std::uint32_t> ranked_[2]; // numbers of packets of each end that matter
};

} // namespace mesh::model
