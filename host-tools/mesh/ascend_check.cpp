// What the ops on ASCEND and DESCEND must give: sorted by std::sort, added up one after the other,
// transformed by definition.
#include "ascend_ops.hpp"

#include "samples.hpp"
#include "wire/bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <iterator>

namespace mesh::host {

namespace {

using Word = std::uint32_t;
using View = std::span<const std::byte>;

/// Most products of the Fourier sums that a check makes: all frequencies of 8192 points.
constexpr std::uint64_t kProductsMax = std::uint64_t{1} << 26;
/// Rounding of a butterfly, with those of its root of unity, in units of 2^-24.
constexpr double kRoundings = 4;

/// The data behind the table of parts.
View data_of(const RunPlan& plan) {
    return std::span(*plan.input).subspan((plan.nodes() + std::size_t{1}) * sizeof(Word));
}

Expectation expectation_of(View bytes) {
    return {check_crc32(bytes), static_cast<Word>(bytes.size()), 1};
}

Word reversed(Word value, unsigned bits) {
    Word result = 0;
    for (unsigned bit = 0; bit < bits; ++bit, value >>= 1)
        result = 2 * result + value % 2;
    return result;
}

/// Cuts the records that `sorted` has into shares, and `append`s each to its node's bytes.
template <class Records, class Append>
std::vector<Expectation> expect_shares(const RunPlan& plan, const Records& sorted, Append append) {
    const std::size_t each = (sorted.size() + plan.nodes() - 1) / plan.nodes();
    std::vector<Expectation> expected;
    for (std::size_t node = 0; node < plan.nodes(); ++node) {
        Bytes part;
        for (std::size_t rank = node * each; rank < std::min(sorted.size(), (node + 1) * each);
             ++rank)
            append(part, sorted[rank]);
        expected.push_back(expectation_of(part));
    }
    return expected;
}

void append_bytes(Bytes& part, View bytes) { part.insert(part.end(), bytes.begin(), bytes.end()); }

std::vector<Expectation> expect_numbers(const RunPlan& plan) {
    std::vector<std::int32_t> numbers;
    for (std::size_t at = 0; at < data_of(plan).size(); at += 4)
        numbers.push_back(wire::load<std::int32_t>(data_of(plan), at));
    std::sort(numbers.begin(), numbers.end());
    return expect_shares(plan, numbers, [](Bytes& part, std::int32_t number) {
        append_bytes(part, wire::bytes_of(number));
    });
}

std::vector<Expectation> expect_lines(const RunPlan& plan) {
    std::vector<std::string_view> lines;
    std::string_view rest{reinterpret_cast<const char*>(data_of(plan).data()),
                          data_of(plan).size()};
    while (!rest.empty()) {
        lines.push_back(rest.substr(0, rest.find('\n')));
        rest.remove_prefix(lines.back().size() + 1);
    }
    std::sort(lines.begin(), lines.end());
    return expect_shares(plan, lines, [](Bytes& part, std::string_view line) {
        append_bytes(part, std::as_bytes(std::span(line)));
        part.push_back(std::byte{'\n'});
    });
}

/// Running sums over the nodes in the order of the op.
std::vector<Expectation> expect_prefix(const RunPlan& plan) {
    std::vector<Expectation> expected(plan.nodes());
    Bytes sums(plan.bytes);
    for (Word rank = 0; rank < plan.nodes(); ++rank) {
        const Word node = plan.op == wire::Op::descend ? reversed(rank, plan.network().dim) : rank;
        const View block = data_of(plan).subspan(std::size_t{node} * plan.bytes, plan.bytes);
        for (std::size_t at = 0; at < sums.size(); at += sizeof(Word))
            wire::store(std::span(sums), at,
                        wire::load<Word>(View(sums), at) + wire::load<Word>(block, at));
        expected[node] = expectation_of(sums);
    }
    return expected;
}

/// What a node pushed.
View part_of(const RunPlan& plan, const RunResult& result, std::size_t node) {
    const std::size_t begin = std::min(node * plan.bytes, result.output.size());
    const std::size_t bytes = std::min(result.nodes[node].report.received_bytes, plan.bytes);
    return result.output.bytes().subspan(begin, std::min(bytes, result.output.size() - begin));
}

using Point = std::complex<float>;

/// Point `place` of the nodes' result.
Point point_at(const RunResult& result, std::size_t place) {
    const std::size_t at = place * sizeof(Point);
    return at + sizeof(Point) <= result.output.size() ? wire::load<Point>(result.output.bytes(), at)
                                                      : Point{};
}

std::size_t points_of(const RunPlan& plan) { return data_of(plan).size() / sizeof(Point); }

Bytes spectrum_text(const RunPlan& plan, const RunResult& result) {
    std::string text;
    const auto count = static_cast<Word>(points_of(plan));
    const auto bits = static_cast<unsigned>(std::countr_zero(count));
    for (Word frequency = 0; frequency < count; ++frequency) {
        const Point point = point_at(result, reversed(frequency, bits));
        fmt::format_to(std::back_inserter(text), "{:.9g} {:.9g}\n", point.real(), point.imag());
    }
    const View bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

/// The greatest absolute value, and the sum of the squares of all.
struct Size {
    double largest = 0;
    double energy = 0;
};
Size size_of(const RunPlan& plan, const RunResult& result) {
    Size size;
    for (std::size_t place = 0; place < points_of(plan); ++place) {
        const double square = std::norm(std::complex<double>(point_at(result, place)));
        size.largest = std::max(size.largest, std::sqrt(square));
        size.energy += square;
    }
    return size;
}

} // namespace

std::vector<Expectation> expect_ascend(const RunPlan& plan) {
    if (plan.op == wire::Op::sort)
        return plan.lines ? expect_lines(plan) : expect_numbers(plan);
    if (plan.op == wire::Op::fft)
        return std::vector<Expectation>(plan.nodes(), {0, plan.bytes, 1});
    return expect_prefix(plan);
}

Bytes ascend_output(const RunPlan& plan, const RunResult& result) {
    if (plan.op == wire::Op::fft)
        return spectrum_text(plan, result);
    const bool numbers = plan.op == wire::Op::sort && !plan.lines;
    Bytes output;
    std::string text;
    for (std::size_t node = 0; node < plan.nodes(); ++node) {
        const View part = part_of(plan, result, node);
        if (!numbers)
            append_bytes(output, part);
        for (std::size_t at = 0; numbers && at + 4 <= part.size(); at += 4)
            fmt::format_to(std::back_inserter(text), "{}\n", wire::load<std::int32_t>(part, at));
    }
    append_bytes(output, std::as_bytes(std::span(text)));
    return output;
}

std::optional<SpectrumCheck> check_spectrum(const RunPlan& plan, const RunResult& result) {
    if (plan.op != wire::Op::fft)
        return std::nullopt;
    std::vector<Point> points(points_of(plan));
    for (std::size_t at = 0; at < points.size(); ++at)
        points[at] = wire::load<Point>(data_of(plan), at * sizeof(Point));
    const DirectTransform transform(points);
    const auto bits = static_cast<unsigned>(std::countr_zero(points.size()));
    const Size size = size_of(plan, result);
    const double scale = size.largest > 0 ? size.largest : 1;
    SpectrumCheck check;
    check.tolerance = kRoundings * (bits + 1) * 0x1p-24;
    // By Parseval's theorem; what no frequency is compared for is in it.
    const double energy = transform.energy() * static_cast<double>(points.size());
    const bool whole = std::abs(size.energy - energy) <= 2 * check.tolerance * energy;
    check.right.assign(plan.nodes(), whole);
    for (std::size_t node = 0; node < plan.nodes(); ++node)
        check.right[node] =
            whole && check_crc32(part_of(plan, result, node)) == result.nodes[node].report.crc;
    const std::size_t stride =
        std::max<std::size_t>(1, std::min<std::size_t>(points.size() * points.size() / kProductsMax,
                                                       points.size() / std::max(1u, plan.nodes())));
    for (std::size_t place = 0; place < points.size(); place += stride) {
        const auto frequency = reversed(static_cast<Word>(place), bits);
        const std::complex<double> found(point_at(result, place));
        const double error = std::abs(found - transform.at(frequency)) / scale;
        ++check.frequencies;
        check.error = std::max(check.error, error);
        if (!(error <= check.tolerance))
            check.right[place * sizeof(Point) / plan.bytes] = false;
    }
    return check;
}

std::string describe_data(const RunPlan& plan) {
    const std::string_view what = plan.op == wire::Op::fft    ? "samples"
                                  : plan.lines                ? "lines"
                                  : plan.op == wire::Op::sort ? "numbers"
                                                              : "words";
    const std::string messages = plan.packet_bytes == 0
                                     ? "one packet each"
                                     : fmt::format("packets of at most {}", plan.packet_bytes);
    return fmt::format("{} {}; messages of at most {} bytes, {}", plan.records, what,
                       plan.message_bytes(), messages);
}

} // namespace mesh::host
