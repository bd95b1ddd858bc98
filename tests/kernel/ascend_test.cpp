// ASCEND and DESCEND on whole rigs: any operation, values of any and of changing size; and sorting
// of blocks. Steps only where a node has all its ports: without lockstep a rig may show its one
// port a later packet first.
#include "collectives/ascend.hpp"
#include "collectives/sort.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::test {
namespace ascend_test {

constexpr std::array kTopologies{Topology::cube, Topology::uhc};
constexpr wire::ModelTime kUnit = wire::kTicksPerUnit;
constexpr std::array kPortModels{PortModel::all, PortModel::duplex, PortModel::half};
constexpr Noise kLoud{.drop = 0.2, .corrupt = 0.1, .twice = 0.05, .swap = 0.1};

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}
std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// f(network) for all that the kernel has of these dimensions.
template <class F>
void for_each_network(std::uint8_t dims, F f) {
    for (const Topology topology : kTopologies)
        for (std::uint8_t n = topology == Topology::uhc ? 2 : 1; n <= dims; ++n) {
            SCOPED_TRACE(std::string(name(topology)) + " n=" + std::to_string(n));
            f(Network{topology, n});
        }
}

std::uint64_t steps_of(Rig& rig) {
    wire::ModelTime last = 0;
    for (std::uint32_t id = 0; id < rig.size(); ++id)
        last = std::max(last, rig.report(id).finish_time);
    return (last + kUnit - 1) / kUnit;
}

// The program of all nodes of a rig -----------------------------------------------------------

/// By node: its value at first, and its result.
std::vector<std::string> values;
std::vector<Status> verdicts;
std::uint32_t packet_bytes = 0;
unsigned dims = kDimMax;
std::size_t first_room_bytes = 1024; // of node 0
bool down = false;
AscendOperator oper;
SortPlan sort_plan;

/// Joins both texts: the result shows whose values came together, and in which order. Lengths
/// double; a letter for node and dimension shows for which node it was done.
std::size_t join(const void*, const AscendOperands& pair, std::span<std::byte> result) {
    std::string whole{text_of(pair.lower)};
    whole += text_of(pair.upper);
    if (index(pair.node) % 3 == 0) // not alike at both
        whole += static_cast<char>('A' + index(pair.node) % 26);
    const std::size_t bytes = std::min(whole.size(), result.size());
    std::copy_n(bytes_of(whole).begin(), bytes, result.begin());
    return bytes;
}

/// Gives both the lower value.
std::size_t take_lower(const void*, const AscendOperands& pair, std::span<std::byte> result) {
    std::ranges::copy(pair.lower, result.begin());
    return pair.lower.size();
}

Process pass(Kernel& kernel) {
    const std::size_t room = index(kernel.id()) == 0 ? first_room_bytes : 1024;
    AscendBlock block{kernel.network(),
                      kernel.workspace().first(room * ascend_places(kernel.network()))};
    const std::string& mine = values[index(kernel.id())];
    std::ranges::copy(bytes_of(mine), block.resize(mine.size()).begin());
    const AscendPlan plan{.oper = oper, .packet_bytes = packet_bytes, .dims = dims};
    Status status = Status::ok;
    if (down)
        status = co_await descend(kernel, plan, block);
    else
        status = co_await ascend(kernel, plan, block);
    verdicts[index(kernel.id())] = status;
    values[index(kernel.id())] = text_of(block.value());
    co_return status;
}

Process sort_values(Kernel& kernel) {
    const std::size_t room = index(kernel.id()) == 0 ? first_room_bytes : 1024;
    AscendBlock block{kernel.network(),
                      kernel.workspace().first(room * ascend_places(kernel.network()))};
    const std::string& mine = values[index(kernel.id())];
    std::ranges::copy(bytes_of(mine), block.resize(mine.size()).begin());
    const Status status = co_await bitonic_sort(kernel, sort_plan, block);
    values[index(kernel.id())] = text_of(block.value());
    verdicts[index(kernel.id())] = status;
    co_return status;
}

