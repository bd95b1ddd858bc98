// kmeans: finds the middles of three clouds of points, of which each node has a share.
// Words: points a node (200), and rounds (10).
#include "meshputer.hpp"

#include <algorithm>

using namespace mesh;

struct Point {
    float x, y;
};
using Middles = std::array<Point, 3>;
constexpr Middles kClouds{{{-4, 0}, {3, 4}, {2, -5}}};

struct Sum { // of points
    double x, y;
    std::uint64_t points;
    Sum operator+(const Sum& o) const { return {x + o.x, y + o.y, points + o.points}; }
};

static float apart(Point a, Point b) {
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

Process app_main(Kernel& node) {
    static std::array<Point, 1000> room;
    const auto count = word<unsigned>(node, 0, 200), rounds = word<unsigned>(node, 1, 10);
    if (count < kClouds.size() || count > room.size())
        co_return refuse(node, "kmeans: 3 to 1000 points a node");
    const auto points = std::span{room}.first(count);
    Random random(node);
    for (unsigned at = 0; at < count; ++at) // within a square about the middle of a cloud
        points[at] = {kClouds[at % kClouds.size()].x + 4 * random.unit() - 2,
                      kClouds[at % kClouds.size()].y + 4 * random.unit() - 2};
    Middles middles{points[0], points[1], points[2]};
    Status status = co_await broadcast_value(node, middles);
    for (unsigned round = 0; round < rounds && status == Status::ok; ++round) {
        std::array<Sum, kClouds.size()> sums{};
        for (const Point& point : points) {
            const auto nearest = std::ranges::min_element(
                middles, {}, [&](const Point& middle) { return apart(point, middle); });
            Sum& sum = sums[static_cast<unsigned>(nearest - middles.begin())];
            sum = sum + Sum{point.x, point.y, 1};
        }
        status = co_await allreduce_values(node, std::span{sums});
        for (unsigned cloud = 0; cloud < middles.size(); ++cloud)
            if (const auto n = double(sums[cloud].points); n > 0)
                middles[cloud] = {float(sums[cloud].x / n), float(sums[cloud].y / n)};
    }
    bool right = true;
    for (unsigned cloud = 0; cloud < middles.size(); ++cloud) {
        right = right && apart(middles[cloud], kClouds[cloud]) < 0.25f;
        if (index(node.id()) == 0)
            print("middle {:.2f} {:.2f}\n", middles[cloud].x, middles[cloud].y);
    }
    co_return status == Status::ok && !right ? Status::failed : status;
}
