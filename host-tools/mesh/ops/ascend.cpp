// The data of the ops on ASCEND and DESCEND: read or made, checked, cut into a part for each node.
#include "ascend.hpp"

#include "core/base/operators.hpp"
#include "data.hpp"
#include "families.hpp"
#include "host-tools/mesh/common/tables.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "host-tools/mesh/common/text_file.hpp"
#include "kernel/base/limits.hpp"
#include "ops/traffic.hpp"
#include "samples.hpp"
#include "wire/bytes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <complex>
#include <fmt/format.h>
#include <numeric>

namespace mesh::host {

namespace {

std::uint64_t share(std::uint64_t records, std::uint64_t nodes) {
    return (records + nodes - 1) / nodes;
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
    const std::string text = plain_text(text_of(file));
    std::size_t at = 0;
    for (const std::string_view line : lines_in(text)) {
        ++at;
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

} // namespace

void Ascending::plan_common() {
    if (!can_ascend(run().network()))
        refuse(kCombination, "--op {}: goes with --topology cube and uhc", kind().name);
    plan_input(run(), run().data.input, kInputBytesMax);
    plan_packet(run(), {limits::kMessageBytesMax, true});
}

std::uint64_t Ascending::room_bytes() const {
    return ascend_room_bytes(run().network(), run().workspace_bytes, kept_bytes());
}

void Ascending::refuse_bytes_of_input(std::string_view done) const {
    if (run().input && run().data.bytes)
        refuse(kCombination, "--bytes: how much is {} is what --input has", done);
}

std::uint32_t Ascending::block_bytes(std::uint32_t unit, std::uint64_t most) const {
    const std::uint64_t usual = std::min<std::uint64_t>(run().bytes, most / unit * unit);
    const std::int64_t bytes = run().data.bytes.value_or(static_cast<std::int64_t>(usual));
    if (bytes <= 0 || bytes % unit != 0 || static_cast<std::uint64_t>(bytes) > most)
        refuse("--bytes {}: allowed: multiples of {} from {} to {}", bytes, unit, unit,
               most / unit * unit);
    return static_cast<std::uint32_t>(bytes);
}

Bytes Ascending::made_words(std::uint32_t bytes_each) const {
    Bytes data(std::size_t{bytes_each} * run().nodes());
    const std::uint32_t words = bytes_each / 4;
    for (std::size_t word = 0; word < data.size() / 4; ++word) {
        const auto node = node_at(static_cast<std::uint32_t>(word / words));
        const std::uint32_t stream = block_stream(run().model.seed, node, NodeId{0});
        wire::store(std::span(data), word * 4,
                    traffic_word(stream, static_cast<std::uint32_t>(word % words)));
    }
    return data;
}

void Ascending::check_room(
    const std::string& input,
    const std::function<std::uint64_t(std::uint64_t nodes)>& bytes_with) const {
    const std::uint64_t room = room_bytes();
    const std::uint64_t needed = bytes_with(run().nodes());
    if (needed <= room)
        return;
    std::string remedy = "too much for any mesh";
    for (unsigned dim = run().network().dim + 1u; dim <= kDimMax; ++dim)
        if (bytes_with(std::uint64_t{1} << dim) <= room) {
            remedy = fmt::format("allowed: --dim {} or more", dim);
            break;
        }
    refuse(kCombination,
           "--input '{}': a node of {} may come to hold {} bytes of it, and has room for {}; {}",
           input, run().nodes(), needed, room, remedy);
}

void Ascending::set_parts(View data, const std::function<std::size_t(std::uint32_t node)>& end_of) {
    const std::size_t table_bytes = (run().nodes() + std::size_t{1}) * sizeof(std::uint32_t);
    Bytes whole(table_bytes + data.size());
    for (std::uint32_t node = 0; node <= run().nodes(); ++node) {
        const std::size_t begin = node == 0 ? 0 : end_of(node - 1);
        wire::store(std::span(whole), node * sizeof(std::uint32_t),
                    static_cast<std::uint32_t>(table_bytes + begin));
    }
    std::copy(data.begin(), data.end(), whole.begin() + static_cast<std::ptrdiff_t>(table_bytes));
    run().input = std::move(whole);
}

void Ascending::set_equal_parts(View data) {
    set_parts(data, [&](std::uint32_t node) {
        return std::min<std::size_t>(data.size(), (node + std::size_t{1}) * run().bytes);
    });
}

void Ascending::fill(wire::Job& job, NodeId node) const {
    if (!run().data.output.empty())
        job.output_node = index(node);
}

std::uint64_t Ascending::expected_packets() const {
    const auto payload = static_cast<std::uint32_t>(run().payload_bytes());
    const std::uint32_t packet_bytes =
        run().packet_bytes == 0 ? payload : std::min(run().packet_bytes, payload);
    const std::uint64_t packets = std::max(1u, (message_bytes() + packet_bytes - 1) / packet_bytes);
    constexpr unsigned kHalfWindow = limits::kMessageWindowPackets / 2;
    const std::uint64_t answers = 1 + (packets - 1 + kHalfWindow - 1) / kHalfWindow;
    const unsigned way_back = distance(run().network(), NodeId{1}, NodeId{0});
    return messages_of_a_node() * run().nodes() * (packets + answers * way_back);
}

/// One message a step, or one in two steps under half.
std::uint64_t Ascending::messages_of_a_node() const {
    const unsigned dims = run().network().dim;
    std::uint64_t steps = 0;
    for (unsigned stage = kind().op == wire::Op::sort ? 1 : dims; stage <= dims; ++stage)
        steps += ascend_steps(run().network(), run().ports, {stage, true});
    return run().ports == PortModel::half ? steps / 2 : steps;
}

std::optional<Formula> Ascending::formula() const {
    if ((packets() != 1 && !alike()) || (run().packet_bytes == 0 && run().model.tc != 0))
        return std::nullopt;
    if (kind().op == wire::Op::sort)
        return sort_formula(run().network(), run().ports, packets());
    return ascend_formula(run().network(), run().ports, packets());
}

std::string Ascending::subject() const {
    const std::string messages = run().packet_bytes == 0
                                     ? "one packet each"
                                     : fmt::format("packets of at most {}", run().packet_bytes);
    return fmt::format("{} {}; messages of at most {} bytes, {}", records_, records_name(),
                       message_bytes(), messages);
}

// ascend, descend -------------------------------------------------------------------------------

Prefix::Prefix(const OpKind& kind, RunPlan plan) : Ascending(kind, std::move(plan)) {
    plan_common();
    refuse_bytes_of_input("added up");
    if (!run().input) {
        run().bytes = block_bytes(4, room_bytes() / 2);
        run().input = made_words(run().bytes);
    } else {
        const std::size_t unit = std::size_t{4} * run().nodes();
        if (run().input->empty() || run().input->size() % unit != 0)
            refuse(kCombination,
                   "--input '{}': {} bytes; allowed: multiples of {}, a block of 32-bit words for "
                   "each of {} nodes",
                   run().data.input, run().input->size(), unit, run().nodes());
        run().bytes = static_cast<std::uint32_t>(run().input->size() / run().nodes());
    }
    const Bytes data = std::move(*run().input);
    records_ = data.size() / 4;
    check_room(run().data.input,
               [&](std::uint64_t nodes) { return 2 * share(data.size(), nodes); });
    set_equal_parts(data);
}

// sort ------------------------------------------------------------------------------------------

Sort::Sort(const OpKind& kind, RunPlan plan)
    : Ascending(kind, std::move(plan)),
      lines_(run().work.element == "lines") {
    plan_common();
    refuse_bytes_of_input("sorted");
    if (!lines_ && run().work.element != kElementNames.front())
        refuse_name("--type", run().work.element, std::array{"i32", "lines"}, kElementNames);
    if (lines_)
        plan_lines();
    else
        plan_numbers();
    for (const std::string& word :
         {run().work.element, std::to_string(share(records_, run().nodes()))}) {
        const auto bytes = std::as_bytes(std::span(word.c_str(), word.size() + 1));
        words_.insert(words_.end(), bytes.begin(), bytes.end());
    }
}

void Sort::plan_numbers() {
    const Bytes data = run().input ? read_numbers(*run().input, run().data.input)
                                   : made_words(block_bytes(4, room_bytes()));
    records_ = data.size() / 4;
    const auto bytes_with = [&](std::uint64_t nodes) { return 4 * share(records_, nodes); };
    check_room(run().data.input, bytes_with);
    run().bytes = static_cast<std::uint32_t>(bytes_with(run().nodes()));
    set_equal_parts(data);
}

void Sort::plan_lines() {
    if (!run().input)
        refuse(kCombination, "--type lines: goes with --input");
    Bytes text = std::move(*run().input);
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
    records_ = ends.size();
    // At worst one node comes to hold the longest lines.
    const auto bytes_with = [&](std::uint64_t nodes) {
        return ends.empty() ? 0 : longest[share(records_, nodes) - 1];
    };
    check_room(run().data.input, bytes_with);
    run().bytes = static_cast<std::uint32_t>(bytes_with(run().nodes()));
    const std::uint64_t each = share(records_, run().nodes());
    set_parts(text, [&](std::uint32_t node) {
        const std::uint64_t count = std::min<std::uint64_t>(records_, (node + 1) * each);
        return count == 0 ? 0 : ends[count - 1];
    });
}

void Sort::describe(Figures& head) const {
    Ascending::describe(head);
    head.push_back({"type", lines_ ? "lines" : "i32"});
}

// fft -------------------------------------------------------------------------------------------

Fft::Fft(const OpKind& kind, RunPlan plan) : Ascending(kind, std::move(plan)) {
    plan_common();
    refuse_bytes_of_input("transformed");
    constexpr std::size_t kPointBytes = sizeof(std::complex<float>);
    std::vector<std::complex<float>> points;
    if (run().input) {
        const auto samples = read_samples(*run().input, run().data.input);
        points.assign(samples.begin(), samples.end());
    } else {
        const std::uint64_t most = std::bit_floor(room_bytes());
        const Bytes words = made_words(block_bytes(kPointBytes, most));
        for (std::size_t at = 0; at < words.size(); at += 8)
            points.emplace_back(
                static_cast<float>(wire::load<std::int32_t>(std::span(words), at)) * 0x1p-31f,
                static_cast<float>(wire::load<std::int32_t>(std::span(words), at + 4)) * 0x1p-31f);
    }
    records_ = points.size();
    const auto points_with = [&](std::uint64_t nodes) {
        return std::max<std::uint64_t>(nodes, std::bit_ceil(points.size()));
    };
    check_room(run().data.input,
               [&](std::uint64_t nodes) { return points_with(nodes) / nodes * kPointBytes; });
    points.resize(points_with(run().nodes()));
    run().bytes = static_cast<std::uint32_t>(points.size() / run().nodes() * kPointBytes);
    set_equal_parts(std::as_bytes(std::span(points)));
}

/// The host needs every part, to compare it.
void Fft::fill(wire::Job& job, NodeId node) const { job.output_node = index(node); }

namespace {

constexpr std::string_view kAscendOptions = "--bytes --packet --input --output";

constexpr std::array kAscendOps{
    OpKind{"ascend", "running sums of all nodes' words, by ASCEND", wire::Op::ascend, "ascend",
           kAscendOptions, plan_as<Prefix>},
    OpKind{"descend", "the same by DESCEND, nodes in bit-reversed order", wire::Op::descend,
           "ascend", kAscendOptions, plan_as<Prefix>},
    OpKind{"sort", "numbers or lines of all nodes, by bitonic sorting", wire::Op::sort, "sort",
           "--type --bytes --packet --input --output", plan_as<Sort>},
    OpKind{"fft", "the Fourier transform of all nodes' samples", wire::Op::fft, "fft",
           kAscendOptions, plan_as<Fft>}};

} // namespace

std::span<const OpKind> ascend_ops() { return kAscendOps; }

} // namespace mesh::host
