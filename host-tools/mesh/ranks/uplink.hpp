// The other ranks of a run whose nodes several processes share, on one machine or on several: each
// rank has the emulators of its part of the network (parts.hpp), rank 0 has the loom and
// drives the run. All frames cross the loom of rank 0, so every order, fault, report and capture is
// that of one process.
//
// Between rank 0 and each of the others go packets of messages. A packet is what was sent between
// two calls of flush(), and comes whole: frames that one process would hand over as one batch reach
// their node as one batch.
#pragma once

#include "core/base/types.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mesh::host {

/// The purpose of a message.
enum class What : std::uint8_t {
    // from rank 0
    begin, // the run begins: the others wait for its orders
    start, // a node, which may have run before; bytes: how often, an unsigned
    kill,  // a node
    look,  // into a node: `detail` is a Look
    end,   // of the run
    // to rank 0
    ready,   // bytes: a digest of its programs (commands/rank_run.cpp)
    refused, // bytes: why it cannot have its nodes
    failed,  // bytes: why it cannot go on
    started, // the node that was to be started anew
    words,   // of the node's emulator
    gone,    // the node's cables are closed
    ended,   // the node's process; bytes: how
    crowded, // too much waits for the node; `detail`: the port of most of it
    cables,  // bytes: how many bytes nodes have put on their cables so far, a number of 64 bits
    seen,    // the answer to `look`; no bytes: nothing
    alive,   // nothing, but that the rank lives
    // both ways
    frame, // of a node, or to it
};

struct Message {
    What what = What::alive;
    std::uint8_t detail = 0;
    NodeId node{0};
    std::span<std::byte> bytes{}; // that nobody else uses
};

/// A rank as all others know it.
struct RankFacts {
    std::string host;
    unsigned cores = 1;
    bool same_host = false; // as that of rank 0
};

class Uplink {
public:
    virtual ~Uplink() = default;

    virtual unsigned rank() const = 0;
    /// Two or more.
    virtual unsigned ranks() const = 0;
    virtual const RankFacts& facts(unsigned rank) const = 0;
    /// "rank 1 on host nodes-b".
    std::string name(unsigned rank) const;
    /// Ranks on the host of this one, which is one of them.
    unsigned ranks_here() const;
    /// Cores of all hosts together.
    unsigned cores() const;

    /// Appends a message to the packet for a rank: for rank 0, or from it. Copied.
    virtual void send(unsigned to, What what, NodeId node = NodeId{0},
                      std::span<const std::byte> bytes = {}, std::uint8_t detail = 0) = 0;
    /// Sends the packets. Bytes that the network does not take now go out later, by flush() and
    /// next(); a rank other than 0 waits while too many are left. RunError: a rank does not read.
    virtual void flush() = 0;
    /// Takes the next message that has come whole, and says from which rank; nothing if there is
    /// none. Its bytes are valid until the next call. RunError: a rank is gone, or has said nothing
    /// for too long, or what it says has no sense.
    virtual std::optional<Message> next(unsigned& from) = 0;
    /// Readable when next() may give something, or flush() may send more.
    virtual int descriptor() const = 0;
};

/// The message of any rank that comes within `timeout`; nothing if none does. RunError.
struct Told {
    unsigned from;
    Message message;
};
std::optional<Told> wait_for(Uplink& uplink, std::chrono::milliseconds timeout);

} // namespace mesh::host
