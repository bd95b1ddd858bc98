// The work of a schedule's programs, and its outcome: every message that was sent, every one that
// was taken, how each node ended. check() finds outcomes that must not be.
//
// Messages. A send that said ok was taken, once in a life of its receiver, every byte right, and
// those of one node to another in the order in which they were sent, also over several lives of
// both. One that said unreachable was taken at most once. If no cable was cut, no node stopped
// and no link given up, all say ok.
// Collectives. A node that ends with ok has the right data; all do, if none of that has happened.
//
// Storms are messages of more processes to fewer goals. In a sequence all calls are under one tag.
// Where programs end, a message to one that has ended, or that it drops, says unreachable, and one
// that it has taken says ok. After flaps, when all cables are whole again and all nodes have met,
// everything is ok, however late a node is.
#pragma once

#include "kernel/api/message.hpp"
#include "ledger.hpp"
#include "world.hpp"

#include <deque>
#include <string>
#include <vector>

namespace mesh::soak {

/// The work of the programs; all of it follows from the seed.
struct Work {
    enum class Kind : std::uint8_t { messages, collectives, storm, sequence, ends, flaps, parts };
    /// Parts that are drawn: all there are; calls and floods of which a node begins many late;
    /// those in which a node that begins anew takes part again.
    enum class Choice : std::uint8_t { any, late, again };
    std::uint64_t seed = 0;
    Kind kind = Kind::messages;
    unsigned senders = 1;  // processes of a node that send; or parts at a time
    unsigned messages = 1; // of each; or rounds of collectives, or of a part
    unsigned packets = 1;  // of a message, at most
    unsigned goals = 0;    // of a storm: 0: any node; 1: `first`; 2: `first` and `second`
    unsigned first = 0, second = 0;
    unsigned per_cent = 0; // of its messages go there
    bool one_tag = false;  // for all calls of a sequence
    Choice choice = Choice::any;
    std::uint32_t left_out = 0; // parts that nobody runs, a bit for each
    // Of parts: faults may cost something, and whose programs end early, a bit for each node.
    bool may_miss = false;
    bool slow = false; // frames are so late that a detour may take longer than who asks waits
    std::uint32_t ends = 0;
};

struct Sent {
    std::uint32_t number; // among all of the schedule
    unsigned from, from_life, to;
    std::uint32_t bytes;
    unsigned lane; // messages of different ones have no order
    bool ended = false, excused = false;
    Status status = Status::failed;
};
struct Taken {
    std::uint32_t number;
    unsigned by, by_life;
};

class Story {
public:
    /// `trace`: tells what happens.
    Story(const Work& work, World& world, bool trace)
        : ledger{world, work.ends, work.slow},
          work_(work),
          world_(world),
          trace_(trace) {}

    const Work& work() const { return work_; }
    World& world() { return world_; }

    Sent& begin_send(NodeId from, NodeId to, std::uint32_t bytes, unsigned lane = 0);
    /// `excused`: unreachable is right, whatever has happened.
    void end_send(Sent& sent, Status status, bool excused = false);
    void note_taken(std::uint32_t number, NodeId by);
    void note_wrong(std::string what);
    /// The programs of `node` are to end.
    void expect(NodeId node, unsigned processes);
    void note_end(NodeId node, Status status);
    /// A process of the node has dropped this message.
    void note_dropped(std::uint32_t number) { dropped_.push_back(number); }
    bool was_dropped(std::uint32_t number) const;
    /// No process of the node's program is left.
    bool has_ended(NodeId node) const;

    /// A process of the node has come to collective `call`; all have.
    void note_entered(unsigned call);
    bool all_entered(unsigned call) const;
    /// Memory that stays for as long as the schedule runs.
    std::span<std::byte> room(std::size_t bytes) {
        return rooms_.emplace_back(std::vector<std::byte>(bytes));
    }

    /// Printed, if the schedule is traced.
    void tell(const std::string& words) const;

    /// A number that does so.
    unsigned& counter(unsigned value) { return counters_.emplace_back(value); }

    // Work in two parts: all nodes have come to the second, which may begin.
    void note_waiting() { ++waiting_; }
    bool all_wait() const { return waiting_ == world_.nodes(); }
    bool second_part = false;

    Ledger ledger;

    /// All that should end has ended.
    bool ended() const;
    /// Where something has not; empty: nowhere.
    std::string waits() const;
    /// The first outcome that must not be; empty: none. `all_well`: no event has happened that may
    /// cost a message.
    std::string check(bool all_well) const;

    std::size_t sent() const { return sent_.size(); }
    /// Of all that were sent, in packets of `packet_bytes`.
    std::uint64_t packets_of(unsigned packet_bytes) const;
    std::size_t taken() const { return taken_.size(); }

private:
    struct Open {
        unsigned node, life, processes;
    };
    bool is_gone(const Open& open) const {
        return !world_.alive(open.node) || world_.life(open.node) != open.life;
    }
    std::string check_sent(bool all_well) const;
    std::string check_order() const;

    Work work_;
    World& world_;
    bool trace_;
    std::deque<Sent> sent_; // sources of bytes point into it
    std::vector<Taken> taken_;
    std::vector<Open> open_;
    std::vector<Status> ends_;
    std::vector<std::uint32_t> dropped_;
    std::vector<unsigned> entered_;
    std::deque<std::vector<std::byte>> rooms_;
    std::deque<unsigned> counters_;
    unsigned waiting_ = 0;
    std::string wrong_;
};

/// Of the schedule that runs.
inline Story* story = nullptr;

/// The program of every node.
Process program(Kernel& node);

} // namespace mesh::soak
