// The packets on their way in a run that has an order of its own (order.hpp): one leaves its cable
// at a time, the order says which. Packets of one cable leave it by their model time, as in
// lockstep.
//
// A packet overtakes only those that are due at most kOvertakenTicks before it, and no timer is due
// before a packet whose model time has come. So a program that waits for longer than that many
// ticks, and hears nothing, is right to say so in every order.
#pragma once

#include "core/base/types.hpp"
#include "lockstep.hpp"
#include "order.hpp"

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace mesh::host {

/// Model time by which packets may be put off, in ticks.
inline constexpr wire::ModelTime kOvertakenTicks = 16 * wire::kTicksPerUnit;

class OrderedFrames {
public:
    /// `order` outlives this. `from`, `to`: the nodes at the two ends of a wire of the loom.
    struct Ends {
        std::function<NodeId(std::uint32_t wire)> from, to;
    };
    OrderedFrames(Order& order, Ends ends);

    void hold(Held&& frame, wire::ModelTime due);
    bool empty() const { return heads_.empty(); }
    /// The earliest model time of any packet that could leave now; kNever if there is none.
    wire::ModelTime earliest() const;
    /// The packet that leaves next, and its model time. Precondition: not empty().
    struct Leaving {
        Held frame;
        wire::ModelTime due;
    };
    Leaving take();

private:
    /// Heads of cables in the order in which they leave if none is put off.
    struct Head {
        wire::ModelTime time; // that it is due, or is put off to
        std::uint64_t place;  // as Held::place; behind all of that time if it is put off
        std::uint64_t number;
        std::uint32_t wire;
        auto operator<=>(const Head&) const = default;
    };
    static constexpr std::uint64_t kBehindAll = ~std::uint64_t{0};

    /// The packets of a cable, by the time that they are due and in the order of their coming.
    struct Wire {
        std::map<std::pair<wire::ModelTime, std::uint64_t>, Held> waiting;
        Head head; // of the first of them, as heads_ has it
    };

    void add_head(Wire& wire);
    void remove_head(const Wire& wire);
    bool put_off_first();

    Order& order_;
    Ends ends_;
    std::unordered_map<std::uint32_t, Wire> wires_; // by number; none is empty
    std::set<Head> heads_;
    std::multiset<wire::ModelTime> due_; // of heads
    std::uint64_t put_offs_ = 0;
};

} // namespace mesh::host