/// The right result, by the definition.
std::vector<std::string> defined(std::vector<std::string> all, unsigned count) {
    for (unsigned number = 0; number < count; ++number) {
        const Port dim = port_at(down ? count - 1 - number : number);
        const auto old = all;
        for (std::uint32_t node = 0; node < all.size(); ++node) {
            const std::uint32_t bit = 1u << index(dim);
            AscendOperands pair{
                {node_at(node), dim}, bytes_of(old[node & ~bit]), bytes_of(old[node | bit])};
            std::array<std::byte, 1024> result;
            all[node] = text_of(std::span(result).first(join(nullptr, pair, result)));
        }
    }
    return all;
}

/// Texts of 0..`most` letters, different at each node.
std::vector<std::string> ragged(std::uint32_t nodes, unsigned most) {
    std::vector<std::string> all;
    for (std::uint32_t node = 0; node < nodes; ++node)
        all.emplace_back((node * 7 + 3) % (most + 1), static_cast<char>('a' + node % 26));
    return all;
}

/// One run; the results are in `values`.
std::uint64_t run(Network network, PortModel ports, Program program, const Noise& noise = {}) {
    verdicts.assign(node_count(network), Status::failed);
    Rig rig{network, program};
    rig.noise = noise;
    rig.shuffle = noise.drop > 0;
    rig.run({.ports = ports});
    for (std::uint32_t id = 0; id < rig.size(); ++id)
        EXPECT_EQ(rig.report(id).done, 1u) << id;
    return steps_of(rig);
}

struct Ascend : ::testing::Test {
    Ascend() {
        packet_bytes = 0;
        dims = kDimMax;
        first_room_bytes = 1024;
        down = false;
        oper = {join};
    }
};

TEST_F(Ascend, CombinesValuesOfAnySizeInTheStepsOfTheRule) {
    for_each_network(5, [](Network network) {
        for (const PortModel ports : kPortModels)
            for (const bool backwards : {false, true})
                for (dims = 0; dims <= network.dim; ++dims) {
                    down = backwards;
                    values = ragged(node_count(network), 5);
                    const auto right = defined(values, dims);
                    const std::uint64_t steps = run(network, ports, pass);
                    if (ports == PortModel::all) {
                        EXPECT_EQ(steps, ascend_steps(network, ports, {dims, down}));
                    }
                    EXPECT_EQ(values, right) << dims << (down ? " down" : " up");
                }
    });
}

TEST_F(Ascend, TakesAStepForEachPacketOfAMessage) {
    for_each_network(4, [](Network network) {
        values.assign(node_count(network), std::string(40, 'x'));
        values[0] = std::string(40, 'y');
        packet_bytes = 16;
        oper = {take_lower};
        EXPECT_EQ(run(network, PortModel::all, pass),
                  3 * ascend_steps(network, PortModel::all, {network.dim, false}));
        EXPECT_EQ(values, std::vector(node_count(network), std::string(40, 'y')));
    });
}

TEST_F(Ascend, SurvivesLossesOnEveryLink) {
    for_each_network(3, [](Network network) {
        for (const PortModel ports : kPortModels) {
            values = ragged(node_count(network), 60);
            const auto right = defined(values, network.dim);
            run(network, ports, pass, kLoud);
            EXPECT_EQ(values, right);
        }
    });
}

TEST_F(Ascend, SaysThatAValueIsLargerThanTheRoomForIt) {
    values.assign(2, std::string(16, 'x'));
    values[0] = "y";
    first_room_bytes = 8;
    run({Topology::cube, 1}, PortModel::all, pass);
    EXPECT_EQ(verdicts[0], Status::truncated);
    EXPECT_EQ(verdicts[1], Status::ok);
}

