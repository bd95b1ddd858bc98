// What the programs of a schedule do, and what became of it: every message that was sent, every one
// that was taken, how each node ended. check() says what of it must not be.
//
// Messages. A send that said ok was taken, once in a life of its receiver, every byte right, and
// those of one node to another in the order in which they were sent, also over several lives of
// both. One that said unreachable was taken at most once. If no cable was cut, no node stopped
// and no link given up, all say ok.
// Collectives. Who ends with ok has the right data; all, if nothing of that has happened.
#pragma once

#include "kernel/api/message.hpp"
#include "world.hpp"

#include <deque>
#include <string>
#include <vector>

namespace mesh::soak {

/// What the programs do; all of it follows from the seed.
struct Work {
    enum class Kind : std::uint8_t { messages, collectives };
    std::uint64_t seed = 0;
    Kind kind = Kind::messages;
    unsigned senders = 1;  // processes of a node that send
    unsigned messages = 1; // of each; or rounds of collectives
    unsigned packets = 1;  // of a message, at most
};

struct Sent {
    std::uint32_t number; // among all of the schedule
    unsigned from, from_life, to;
    std::uint32_t bytes;
    bool ended = false;
    Status status = Status::failed;
};
struct Taken {
    std::uint32_t number;
    unsigned by, by_life;
};

class Story {
public:
    Story(const Work& work, World& world) : work_(work), world_(world) {}

    const Work& work() const { return work_; }
    World& world() { return world_; }

    Sent& begin_send(NodeId from, NodeId to, std::uint32_t bytes);
    void end_send(Sent& sent, Status status);
    void note_taken(std::uint32_t number, NodeId by);
    void note_wrong(std::string what);
    /// The programs of `node` are to end.
    void expect(NodeId node, unsigned processes);
    void note_end(NodeId node, Status status);

    /// All that should end has ended.
    bool ended() const;
    /// Where something has not; empty: nowhere.
    std::string waits() const;
    /// What must not be; empty: nothing. `all_well`: nothing has happened that may cost a message.
    std::string check(bool all_well) const;

    std::size_t sent() const { return sent_.size(); }
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
    std::deque<Sent> sent_; // sources of bytes point into it
    std::vector<Taken> taken_;
    std::vector<Open> open_;
    std::vector<Status> ends_;
    std::string wrong_;
};

/// Of the schedule that runs.
inline Story* story = nullptr;

/// The program of every node.
Process program(Kernel& node);

} // namespace mesh::soak
