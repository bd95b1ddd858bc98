// A tree that cannot name a node's parent is refused by the name of the concept.
// EXPECT: static assertion failed
// EXPECT: TreeOn
#include "core/network.hpp"

struct Orphan : mesh::SingleTree {
    static constexpr mesh::Rule kRule = mesh::Rule::sbt;
    static constexpr std::string_view kName = "orphan";
    static constexpr mesh::PortSequence children(mesh::Hypercube, const mesh::Hop&) { return {}; }
#ifdef MESH_COMPILES
    static constexpr mesh::Port parent(mesh::Hypercube, const mesh::Hop&) { return mesh::kNoPort; }
#endif
    static constexpr unsigned height(mesh::Hypercube cube) { return cube.dim; }
};

struct OrphanRules : mesh::CubeRules {
    using CubeTrees = mesh::TreeList<Orphan>;
};

unsigned links(mesh::Network network) {
    return mesh::subtree_count<OrphanRules>(network, mesh::Rule::sbt);
}
