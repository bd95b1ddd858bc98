// ASCEND and DESCEND step by step on all networks of up to 8 dimensions, against their definition:
// one operation on every pair across each dimension in turn. Then what is made of them: prefix sums
// and bitonic sorting.
#include "core/schedules/ascend_steps.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace mesh {
namespace ascend_test {

constexpr unsigned kDims = 8;
constexpr PortModel kPortModels[] = {PortModel::all, PortModel::duplex, PortModel::half};

using Value = std::uint64_t;
using Values = std::vector<Value>; // by node
/// The new value of `node`, from those of the pair across `dim`.
using Operate = std::function<Value(NodeId node, Port dim, Value lower, Value upper)>;

std::string text(Network network, PortModel ports, AscendPass pass) {
    return std::string(name(network.topology)) + " n=" + std::to_string(network.dim) + " dims " +
           std::to_string(pass.dims) + (pass.down ? " down" : " up") + " ports " +
           std::to_string(static_cast<int>(ports));
}

/// f(network, ports) for all that can ascend.
template <class F>
void for_each_network(unsigned dims, F f) {
    for (const Topology topology : {Topology::cube, Topology::uhc})
        for (std::uint8_t n = topology == Topology::uhc ? 2 : 1; n <= dims; ++n)
            for (const PortModel ports : kPortModels)
                f(Network{topology, n}, ports);
}

template <class F>
void for_each_pass(unsigned dims, F f) {
    for_each_network(dims, [&](Network network, PortModel ports) {
        for (unsigned count = 0; count <= network.dim; ++count)
            for (const bool down : {false, true}) {
                const AscendPass pass{count, down};
                SCOPED_TRACE(text(network, ports, pass));
                f(network, ports, pass);
            }
    });
}

Values defined(AscendPass pass, Values values, const Operate& operate) {
    for (unsigned number = 0; number < pass.dims; ++number) {
        const Port dim = port_at(pass.down ? pass.dims - 1 - number : number);
        const Values old = values;
        for (std::uint32_t node = 0; node < values.size(); ++node) {
            const std::uint32_t bit = 1u << index(dim);
            values[node] = operate(node_at(node), dim, old[node & ~bit], old[node | bit]);
        }
    }
    return values;
}

constexpr Value kEmpty = 0xDEAD'BEEF;

/// Does the steps as the nodes would, all at once, and checks that the links can do them.
class Machine {
public:
    Machine(Network network, PortModel ports, const Values& values)
        : network_(network),
          ports_(ports) {
        for (const Value value : values)
            nodes_.push_back({value, kEmpty, kEmpty, kEmpty});
    }

    void run(AscendPass pass, const Operate& operate) {
        for (unsigned number = 0; number < ascend_rounds(network_, pass); ++number)
            run(ascend_round(network_, pass, number), operate);
    }

    Values values() const {
        Values own;
        for (const Places& places : nodes_)
            own.push_back(places[0]);
        return own;
    }
    unsigned steps() const { return steps_; }

private:
    using Places = std::array<Value, 4>;

    const AscendProgram& program(AscendRound round, std::uint32_t node) const {
        return ascend_program(network_, ports_, round, node_at(node));
    }

    static Value& at(Places& places, Place place) {
        return places.at(static_cast<std::size_t>(place));
    }

    void run(AscendRound round, const Operate& operate) {
        const unsigned steps = program(round, 0).steps;
        for (unsigned step = 0; step < steps; ++step) {
            exchange(round, step);
            for (std::uint32_t node = 0; node < nodes_.size(); ++node)
                for (const AscendOperation& operation : program(round, node).step[step].then)
                    apply(round, node, operation, operate);
        }
        for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
            ASSERT_EQ(program(round, node).steps, steps);
            std::swap(nodes_[node][0], at(nodes_[node], program(round, node).result));
            for (unsigned place = 1; place < 4; ++place)
                nodes_[node][place] = kEmpty; // nothing is left for the next round
        }
        steps_ += steps;
    }

