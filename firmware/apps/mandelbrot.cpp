// mandelbrot: a farm of nodes draws the set, row after row; --output gets the picture (PGM).
// Words: width (64, at most 1024), and the most steps that a point is followed (100).
#include "meshputer.hpp"

#include <algorithm>

using namespace mesh;

constexpr NodeId kFarmer{0};
constexpr ChannelNumber kIdle{0}, kRow{1};
constexpr unsigned kWidthMost = 1024, kNoRow = ~0u, kPgmHeadBytes = 17;

static std::byte shade(float x, float y, unsigned steps) {
    float u = 0, v = 0;
    unsigned step = 0;
    for (; step < steps && u * u + v * v <= 4; ++step) {
        const float next = u * u - v * v + x;
        v = 2 * u * v + y;
        u = next;
    }
    return std::byte(255 - 255 * step / std::max(steps, 1u));
}

static Process worker(Kernel& node, unsigned width, unsigned steps) {
    std::array<std::byte, kWidthMost> line;
    const ChannelOut<unsigned> idle{node, kFarmer, kIdle};
    const ChannelIn<unsigned> rows{node, kFarmer, kRow};
    for (unsigned drawn = 0, row = 0;; ++drawn) {
        Status status = co_await idle.write(drawn);
        if (status == Status::ok)
            status = (co_await rows.read(row)).status;
        if (status != Status::ok || row == kNoRow)
            co_return status;
        const float scale = 3.0f / float(width);
        for (unsigned at = 0; at < width; ++at)
            line[at] = shade(float(at) * scale - 2.25f, float(row) * scale - 1.5f, steps);
        write_output(node, kPgmHeadBytes + row * width, std::span{line}.first(width));
    }
}

Process app_main(Kernel& node) {
    const auto width = word<unsigned>(node, 0, 64), steps = word<unsigned>(node, 1, 100);
    if (width == 0 || width > kWidthMost || steps == 0 || steps > 10'000)
        co_return refuse(node, "mandelbrot: width 1 to 1024, steps 1 to 10000");
    if (node.id() != kFarmer)
        co_return co_await worker(node, width, steps);
    char head[32];
    snprintf(head, sizeof head, "P5\n%4u %4u\n255\n", width, width);
    write_text(node, 0, head);
    for (unsigned row = 0, ended = 0; ended + 1 < node.nodes(); ++row) {
        unsigned drawn = 0;
        const Received idle = co_await from_any<unsigned>(node, kIdle).read(drawn);
        const unsigned next = row < width ? row : kNoRow;
        ended += next == kNoRow ? 1 : 0;
        const ChannelOut<unsigned> worker_of{node, idle.source, kRow};
        const Status given = co_await worker_of.write(next);
        if (first_failure(idle.status, given) != Status::ok)
            co_return first_failure(idle.status, given);
    }
    print("{} rows by {} workers\n", width, node.nodes() - 1);
    co_return Status::ok;
}
