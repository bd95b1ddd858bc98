// The program of `mesh run --op fft`: the discrete Fourier transform of complex f32 points, as many
// on each node, their number a power of two. Radix 2, decimation in frequency: a descending pass
// over the nodes, then the same butterflies inside each node. Point p of the result is at the place
// that the bits of p, read backwards, name.
#include "meshputer.hpp"
#include "ops/parts.hpp"

#include <algorithm>
#include <bit>

using namespace mesh;

namespace {

constexpr Point operator+(Point a, Point b) { return {a.re + b.re, a.im + b.im}; }
constexpr Point operator-(Point a, Point b) { return {a.re - b.re, a.im - b.im}; }
constexpr Point operator*(Point a, Point b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/// Their series, in [0, pi / 4] exact to the last bit but one. Those of the C libraries are not the
/// same to the bit, and results are to be the same on every processor.
constexpr float sine_of(float x) {
    const float y = x * x;
    return x * (1 + y * (-1.F / 6 + y * (1.F / 120 + y * (-1.F / 5040 + y * (1.F / 362'880)))));
}
constexpr float cosine_of(float x) {
    const float y = x * x;
    return 1 + y * (-1.F / 2 + y * (1.F / 24 + y * (-1.F / 720 + y * (1.F / 40'320))));
}

/// exp(-2 pi i turn / 2^32). Sine and cosine are taken of at most an eighth of a turn, where a
/// float gives the angle exactly enough.
Point root_of_unity(std::uint32_t turn) {
    constexpr float kAngle = 1.46291807927e-9f; // 2 pi / 2^32
    const std::uint32_t octant = turn >> 29;
    const std::uint32_t inside = turn & 0x1FFF'FFFFu;
    const bool backwards = (octant & 1u) != 0;
    const float angle = static_cast<float>(backwards ? 0x2000'0000u - inside : inside) * kAngle;
    float cosine = cosine_of(angle);
    float sine = sine_of(angle);
    if (octant == 1 || octant == 2 || octant == 5 || octant == 6)
        std::swap(cosine, sine);
    if (octant >= 2 && octant < 6)
        cosine = -cosine;
    return {cosine, octant < 4 ? -sine : sine};
}

/// Powers first, first+1, .. of the root of unity of degree 2^log2_degree, by one multiplication
/// each: every 256th is kept, and the 256 steps between them.
class Roots {
public:
    Roots(std::span<Point> memory, unsigned log2_degree, std::uint32_t first, std::size_t count)
        : fine_(memory.first(kRootsApart)),
          coarse_(memory.subspan(kRootsApart, (count + kRootsApart - 1) / kRootsApart)) {
        const auto turn = [log2_degree](std::size_t power) {
            return static_cast<std::uint32_t>(std::uint64_t{power} << (32 - log2_degree));
        };
        for (std::size_t at = 0; at < std::min(count, kRootsApart); ++at)
            fine_[at] = root_of_unity(turn(at));
        for (std::size_t at = 0; at < coarse_.size(); ++at)
            coarse_[at] = root_of_unity(turn(first + at * kRootsApart));
    }
    Point operator[](std::size_t at) const {
        return coarse_[at / kRootsApart] * fine_[at % kRootsApart];
    }

private:
    std::span<Point> fine_;
    std::span<Point> coarse_;
};

std::span<const Point> points(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const Point*>(bytes.data()), bytes.size() / sizeof(Point)};
}
std::span<Point> points(std::span<std::byte> bytes) {
    return {reinterpret_cast<Point*>(bytes.data()), bytes.size() / sizeof(Point)};
}

/// The table of roots, in the part of the workspace that the value of a node leaves free.
std::span<Point> tables(Kernel& node) {
    const auto workspace = node.workspace();
    return points(workspace.last(std::min(workspace.size(), kRootsBytes)));
}

/// One butterfly for each point of two nodes, 2^dim blocks of points apart.
std::size_t butterflies(const void* context, const AscendOperands& pair,
                        std::span<std::byte> result) {
    const auto memory = *static_cast<const std::span<Point>*>(context);
    const auto lower = points(pair.lower);
    const auto upper = points(pair.upper);
    const auto out = points(result);
    const std::size_t count = lower.size();
    if (!pair.is_upper()) {
        for (std::size_t at = 0; at < count; ++at)
            out[at] = lower[at] + upper[at];
    } else {
        const unsigned log2_degree =
            index(pair.dim) + 1u + static_cast<unsigned>(std::countr_zero(count));
        const std::uint32_t block = index(pair.node) & ((1u << index(pair.dim)) - 1u);
        const Roots roots{memory, log2_degree, static_cast<std::uint32_t>(block * count), count};
        for (std::size_t at = 0; at < count; ++at)
            out[at] = (lower[at] - upper[at]) * roots[at];
    }
    return count * sizeof(Point);
}

/// The transform of the points of one node, in place.
Task<Status> transform_inside(Kernel& node, AscendBlock& block) {
    const auto data = points(block.value());
    for (std::size_t half = data.size() / 2; half != 0; half /= 2) {
        const Roots roots{tables(node), 1u + static_cast<unsigned>(std::countr_zero(half)), 0,
                          half};
        for (std::size_t begin = 0; begin < data.size(); begin += 2 * half)
            for (std::size_t at = begin; at < begin + half; ++at) {
                const Point difference = data[at] - data[at + half];
                data[at] = data[at] + data[at + half];
                data[at + half] = difference * roots[at - begin];
            }
        co_await node.yield();
    }
    co_return Status::ok;
}

} // namespace

Process app_main(Kernel& node) {
    AscendBlock block = ascend_block(node, kRootsBytes);
    Status status = co_await read_part(node, block);
    const std::size_t count = points(block.value()).size();
    const auto memory = tables(node);
    if (status == Status::ok && !std::has_single_bit(count))
        status = Status::bad_argument;
    if (status == Status::ok && memory.size() < 2 * kRootsApart + count / kRootsApart)
        status = Status::no_memory;
    const AscendPlan plan{{butterflies, &memory}, node.job().packet_bytes};
    if (status == Status::ok)
        status = co_await descend(node, plan, block);
    if (status == Status::ok)
        status = co_await transform_inside(node, block);
    if (status == Status::ok)
        put_part(node, block.value());
    co_return status;
}
