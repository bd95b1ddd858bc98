// pi: throws darts at a circle on every node and adds up the hits. Words: darts of each (10000).
#include "meshputer.hpp"

mesh::Process app_main(mesh::Kernel& node) {
    const auto darts = mesh::word<std::uint32_t>(node, 0, 10'000);
    mesh::Random random(node);
    std::uint64_t hits = 0;
    for (std::uint32_t dart = 0; dart < darts; ++dart) {
        const float x = random.unit();
        const float y = random.unit();
        hits += x * x + y * y < 1 ? 1 : 0;
    }
    const mesh::Status status = co_await mesh::reduce_value(node, hits);
    const std::uint64_t all = std::uint64_t{darts} * node.nodes();
    if (mesh::index(node.id()) == 0 && all != 0)
        mesh::print("{} of {} hit: {:.4f}\n", hits, all,
                    4.0f * static_cast<float>(hits) / static_cast<float>(all));
    co_return status;
}
