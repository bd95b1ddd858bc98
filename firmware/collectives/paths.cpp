#include "collectives/paths.hpp"

#include "core/schedules/star_paths.hpp"
#include "core/schedules/uhc_paths.hpp"

namespace mesh {

namespace {
template <class F>
auto with_paths(const NetworkPaths& paths, F f) {
    if (paths.network.topology == Topology::star)
        return f(StarPaths{StarGraph{paths.network.dim}, paths.rule});
    return f(UhcPaths{UniHypercube{paths.network.dim}, paths.rule, paths.root, paths.inward});
}
} // namespace

unsigned NetworkPaths::trees() const {
    return with_paths(*this, [](const auto& paths) { return paths.trees(); });
}
std::uint32_t NetworkPaths::nodes() const {
    return with_paths(*this, [](const auto& paths) { return paths.nodes(); });
}
unsigned NetworkPaths::height() const {
    return with_paths(*this, [](const auto& paths) { return paths.height(); });
}
PathLook NetworkPaths::look(std::uint32_t node) const {
    return with_paths(*this, [=](const auto& paths) { return paths.look(node); });
}
NodeId NetworkPaths::place(NodeId from, std::uint32_t node) const {
    return with_paths(*this, [=](const auto& paths) { return paths.place(from, node); });
}
std::uint32_t NetworkPaths::relative(NodeId from, NodeId node) const {
    return with_paths(*this, [=](const auto& paths) { return paths.relative(from, node); });
}
unsigned NetworkPaths::first_tree(NodeId node) const {
    return with_paths(*this, [=](const auto& paths) { return paths.first_tree(node); });
}

} // namespace mesh
