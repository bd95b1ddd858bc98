// The data of the ops on ASCEND and DESCEND: read or made, checked, cut into a part for each node.
#include "ascend_ops.hpp"

#include "apps/parts.hpp"
#include "apps/traffic.hpp"
#include "errors.hpp"
#include "kernel/limits.hpp"
#include "samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <complex>
#include <cstring>
#include <functional>
#include <numeric>

namespace mesh::host {

namespace {

constexpr std::uint32_t kDefaultBytes = 4096;

std::uint64_t share(std::uint64_t records, std::uint64_t nodes) {
    return (records + nodes - 1) / nodes;
}

/// The data with the table of parts before it: `part_of(node)` bytes each, in order.
Bytes with_table(const RunPlan& plan, std::span<const std::byte> data,
                 const std::function<std::size_t(std::uint32_t node)>& end_of) {
    const std::size_t table_bytes = (plan.nodes() + std::size_t{1}) * sizeof(std::uint32_t);
    Bytes whole(table_bytes + data.size());
    for (std::uint32_t node = 0; node <= plan.nodes(); ++node) {
        const std::size_t begin = node == 0 ? 0 : end_of(node - 1);
        wire::store(std::span(whole), node * sizeof(std::uint32_t),
                    static_cast<std::uint32_t>(table_bytes + begin));
    }
    std::copy(data.begin(), data.end(), whole.begin() + static_cast<std::ptrdiff_t>(table_bytes));
    return whole;
}

/// Parts of `plan.bytes` each.
Bytes in_equal_parts(const RunPlan& plan, std::span<const std::byte> data) {
    return with_table(plan, data, [&](std::uint32_t node) {
        return std::min<std::size_t>(data.size(), (node + std::size_t{1}) * plan.bytes);
    });
}

/// Refuses data of which a node would hold more than its memory has room for.
/// `bytes_with(nodes)`: the most that one of so many nodes may come to hold.
void check_room(const RunPlan& plan, const std::string& input,
                const std::function<std::uint64_t(std::uint64_t nodes)>& bytes_with) {
    const std::uint64_t room = ascend_room_bytes(plan.network());
    const std::uint64_t needed = bytes_with(plan.nodes());
    if (needed <= room)
        return;
    std::string remedy = "too much for any mesh";
    for (unsigned dim = plan.network().dim + 1u; dim <= kDimMax; ++dim)
        if (bytes_with(std::uint64_t{1} << dim) <= room) {
            remedy = fmt::format("allowed: --dim {} or more", dim);
            break;
        }
    refuse("--input '{}': a node of {} may come to hold {} bytes of it, and has room for {}; {}",
           input, plan.nodes(), needed, room, remedy);
}

/// Bytes of a node's block that is made from the seed; of `most` that there may be.
std::uint32_t block_bytes(const RunArguments& arguments, std::uint32_t unit, std::uint64_t most) {
    const std::int64_t bytes = arguments.bytes.value_or(kDefaultBytes);
    if (bytes <= 0 || bytes % unit != 0 || static_cast<std::uint64_t>(bytes) > most)
        refuse("--bytes {}: allowed: multiples of {} from {} to {}", bytes, unit, unit,
               most / unit * unit);
    return static_cast<std::uint32_t>(bytes);
}

/// Words of the seed, so many bytes for each node.
Bytes made_words(const RunPlan& plan, std::uint32_t bytes_each) {
    Bytes data(std::size_t{bytes_each} * plan.nodes());
    const std::uint32_t words = bytes_each / 4;
    for (std::size_t word = 0; word < data.size() / 4; ++word) {
        const auto node = node_at(static_cast<std::uint32_t>(word / words));
        const std::uint32_t stream =
            block_stream(static_cast<std::uint32_t>(plan.seed), node, NodeId{0});
        wire::store(std::span(data), word * 4,
                    traffic_word(stream, static_cast<std::uint32_t>(word % words)));
    }
    return data;
}

// sort ------------------------------------------------------------------------------------------

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The number that a line is, if it is written in the one plain way.
std::optional<std::int32_t> number_of(std::string_view line) {
    std::int32_t number = 0;
    const char* const end = line.data() + line.size();
    const auto [last, error] = std::from_chars(line.data(), end, number);
    const bool whole = error == std::errc{} && last == end;
    const std::string_view digits = line.starts_with('-') ? line.substr(1) : line;
    const bool plain = digits != "0" ? !digits.starts_with('0') : line == digits;
    return whole && plain ? std::optional(number) : std::nullopt;
}

/// The numbers of a text, one a line, as words.
Bytes read_numbers(const Bytes& file, const std::string& path) {
    Bytes data;
    std::string_view rest = text_of(file);
    for (std::size_t at = 1; !rest.empty(); ++at) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        const auto number = number_of(line);
        if (!number)
            refuse(
                "--input '{}' line {}: '{}': allowed: one whole number of 32 bits a line, without "
                "blanks, + or leading zeroes; --type lines sorts any text",
                path, at, shown(line));
        const auto bytes = wire::bytes_of(*number);
        data.insert(data.end(), bytes.begin(), bytes.end());
    }
    return data;
}

void plan_numbers(RunPlan& plan, const RunArguments& arguments) {
    if (!arguments.input.empty() && arguments.bytes)
        refuse("--bytes: how much is sorted is what --input has");
    const Bytes data =
        plan.input ? read_numbers(*plan.input, arguments.input)
                   : made_words(plan, block_bytes(arguments, 4, ascend_room_bytes(plan.network())));
    plan.records = data.size() / 4;
    const auto bytes_with = [&](std::uint64_t nodes) { return 4 * share(plan.records, nodes); };
    check_room(plan, arguments.input, bytes_with);
    plan.bytes = static_cast<std::uint32_t>(bytes_with(plan.nodes()));
    plan.input = in_equal_parts(plan, data);
}

void plan_lines(RunPlan& plan, const RunArguments& arguments) {
    if (!plan.input)
        refuse("--type lines: goes with --input");
    Bytes text = std::move(*plan.input);
    if (!text.empty() && text.back() != std::byte{'\n'})
        text.push_back(std::byte{'\n'});
    std::vector<std::size_t> ends;
    for (std::size_t at = 0; at < text.size(); ++at)
        if (text[at] == std::byte{'\n'})
            ends.push_back(at + 1);
    std::vector<std::uint64_t> longest(ends.size());
    std::adjacent_difference(ends.begin(), ends.end(), longest.begin());
    std::sort(longest.begin(), longest.end(), std::greater{});
    std::partial_sum(longest.begin(), longest.end(), longest.begin());
    plan.records = ends.size();
    // At worst one node comes to hold the longest lines.
    const auto bytes_with = [&](std::uint64_t nodes) {
        return ends.empty() ? 0 : longest[share(plan.records, nodes) - 1];
    };
    check_room(plan, arguments.input, bytes_with);
    plan.bytes = static_cast<std::uint32_t>(bytes_with(plan.nodes()));
    const std::uint64_t each = share(plan.records, plan.nodes());
    plan.input = with_table(plan, text, [&](std::uint32_t node) {
        const std::uint64_t count = std::min<std::uint64_t>(plan.records, (node + 1) * each);
        return count == 0 ? 0 : ends[count - 1];
    });
}

void plan_sort(RunPlan& plan, const RunArguments& arguments) {
    plan.lines = arguments.element == "lines";
    if (!plan.lines && arguments.element != "i32")
        refuse("--type '{}': allowed: i32, lines", arguments.element);
    if (plan.lines)
        plan_lines(plan, arguments);
    else
        plan_numbers(plan, arguments);
    const std::string words = fmt::format("{}", share(plan.records, plan.nodes()));
    for (const std::string_view word :
         {std::string_view(arguments.element), std::string_view(words)}) {
        const auto bytes = std::as_bytes(std::span(word));
        plan.words.insert(plan.words.end(), bytes.begin(), bytes.end());
        plan.words.push_back(std::byte{0});
    }
}

// fft, ascend, descend --------------------------------------------------------------------------

void plan_fft(RunPlan& plan, const RunArguments& arguments) {
    constexpr std::size_t kPointBytes = sizeof(std::complex<float>);
    std::vector<std::complex<float>> points;
    if (plan.input) {
        if (arguments.bytes)
            refuse("--bytes: how much is transformed is what --input has");
        const auto samples = read_samples(*plan.input, arguments.input);
        points.assign(samples.begin(), samples.end());
    } else {
        const std::uint64_t most = std::bit_floor(ascend_room_bytes(plan.network()));
        const Bytes words = made_words(plan, block_bytes(arguments, kPointBytes, most));
        for (std::size_t at = 0; at < words.size(); at += 8)
            points.emplace_back(
                static_cast<float>(wire::load<std::int32_t>(std::span(words), at)) * 0x1p-31f,
                static_cast<float>(wire::load<std::int32_t>(std::span(words), at + 4)) * 0x1p-31f);
    }
    plan.records = points.size();
    const auto points_with = [&](std::uint64_t nodes) {
        return std::max<std::uint64_t>(nodes, std::bit_ceil(points.size()));
    };
    check_room(plan, arguments.input,
               [&](std::uint64_t nodes) { return points_with(nodes) / nodes * kPointBytes; });
    points.resize(points_with(plan.nodes()));
    plan.bytes = static_cast<std::uint32_t>(points.size() / plan.nodes() * kPointBytes);
    plan.input = in_equal_parts(plan, std::as_bytes(std::span(points)));
}

void plan_prefix(RunPlan& plan, const RunArguments& arguments) {
    if (!plan.input) {
        plan.bytes = block_bytes(arguments, 4, ascend_room_bytes(plan.network()) / 2);
        plan.input = made_words(plan, plan.bytes);
    } else {
        const std::size_t unit = std::size_t{4} * plan.nodes();
        if (arguments.bytes)
            refuse("--bytes: how much is added up is what --input has");
        if (plan.input->empty() || plan.input->size() % unit != 0)
            refuse("--input '{}': {} bytes; allowed: multiples of {}, a block of 32-bit words for "
                   "each of {} nodes",
                   arguments.input, plan.input->size(), unit, plan.nodes());
        plan.bytes = static_cast<std::uint32_t>(plan.input->size() / plan.nodes());
    }
    plan.records = plan.input->size() / 4;
    check_room(plan, arguments.input,
               [&](std::uint64_t nodes) { return 2 * share(plan.input->size(), nodes); });
    plan.input = in_equal_parts(plan, *plan.input);
}

/// Messages that a node sends: one a step, or one in two under half.
std::uint64_t messages_of(const RunPlan& plan) {
    const unsigned dims = plan.network().dim;
    std::uint64_t steps = 0;
    for (unsigned stage = plan.op == wire::Op::sort ? 1 : dims; stage <= dims; ++stage)
        steps += ascend_steps(plan.network(), plan.ports, {stage, true});
    return plan.ports == PortModel::half ? steps / 2 : steps;
}

} // namespace

