// All orders by turns of a run (cables/turns.hpp), each of those that differ once: dynamic
// partial-order reduction with source sets and sleep sets (Abdulla, Aronsson, Jonsson and Sagonas,
// Optimal dynamic partial order reduction, POPL 2014, algorithm 1).
//
// Two turns depend on each other if they are of one process, or if there is a node that both could
// see or be seen at: the node of a turn, and each to which a packet has come in it. Turns that do
// not depend give the same in either order. So after each turn the earlier ones on which it depends
// are looked at, and only where it could have gone before one of them is that tried, too.
//
// The process forks at each choice. The child goes on; the parent keeps the mesh as it was, and
// forks again for each process that is to go first there. So the beginning that several orders have
// in common is run once, and an order costs what comes behind its last choice.
//
// Example: node 0 takes a number of each of the nodes 1 and 2. The first run has the turns 1, 2, 0,
// 0. Those of 1 and 2 depend, as both reach node 0, and 2 could have been first: at the first
// choice the parent forks once more, for the order 2, 1, 0, 0. Node 0 cannot go before what wakes
// it.
#pragma once

#include "host-tools/mesh/cables/order.hpp"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace mesh::host {

class Explorer final : public TurnChooser {
public:
    /// Nodes beyond them count as one.
    static constexpr std::size_t kNodesMax = 1024;
    /// Choices of a run at which more than one process is tried.
    static constexpr std::size_t kDepthMax = 1000;

    /// The result of explore().
    struct Found {
        std::uint64_t runs = 0;
        std::uint64_t repeated = 0; // given up at the first turn by which they are one that was run
        bool all = false;           // there are no more
        bool failed = false;
        std::vector<std::uint32_t> put_off; // in the run that failed
    };

    /// At most so many runs, 1 at least; one more shows that there are more. RunError if there is
    /// no memory.
    explicit Explorer(std::uint64_t runs_max);
    Explorer(const Explorer&) = delete;
    Explorer& operator=(const Explorer&) = delete;
    ~Explorer() override;

    /// Calls `run`, which has this make its choices, in processes of their own whose output goes
    /// nowhere, in each order until one fails; `run` says whether it was right. Interrupted.
    template <class Run>
    Found explore(Run run) {
        if (begin())
            end(run());
        return await();
    }

    std::size_t choose(std::span<const Turn> ready) override;
    void reached(NodeId node) override { reached_.set(number_of(node)); }

private:
    using NodeSet = std::bitset<kNodesMax>;
    struct Level;
    struct Shared;
    /// A turn of this run.
    struct Step {
        Turn turn;
        std::vector<Turn> ready;    // that could have gone instead, and itself
        std::size_t level;          // of the choice; kNoLevel: no other was to be tried
        NodeSet reached{};          // with its own node
        std::vector<bool> before{}; // by number of a step: that has to come before this one
    };
    struct Asleep {
        Turn turn; // tried at an earlier choice, and nothing has gone since on which it depends
        NodeSet reached;
    };
    static constexpr std::size_t kNoLevel = ~std::size_t{0};

    static std::size_t number_of(NodeId node) { return std::min(index(node), kNodeLast); }
    static constexpr std::uint32_t kNodeLast = kNodesMax - 1;
    bool begin();
    [[noreturn]] void end(bool good);
    Found await();
    Turn tried(const Turn& first, std::size_t level);
    std::size_t take(std::span<const Turn> ready, const Turn& turn, std::size_t level);
    static std::size_t place_of(const Step& step);
    std::vector<std::uint32_t> put_offs() const;
    void end_step();
    void reverse(std::size_t earlier);
    bool is_asleep(const Turn& turn) const;

    Shared* shared_;
    pid_t root_ = -1;
    std::vector<Step> steps_;
    std::vector<Asleep> asleep_;
    NodeSet reached_; // since the last choice
    std::size_t levels_ = 0;
};

} // namespace mesh::host