TEST_F(Ascend, RefusesAPassWithoutOperation) {
    oper = {};
    values.assign(2, "x");
    run({Topology::cube, 1}, PortModel::all, pass);
    EXPECT_EQ(verdicts, std::vector(2, Status::bad_argument));
}

// Sorting -----------------------------------------------------------------------------------------

using Lines = std::vector<std::string>;

std::string joined(const Lines& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += line + '\n';
    return text;
}

/// Distributes `lines`, sorts, and gives the nodes' lines in the order of the nodes.
std::string sorted_by_nodes(Network network, PortModel ports, const Lines& lines) {
    const std::size_t nodes = node_count(network);
    const std::size_t each = (lines.size() + nodes - 1) / nodes;
    sort_plan = {.record = Record::line, .block_records = static_cast<std::uint32_t>(each)};
    values.clear();
    for (std::size_t node = 0; node < nodes; ++node) {
        const std::size_t first = std::min(lines.size(), node * each);
        const std::size_t last = std::min(lines.size(), first + each);
        values.push_back(joined({lines.begin() + static_cast<std::ptrdiff_t>(first),
                                 lines.begin() + static_cast<std::ptrdiff_t>(last)}));
    }
    run(network, ports, sort_values);
    std::string all;
    for (const std::string& part : values)
        all += part;
    return all;
}

TEST_F(Ascend, SortsLinesOfAnyLengthAndNumber) {
    std::minstd_rand random{5};
    for_each_network(4, [&random](Network network) {
        const std::size_t nodes = node_count(network);
        for (const PortModel ports : kPortModels)
            for (const std::size_t count :
                 {std::size_t{0}, std::size_t{1}, nodes - 1, nodes + 1, 5 * nodes, 5 * nodes + 3}) {
                Lines lines(count);
                for (std::string& line : lines) {
                    line.assign(random() % 9, 'a');
                    for (char& letter : line)
                        letter = "\t a\x7f\xfe"[random() % 5];
                }
                const std::string found = sorted_by_nodes(network, ports, lines);
                std::sort(lines.begin(), lines.end()); // bytes without signs
                EXPECT_EQ(found, joined(lines)) << count << " lines";
            }
    });
}

TEST_F(Ascend, SaysThatSortedLinesDoNotFitTheRoomForThem) {
    const Lines lines{std::string(18, 'a'), "z", std::string(18, 'b'), "y"};
    for (const std::size_t room : {40u, 32u}) { // 38 bytes for the two first, 21 before
        first_room_bytes = room;
        sorted_by_nodes({Topology::cube, 1}, PortModel::all, lines);
        EXPECT_EQ(verdicts[0], room == 40 ? Status::ok : Status::truncated);
        EXPECT_EQ(verdicts[1], Status::ok);
    }
}

TEST_F(Ascend, SortsNumbersWithSigns) {
    for_each_network(5, [](Network network) {
        std::minstd_rand random{9};
        std::vector<std::int32_t> numbers(3 * node_count(network));
        for (std::int32_t& number : numbers)
            number = static_cast<std::int32_t>(random() * 4);
        numbers[0] = INT32_MIN;
        numbers[1] = INT32_MAX;
        sort_plan = {.record = Record::i32, .block_records = 3};
        values.clear();
        for (std::size_t at = 0; at < numbers.size(); at += 3)
            values.emplace_back(text_of(std::as_bytes(std::span(numbers).subspan(at, 3))));
        unsigned steps = 0;
        for (unsigned stage = 1; stage <= network.dim; ++stage)
            steps += ascend_steps(network, PortModel::all, {stage, true});
        EXPECT_EQ(run(network, PortModel::all, sort_values), steps);
        std::string all;
        for (const std::string& part : values)
            all += part;
        std::sort(numbers.begin(), numbers.end());
        EXPECT_EQ(all, text_of(std::as_bytes(std::span(numbers))));
    });
}

} // namespace ascend_test
} // namespace mesh::test
