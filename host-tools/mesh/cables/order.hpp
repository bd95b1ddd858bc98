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
//
// An order by turns (turns.hpp) has other choices: a process of a program goes on only when all
// that the processes before it have sent has arrived, and where several can go on, the first of
// them does or is put off. `--order turns:0` puts off the first one at the first choice.
#pragma once

#include "core/base/types.hpp"
#include "faults.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// The order that a run is to have: these put-offs, or those that a number draws with the seed.
struct OrderPlan {
    std::vector<std::uint32_t> put_off; // ascending
    std::optional<std::uint64_t> drawn;
    std::uint64_t seed = 1;
    bool by_turns = false;
};

/// In front of an order by turns.
inline constexpr std::string_view kByTurns = "turns:";

/// "none", "12,40" (ascending) or "drawn:7", or one of them behind kByTurns; nothing if it is none
/// of them. The seed is 1.
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

/// A process that can go on, by its node and the slot that it has there.
struct Turn {
    NodeId node;
    std::uint8_t slot;
    auto operator<=>(const Turn&) const = default;
};

/// Makes the choices of an order by turns in place of an OrderPlan.
class TurnChooser {
public:
    virtual ~TurnChooser() = default;
    /// The number of the process that goes on, of these, from 0. All that was sent has arrived.
    virtual std::size_t choose(std::span<const Turn> ready) = 0;
    /// Something has arrived at `node` that its processes may see.
    virtual void reached(NodeId node) = 0;
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
    /// `chooser`, which may be nullptr: makes the choices of turns.
    Order(const OrderPlan& plan, std::uint32_t nodes, TurnChooser* chooser = nullptr);

    /// Choices begin: the nodes have come up, and the work begins.
    void begin() { begun_ = true; }
    /// Makes the next choice. True: the first thing, which this is about, is put off.
    bool puts_off(const Choice& choice);
    /// Makes the next choice of turns: which of these goes on, from 0. Precondition: not empty.
    std::size_t next_of(std::span<const Turn> ready);
    bool has_begun() const { return begun_; }
    const OrderTaken& taken() const { return taken_; }

private:
    bool wants(const Choice& choice);
    std::size_t drawn_of(std::span<const Turn> ready);

    OrderPlan plan_;
    std::size_t next_ = 0; // of plan_.put_off
    Rng dice_;
    double chance_ = 0;         // that a thing is put off
    std::vector<bool> is_slow_; // by node: most of what it sends is put off
    TurnChooser* chooser_;
    std::map<Turn, std::uint64_t> urgency_; // of drawn turns: the most urgent one goes on
    OrderTaken taken_;
    bool begun_ = false;
};

} // namespace mesh::host