    /// All sends of a step, and what must come of them.
    void exchange(AscendRound round, unsigned number) {
        const std::vector<Places> before = nodes_;
        std::vector<unsigned> arrived(nodes_.size());
        for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
            const AscendStep& step = program(round, node).step[number];
            const bool both = step.send != Place::none && step.receive != Place::none;
            EXPECT_FALSE(both && (ports_ == PortModel::half || step.send == step.receive));
            if (step.send == Place::none)
                continue;
            const Port out = ascend_ports(network_, round, program(round, node)).out;
            EXPECT_TRUE((out_ports(network_, node_at(node)) >> index(out)) & 1u);
            const std::uint32_t to = index(neighbor(network_, node_at(node), out));
            const AscendProgram& its = program(round, to);
            EXPECT_EQ(ascend_ports(network_, round, its).in, out);
            ASSERT_NE(its.step[number].receive, Place::none);
            Places from = before[node];
            at(nodes_[to], its.step[number].receive) = at(from, step.send);
            ++arrived[to];
        }
        for (std::uint32_t node = 0; node < nodes_.size(); ++node)
            EXPECT_EQ(arrived[node], program(round, node).step[number].receive != Place::none);
    }

    void apply(AscendRound round, std::uint32_t node, const AscendOperation& operation,
               const Operate& operate) {
        if (operation.result == Place::none)
            return;
        EXPECT_TRUE(operation.result != operation.mine && operation.result != operation.partners);
        EXPECT_LT(static_cast<unsigned>(operation.result), ascend_places(network_));
        const AscendPair pair = ascend_pair(round, operation, node_at(node));
        const Value mine = at(nodes_[node], operation.mine);
        const Value partners = at(nodes_[node], operation.partners);
        at(nodes_[node], operation.result) = pair.is_upper()
                                                 ? operate(pair.node, pair.dim, partners, mine)
                                                 : operate(pair.node, pair.dim, mine, partners);
    }

    Network network_;
    PortModel ports_;
    std::vector<Places> nodes_;
    unsigned steps_ = 0;
};

Values some_values(Network network) {
    Values values(node_count(network));
    for (std::size_t node = 0; node < values.size(); ++node)
        values[node] = (node + 1) * 0x9E37'79B9'7F4A'7C15u;
    return values;
}

/// Tells every operand, node and dimension apart.
Value mixed(NodeId node, Port dim, Value lower, Value upper) {
    Value value = lower * 31 + (upper ^ (upper >> 29)) * 0xBF58'476D'1CE4'E5B9u;
    value += index(node) * 1000003u + index(dim) * 77u;
    return (value ^ (value >> 31)) * 0x94D0'49BB'1331'11EBu;
}

TEST(Ascend, IsTheOperationOnAllPairsOfEachDimensionInTurn) {
    for_each_pass(kDims, [](Network network, PortModel ports, AscendPass pass) {
        Machine machine{network, ports, some_values(network)};
        machine.run(pass, mixed);
        EXPECT_EQ(machine.values(), defined(pass, some_values(network), mixed));
        EXPECT_EQ(machine.steps(), ascend_steps(network, ports, pass));
    });
}

TEST(Ascend, TakesOneStepADimensionAndTwoWithHalfDuplex) {
    for_each_pass(kDims, [](Network network, PortModel ports, AscendPass pass) {
        const unsigned even = (pass.dims + 1) / 2 * 2; // the UHC takes them in pairs
        const unsigned half = network.topology == Topology::cube ? 2 * pass.dims : 2 * even;
        const unsigned both = network.topology == Topology::cube ? pass.dims : 3 * even / 2;
        EXPECT_EQ(ascend_steps(network, ports, pass), ports == PortModel::half ? half : both);
    });
}

