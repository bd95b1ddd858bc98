// The order of a run: which of the things that may happen next does.
//
// Lockstep lets the thing of the earliest model time happen, so every run of it has the same order.
// The nodes of a rig know many orders. Each of them can be told by put-offs: whenever several
// things may happen next there is a choice, and either the first of them happens, or it is put off
// behind the others. Choices are numbered from 0 in the order in which they are made. The order of
// a run is the set of the choices at which the first thing was put off; without any it is that of
// lockstep. So an order can be written down, made smaller by leaving numbers out, and all orders
// can be gone through by how many put-offs they have (delay-bounded scheduling: Emmi, Qadeer and
// Rakamaric, POPL 2011).
//
// Example: nodes 1 and 2 send to node 0. Choice 0: the frames of both may arrive. Put off at 0, the
// frame of node 1 arrives behind that of node 2: `--order 0`.
#pragma once

#include "core/base/types.hpp"
#include "faults.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// The order that a run is to have: these put-offs, or those that a number draws with the seed.
struct OrderPlan {
    std::vector<std::uint32_t> put_off; // ascending
    std::optional<std::uint64_t> drawn;
    std::uint64_t seed = 1;
};

/// "none", "12,40" (ascending) or "drawn:7"; nothing if it is none of them. The seed is 1.
std::optional<OrderPlan> order_of(std::string_view text);
/// The put-offs as order_of() reads them.
std::string numbers_of(const std::vector<std::uint32_t>& put_off);

/// The thing that a choice is about.
struct Choice {
    enum class What : std::uint8_t {
        frame,  // a packet from `node` to `other` arrives
        process // a process of `node` has its turn, before others that have not had theirs
    };
    What what;
    NodeId node;
    NodeId other;
};

/// The choices of a run, and how they were made.
struct OrderTaken {
    struct PutOff {
        std::uint32_t choice;
        Choice about;
    };
    std::uint32_t choices = 0;
    std::vector<PutOff> put_off;

    std::vector<std::uint32_t> numbers() const;
};

/// "at 12 the packet from node 1 to node 0".
std::string words_of(const OrderTaken::PutOff& put_off);

class Order {
public:
    Order(const OrderPlan& plan, std::uint32_t nodes);

    /// Choices begin: the nodes have come up, and the work begins.
    void begin() { begun_ = true; }
    /// Makes the next choice. True: the first thing, which this is about, is put off.
    bool puts_off(const Choice& choice);
    const OrderTaken& taken() const { return taken_; }

private:
    bool wants(const Choice& choice);

    OrderPlan plan_;
    std::size_t next_ = 0; // of plan_.put_off
    Rng dice_;
    double chance_ = 0;         // that a thing is put off
    std::vector<bool> is_slow_; // by node: most of what it sends is put off
    OrderTaken taken_;
    bool begun_ = false;
};

} // namespace mesh::host
