// A tree that cannot name a node's parent is refused by name of the concept, not deep in a template.
// EXPECT: TreeOn
#include "core/network.hpp"

struct Orphan : mesh::SingleTree {
    static constexpr mesh::Rule kRule = mesh::Rule::sbt;
    static constexpr std::string_view kName = "orphan";
    static constexpr mesh::PortSequence children(mesh::Hypercube, const mesh::Hop&) { return {}; }
    static constexpr unsigned height(mesh::Hypercube cube) { return cube.dim; }
};

mesh::Route step(mesh::Hypercube cube, const mesh::Hop& hop) {
    return mesh::detail::tree_route(cube, Orphan{}, hop);
}