TEST(Ascend, AddsUpPrefixes) {
    for_each_network(kDims, [](Network network, PortModel ports) {
        // High half the total of the subcube, low half the sum up to the node.
        const Operate add = [](NodeId node, Port dim, Value lower, Value upper) {
            const Value total = (lower >> 32) + (upper >> 32);
            const bool is_upper = ((index(node) >> index(dim)) & 1u) != 0;
            const Value prefix =
                is_upper ? (lower >> 32) + (upper & 0xFFFF'FFFF) : lower & 0xFFFF'FFFF;
            return (total << 32) + prefix;
        };
        Values values(node_count(network));
        for (std::size_t node = 0; node < values.size(); ++node)
            values[node] = (node * node + 3) * 0x1'0000'0001;
        Machine machine{network, ports, values};
        machine.run({network.dim, false}, add);
        Value sum = 0;
        for (std::size_t node = 0; node < values.size(); ++node) {
            sum += node * node + 3;
            EXPECT_EQ(machine.values()[node] & 0xFFFF'FFFF, sum) << node;
        }
        EXPECT_EQ(machine.values()[0] >> 32, sum);
    });
}

/// Compares all bits of the values at once: 64 inputs of zeroes and ones in one run.
Operate comparison(unsigned stage) {
    return [stage](NodeId node, Port dim, Value lower, Value upper) {
        return bitonic_keeps_smaller(node, stage, dim) ? lower & upper : lower | upper;
    };
}

unsigned sort(Machine& machine, Network network) {
    for (unsigned stage = 0; stage < network.dim; ++stage)
        machine.run({stage + 1, true}, comparison(stage));
    return machine.steps();
}

bool sorted(const Values& values) {
    for (std::size_t node = 1; node < values.size(); ++node)
        if ((values[node - 1] & ~values[node]) != 0)
            return false; // a one before a zero
    return true;
}

// A network that sorts all zeroes and ones sorts everything.
TEST(BitonicSort, SortsAllZeroesAndOnesOfUpToFourDimensions) {
    for_each_network(4, [](Network network, PortModel ports) {
        const std::uint32_t nodes = node_count(network);
        for (std::uint32_t first = 0; first < (1u << nodes); first += 64) {
            Values values(nodes);
            for (std::uint32_t input = first; input < first + 64; ++input)
                for (std::uint32_t node = 0; node < nodes; ++node)
                    values[node] |= Value{(input >> node) & 1u} << (input - first);
            Machine machine{network, ports, values};
            sort(machine, network);
            ASSERT_TRUE(sorted(machine.values())) << text(network, ports, {}) << " " << first;
        }
    });
}

// The merging stage alone, for more dimensions: all inputs of two sorted halves, of which the upper
// one is backwards.
TEST(BitonicSort, MergesAllPairsOfSortedHalvesOfUpToEightDimensions) {
    for_each_network(kDims, [](Network network, PortModel ports) {
        const std::uint32_t half = node_count(network) / 2;
        for (std::uint32_t ones = 0; ones <= half; ++ones)
            for (std::uint32_t first = 0; first <= half; first += 64) {
                Values values(2 * half);
                for (std::uint32_t node = 0; node < half; ++node)
                    for (std::uint32_t other = first; other < first + 64; ++other) {
                        values[node] |= Value{node >= half - ones} << (other - first);
                        values[half + node] |= Value{node < other} << (other - first);
                    }
                Machine machine{network, ports, values};
                machine.run({network.dim, true}, comparison(network.dim - 1u));
                ASSERT_TRUE(sorted(machine.values())) << text(network, ports, {}) << " " << ones;
            }
    });
}

TEST(BitonicSort, TakesTheStepsOfTheErrata) {
    for_each_network(kDims, [](Network network, PortModel ports) {
        Machine machine{network, ports, some_values(network)};
        const unsigned n = network.dim;
        unsigned half = n * (n + 1);
        if (network.topology == Topology::uhc)
            half = n % 2 == 0 ? n * (n + 2) : (n + 1) * (n + 1);
        const unsigned both = network.topology == Topology::uhc ? half * 3 / 4 : half / 2;
        EXPECT_EQ(sort(machine, network), ports == PortModel::half ? half : both)
            << text(network, ports, {});
    });
}

} // namespace ascend_test
} // namespace mesh
