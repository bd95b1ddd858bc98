// The arithmetic of allgather and alltoall on the cube: in each cycle which blocks a node gives
// across which dimension, and which it gets. Every node is the root of a tree of its own, so
// addresses are relative to whom a block is from; who crosses what in which cycle is said by
// core/schedules/cycles.hpp.
#include "core/schedules/cycles.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "why.hpp"

#include <algorithm>
#include <array>

namespace mesh::host {

namespace {

/// Of larger cubes blocks are counted, not named.
constexpr unsigned kNamedDimMax = 4;

class Blocks {
public:
    Blocks(const ExchangePlan& plan, NodeId node)
        : plan_(plan),
          node_(index(node)),
          of_cycle_(cycle_count(cycles())) {
        for_each_crossing(cycles(), [this](unsigned cycle, const Crossing& crossing) {
            of_cycle_[cycle][crossing.port].push_back(crossing);
        });
    }

    void add_to(Reason& reason) const {
        for (unsigned cycle = 0; cycle < of_cycle_.size(); ++cycle)
            if (plan_.network.dim > kNamedDimMax)
                reason.add("{}", counted(cycle));
            else
                for (unsigned port = 0; port < plan_.network.dim; ++port)
                    if (!of_cycle_[cycle][port].empty())
                        reason.add("{}", named(cycle, port));
    }

private:
    using Crossings = std::vector<Crossing>;

    bool gathers() const { return plan_.op == "allgather"; }
    CyclePlan cycles() const {
        return {Hypercube{plan_.network.dim}, plan_.tree, plan_.schedule,
                plan_.ports != PortModel::all, gathers()};
    }
    std::string label(std::uint32_t node) const { return label_of(plan_.network, node_at(node)); }

    /// "010 and 011", of nodes or other addresses, each once, in order.
    std::string labels(std::vector<std::uint32_t> numbers) const {
        std::sort(numbers.begin(), numbers.end());
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        std::string text;
        for (std::size_t at = 0; at < numbers.size(); ++at)
            text += fmt::format("{}{}",
                                at == 0                    ? ""
                                : at + 1 == numbers.size() ? " and "
                                                           : ", ",
                                label(numbers[at]));
        return text;
    }

    /// The load of a link from `from`: "the blocks of 010 and 011", or "010 to 001, 011 to 000".
    std::string load(std::uint32_t from, const Crossings& crossings) const {
        std::string text;
        std::vector<std::uint32_t> sources;
        for (const Crossing& crossing : crossings) {
            const std::uint32_t source = from ^ crossing.tail;
            sources.push_back(source);
            text += fmt::format("{}{}{}", text.empty() ? "" : ", ", part(crossing), label(source));
            if (!gathers())
                text += " to " + label(source ^ crossing.block);
        }
        if (!gathers() || crossings.front().pieces != 1)
            return text;
        return fmt::format("the block{} of {}", crossings.size() == 1 ? "" : "s",
                           labels(std::move(sources)));
    }
    static std::string part(const Crossing& crossing) {
        return crossing.pieces == 1
                   ? std::string{}
                   : fmt::format("part {} of {} of ", crossing.piece + 1, crossing.pieces);
    }

    std::string named(unsigned cycle, unsigned port) const {
        const Crossings& crossings = of_cycle_[cycle][port];
        const std::uint32_t other = node_ ^ (1u << port);
        std::vector<std::uint32_t> relative;
        for (const Crossing& crossing : crossings)
            relative.push_back(crossing.block);
        const bool one = labels(relative).size() == plan_.network.dim;
        return fmt::format(
            "Cycle {}, across {} with {}: gives {}; gets {}: {} {}, to which the path{} in {} "
            "cross{} {} {}.",
            cycle + 1, port, label(other), load(node_, crossings), load(other, crossings),
            gathers() ? fmt::format("{} xor", label(node_)) : "source xor target is",
            labels(relative), one ? "" : "s", name(plan_.tree), one ? "es" : "", port,
            gathers() ? "last" : "now");
    }
    std::string counted(unsigned cycle) const {
        std::string text;
        for (unsigned port = 0; port < plan_.network.dim; ++port)
            if (const std::size_t count = of_cycle_[cycle][port].size(); count != 0)
                text += fmt::format("{}{} with {} across {}", text.empty() ? "" : ", ", count,
                                    label(node_ ^ (1u << port)), port);
        return fmt::format("Cycle {}: exchange so many blocks: {}.", cycle + 1,
                           text.empty() ? "none" : text);
    }

    const ExchangePlan& plan_;
    std::uint32_t node_;
    std::vector<std::array<Crossings, kDimMax>> of_cycle_;
};

} // namespace

Reason why_blocks(const ExchangePlan& plan, NodeId node) {
    Reason reason;
    Blocks{plan, node}.add_to(reason);
    return reason;
}

} // namespace mesh::host
