#include "load_tree.hpp"

#include "wire/load.hpp"

namespace mesh::host {

LoadTree load_tree(Network network) {
    struct Branch {
        NodeId node;
        unsigned depth;
        unsigned port;
    };
    const Rule rule = usual_tree(network.topology);
    LoadTree tree;
    for (std::vector<Branch> ahead{{NodeId{0}, 0, 0}}; !ahead.empty();) {
        const Branch at = ahead.back();
        ahead.pop_back();
        tree.nodes.push_back(at.node);
        tree.branches.push_back(wire::load_branch(at.depth, at.port));
        for (PortSequence down = children(network, rule, 0, NodeId{0}, at.node); !down.empty();) {
            const Port port = down.pop();
            ahead.push_back({neighbor(network, at.node, port), at.depth + 1, index(port)});
        }
    }
    return tree;
}

} // namespace mesh::host
