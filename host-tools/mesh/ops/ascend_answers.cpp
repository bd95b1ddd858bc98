// The right results of the ops on ASCEND and DESCEND: sorted by std::sort, added up one after the
// other, transformed by definition.
#include "ascend.hpp"
#include "host-tools/mesh/common/text.hpp"
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
using Point = std::complex<float>;

/// Most products of the Fourier sums that a check makes: all frequencies of 8192 points.
constexpr std::uint64_t kProductsMax = std::uint64_t{1} << 26;
/// Rounding of a butterfly, with those of its root of unity, in units of 2^-24.
constexpr double kRoundings = 4;

Word reversed(Word value, unsigned bits) {
    Word result = 0;
    for (unsigned bit = 0; bit < bits; ++bit, value >>= 1)
        result = 2 * result + value % 2;
    return result;
}

void append_bytes(Bytes& part, View bytes) { part.insert(part.end(), bytes.begin(), bytes.end()); }

Bytes bytes_of_text(const std::string& text) {
    const View bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

/// Cuts the records that `sorted` has into shares, and `append`s each to its node's bytes.
template <class Records, class Append>
std::vector<Expectation> expect_shares(std::size_t nodes, const Records& sorted, Append append) {
    const std::size_t each = (sorted.size() + nodes - 1) / nodes;
    std::vector<Expectation> expected;
    for (std::size_t node = 0; node < nodes; ++node) {
        Bytes part;
        for (std::size_t rank = node * each; rank < std::min(sorted.size(), (node + 1) * each);
             ++rank)
            append(part, sorted[rank]);
        expected.push_back(expectation_of(part));
    }
    return expected;
}

std::vector<std::int32_t> sorted_numbers(View data) {
    std::vector<std::int32_t> numbers;
    for (std::size_t at = 0; at < data.size(); at += 4)
        numbers.push_back(wire::load<std::int32_t>(data, at));
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

std::vector<std::string_view> sorted_lines(View data) {
    std::vector<std::string_view> lines;
    std::string_view rest = text_of(data);
    while (!rest.empty()) {
        lines.push_back(rest.substr(0, rest.find('\n')));
        rest.remove_prefix(lines.back().size() + 1);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

/// Point `place` of the nodes' result.
Point point_at(View result, std::size_t place) {
    const std::size_t at = place * sizeof(Point);
    return at + sizeof(Point) <= result.size() ? wire::load<Point>(result, at) : Point{};
}

/// The greatest absolute value, and the sum of the squares of all.
struct Size {
    double largest = 0;
    double energy = 0;
};
Size size_of(View result, std::size_t points) {
    Size size;
    for (std::size_t place = 0; place < points; ++place) {
        const double square = std::norm(std::complex<double>(point_at(result, place)));
        size.largest = std::max(size.largest, std::sqrt(square));
        size.energy += square;
    }
    return size;
}

} // namespace

Ascending::View Ascending::data() const {
    return std::span(*run().input).subspan((run().nodes() + std::size_t{1}) * sizeof(Word));
}

Ascending::View Ascending::part_of(const Outcome& outcome, std::size_t node) const {
    const std::size_t begin = std::min(node * run().bytes, outcome.pushed.size());
    const std::size_t bytes = std::min(outcome.reports[node].received_bytes, run().bytes);
    return outcome.pushed.subspan(begin, std::min(bytes, outcome.pushed.size() - begin));
}

Bytes Ascending::result_of(const Outcome& outcome) const {
    Bytes output;
    for (std::size_t node = 0; node < run().nodes(); ++node)
        append_bytes(output, part_of(outcome, node));
    return output;
}

bool Ascending::right(NodeId node, const Outcome& outcome) const {
    return Operation::right(node, outcome) &&
           (run().data.output.empty() ||
            check_crc32(part_of(outcome, index(node))) == expected(node).crc);
}

Verdict Ascending::judge(const Outcome& outcome) const {
    Verdict verdict = Operation::judge(outcome);
    verdict.figures = {{"records", records_}};
    return verdict;
}

// ascend, descend -------------------------------------------------------------------------------

/// Running sums over the nodes in the order of the op.
std::vector<Expectation> Prefix::answers() const {
    std::vector<Expectation> expected(run().nodes());
    Bytes sums(run().bytes);
    const bool descend = kind().op == wire::Op::descend;
    for (Word rank = 0; rank < run().nodes(); ++rank) {
        const Word node = descend ? reversed(rank, run().network().dim) : rank;
        const View block = data().subspan(std::size_t{node} * run().bytes, run().bytes);
        for (std::size_t at = 0; at < sums.size(); at += sizeof(Word))
            wire::store(std::span(sums), at,
                        wire::load<Word>(View(sums), at) + wire::load<Word>(block, at));
        expected[node] = expectation_of(sums);
    }
    return expected;
}

// sort ------------------------------------------------------------------------------------------

std::vector<Expectation> Sort::answers() const {
    if (!lines_)
        return expect_shares(
            run().nodes(), sorted_numbers(data()),
            [](Bytes& part, std::int32_t number) { append_bytes(part, wire::bytes_of(number)); });
    return expect_shares(run().nodes(), sorted_lines(data()),
                         [](Bytes& part, std::string_view line) {
                             append_bytes(part, std::as_bytes(std::span(line)));
                             part.push_back(std::byte{'\n'});
                         });
}

Bytes Sort::result_of(const Outcome& outcome) const {
    Bytes sorted = Ascending::result_of(outcome);
    if (lines_)
        return sorted;
    std::string text;
    for (std::size_t at = 0; at + 4 <= sorted.size(); at += 4)
        fmt::format_to(std::back_inserter(text), "{}\n",
                       wire::load<std::int32_t>(View(sorted), at));
    return bytes_of_text(text);
}

// fft -------------------------------------------------------------------------------------------

std::size_t Fft::points() const { return data().size() / sizeof(Point); }

/// Says how many bytes each node must have; judge() says whether they are right.
std::vector<Expectation> Fft::answers() const {
    return std::vector(run().nodes(), Expectation{0, run().bytes, 1});
}

bool Fft::right(NodeId node, const Outcome& outcome) const {
    const wire::NodeReport& report = outcome.reports[index(node)];
    return report.done != 0 && report.status == 0 &&
           report.received_bytes == expected(node).bytes &&
           report.received_messages == expected(node).messages &&
           report.crc == check_crc32(part_of(outcome, index(node)));
}

Bytes Fft::result_of(const Outcome& outcome) const {
    std::string text;
    const auto count = static_cast<Word>(points());
    const auto bits = static_cast<unsigned>(std::countr_zero(count));
    for (Word frequency = 0; frequency < count; ++frequency) {
        const Point point = point_at(outcome.pushed, reversed(frequency, bits));
        fmt::format_to(std::back_inserter(text), "{:.9g} {:.9g}\n", point.real(), point.imag());
    }
    return bytes_of_text(text);
}

Verdict Fft::judge(const Outcome& outcome) const {
    Verdict verdict = Ascending::judge(outcome);
    std::vector<Point> given(points());
    for (std::size_t at = 0; at < given.size(); ++at)
        given[at] = wire::load<Point>(data(), at * sizeof(Point));
    const DirectTransform transform(given);
    const auto bits = static_cast<unsigned>(std::countr_zero(given.size()));
    const Size size = size_of(outcome.pushed, given.size());
    const double scale = size.largest > 0 ? size.largest : 1;
    const double tolerance = kRoundings * (bits + 1) * 0x1p-24;
    // By Parseval's theorem, which covers also the frequencies that are not compared.
    const double energy = transform.energy() * static_cast<double>(given.size());
    if (!(std::abs(size.energy - energy) <= 2 * tolerance * energy))
        verdict.right.assign(run().nodes(), false);
    const std::size_t stride =
        std::max<std::size_t>(1, std::min<std::size_t>(given.size() * given.size() / kProductsMax,
                                                       given.size() / std::max(1u, run().nodes())));
    double worst = 0;
    std::uint64_t frequencies = 0;
    for (std::size_t place = 0; place < given.size(); place += stride) {
        const auto frequency = reversed(static_cast<Word>(place), bits);
        const std::complex<double> found(point_at(outcome.pushed, place));
        const double error = std::abs(found - transform.at(frequency)) / scale;
        ++frequencies;
        worst = std::max(worst, error);
        if (!(error <= tolerance))
            verdict.right[place * sizeof(Point) / run().bytes] = false;
    }
    verdict.note = fmt::format("spectrum  {} frequencies compared with the direct transform: error "
                               "{:.2g} of the largest value, allowed {:.2g}",
                               frequencies, worst, tolerance);
    verdict.figures = {{"frequencies", frequencies}, {"error", worst}, {"tolerance", tolerance}};
    return verdict;
}

} // namespace mesh::host