std::string_view program_of(wire::Op op) {
    if (op == wire::Op::sort)
        return "sort";
    if (op == wire::Op::fft)
        return "fft";
    return op == wire::Op::ascend || op == wire::Op::descend ? "ascend" : "job";
}

wire::Op op_of_app(std::string_view app) {
    for (const wire::Op op : {wire::Op::sort, wire::Op::fft, wire::Op::ascend})
        if (program_of(op) == app)
            return op;
    return wire::Op::app;
}

bool RunPlan::ascends() const { return program_of(op) != "job"; }

std::uint32_t RunPlan::message_bytes() const {
    const bool prefix = op == wire::Op::ascend || op == wire::Op::descend;
    return prefix ? 2 * bytes : bytes; // sums up to the node, and of all
}

void plan_ascend(RunPlan& plan, const RunArguments& arguments) {
    if (!can_ascend(plan.network()))
        refuse("--op {}: goes with --topology cube and uhc", plan.op_name);
    if (plan.op == wire::Op::sort)
        plan_sort(plan, arguments);
    else if (plan.op == wire::Op::fft)
        plan_fft(plan, arguments);
    else
        plan_prefix(plan, arguments);
}

std::uint64_t ascend_packets(const RunPlan& plan) {
    const std::uint32_t most = plan.packet_bytes == 0 ? wire::kPayloadBytesMax : plan.packet_bytes;
    const std::uint32_t piece = std::min<std::uint32_t>(most, wire::kPayloadBytesMax);
    const std::uint64_t packets = std::max(1u, (plan.message_bytes() + piece - 1) / piece);
    constexpr unsigned kHalfWindow = limits::kMessageWindowPackets / 2;
    const std::uint64_t answers = 1 + (packets - 1 + kHalfWindow - 1) / kHalfWindow;
    const unsigned way_back = distance(plan.network(), NodeId{1}, NodeId{0});
    return messages_of(plan) * plan.nodes() * (packets + answers * way_back);
}

std::optional<Formula> ascend_formula_of(const RunPlan& plan) {
    const std::uint64_t packets = plan.packets();
    const bool alike = plan.op != wire::Op::sort ||
                       (!plan.lines && plan.records % std::max(1u, plan.nodes()) == 0);
    if ((packets != 1 && !alike) || (plan.packet_bytes == 0 && plan.tc != 0))
        return std::nullopt;
    if (plan.op == wire::Op::sort)
        return sort_formula(plan.network(), plan.ports, packets);
    return ascend_formula(plan.network(), plan.ports, packets);
}

} // namespace mesh::host
