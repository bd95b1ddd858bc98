// Instructions that a node spends on where a packet goes: every rule of firmware/core, at every
// node (and, where there are several trees, at each node in one of them, in turn).
//
// A figure is a whole call, return included. `rule`: the plain functions from relative address or
// port to ports; `tree`: children in their order and parent as route() asks for them, from node
// numbers. The root is node 0.
#include "core/network.hpp"
#include "tests/bench/instructions/counter.hpp"
#include "tests/target/suite.hpp"

#include <concepts>
#include <initializer_list>

using namespace mesh;

namespace {

constexpr std::uint32_t kSbtChildrenMax = 10;
constexpr std::uint32_t kMsbtChildrenMax = 30;
constexpr std::uint32_t kBalancedMax = 200;

struct Cost {
    std::uint64_t total = 0;
    std::uint32_t calls = 0;
    std::uint32_t most = 0;

    void add(std::uint32_t instructions) {
        total += instructions;
        ++calls;
        most = instructions > most ? instructions : most;
    }
    std::uint32_t hundredths() const {
        return calls == 0 ? 0 : static_cast<std::uint32_t>((100 * total + calls / 2) / calls);
    }
    void print() const {
        if (calls == 0)
            printf("%12s%6s", "-", "-");
        else
            printf("%9u.%02u%6u", static_cast<unsigned>(hundredths() / 100),
                   static_cast<unsigned>(hundredths() % 100), static_cast<unsigned>(most));
    }
};

void print_row(const char* kind, const char* name, unsigned dim, const Cost& first,
               const Cost* second = nullptr) {
    printf("%-6s%-22s%4u", kind, name, dim);
    first.print();
    if (second != nullptr)
        second->print();
    printf("\n");
}

// ---- plain functions of the cube
// -----------------------------------------------------------------

/// `place`: relative address; `extra`: arrival port, subtree or nothing.
using CubeRule = std::uint32_t (*)(Hypercube cube, std::uint32_t place, std::uint32_t extra);

[[gnu::noipa]] std::uint32_t next_hop_port(Hypercube cube, std::uint32_t self,
                                           std::uint32_t destination) {
    return index(cube.next_hop(node_at(self), node_at(destination)));
}
[[gnu::noipa]] std::uint32_t sbt_children_bits(Hypercube cube, std::uint32_t place, std::uint32_t) {
    return sbt_children(cube, Relative{place});
}
[[gnu::noipa]] std::uint32_t sbt_parent_port(Hypercube, std::uint32_t place, std::uint32_t) {
    return index(sbt_parent(Relative{place}));
}
[[gnu::noipa]] std::uint32_t bs_children_bits(Hypercube cube, std::uint32_t,
                                              std::uint32_t arrival) {
    return bs_children(cube, port_at(arrival));
}
[[gnu::noipa]] std::uint32_t hp_children_bits(Hypercube cube, std::uint32_t place, std::uint32_t) {
    return hp_children(cube, Relative{place});
}
[[gnu::noipa]] std::uint32_t hp_parent_port(Hypercube, std::uint32_t place, std::uint32_t) {
    return index(hp_parent(Relative{place}));
}
[[gnu::noipa]] std::uint32_t msbt_children_bits(Hypercube cube, std::uint32_t place,
                                                std::uint32_t subtree) {
    return msbt_children(cube, Relative{place}, subtree);
}
[[gnu::noipa]] std::uint32_t msbt_parent_port(Hypercube cube, std::uint32_t place,
                                              std::uint32_t subtree) {
    return index(msbt_parent(cube, Relative{place}, subtree));
}
[[gnu::noipa]] std::uint32_t msbt_light_bits(Hypercube cube, std::uint32_t arrival,
                                             std::uint32_t subtree) {
    return msbt_children_light(cube, port_at(arrival), subtree, false);
}
[[gnu::noipa]] std::uint32_t tcbt_children_bits(Hypercube cube, std::uint32_t place,
                                                std::uint32_t) {
    return tcbt_children(cube, Relative{place});
}
[[gnu::noipa]] std::uint32_t tcbt_parent_port(Hypercube cube, std::uint32_t place, std::uint32_t) {
    return index(tcbt_parent(cube, Relative{place}));
}

/// All nodes but the root; `extra` runs through 0..dim-1 beside them.
Cost cost_of(const bench::Counter& counter, CubeRule rule, Hypercube cube) {
    Cost cost;
    std::uint32_t extra = 0;
    for (std::uint32_t place = 1; place < cube.node_count(); ++place) {
        cost.add(counter.call(rule, cube, place, extra));
        extra = extra + 1 < cube.dim ? extra + 1 : 0;
    }
    return cost;
}

/// From a port and a subtree alone, all pairs.
Cost cost_of_light(const bench::Counter& counter, Hypercube cube) {
    Cost cost;
    for (std::uint32_t arrival = 0; arrival < cube.dim; ++arrival)
        for (std::uint32_t subtree = 0; subtree < cube.dim; ++subtree)
            cost.add(counter.call(&msbt_light_bits, cube, arrival, subtree));
    return cost;
}

void measure_cube_rules(const bench::Counter& counter, std::uint8_t dim, target::Suite& suite) {
    const Hypercube cube{dim};
    struct Row {
        const char* name;
        CubeRule rule;
        std::uint32_t limit;
    };
    constexpr std::uint32_t kNone = ~0u;
    for (const Row row :
         {Row{"unicast next hop", &next_hop_port, kNone},
          Row{"sbt children", &sbt_children_bits, kSbtChildrenMax},
          Row{"sbt parent", &sbt_parent_port, kNone}, Row{"bs children", &bs_children_bits, kNone},
          Row{"hp children", &hp_children_bits, kNone}, Row{"hp parent", &hp_parent_port, kNone},
          Row{"msbt children", &msbt_children_bits, kMsbtChildrenMax},
          Row{"msbt parent", &msbt_parent_port, kNone},
          Row{"tcbt children", &tcbt_children_bits, kNone},
          Row{"tcbt parent", &tcbt_parent_port, kNone}}) {
        const Cost cost = cost_of(counter, row.rule, cube);
        print_row("rule", row.name, dim, cost);
        if (row.limit != kNone)
            suite.claim(row.name, cost.calls != 0 && cost.most <= row.limit);
    }
    print_row("rule", "msbt children by port", dim, cost_of_light(counter, cube));
}

// ---- all trees
// -----------------------------------------------------------------------------------

template <class Tree, class Net>
[[gnu::noipa]] PortSequence children_of(Net net, const Hop& hop) {
    return Tree::children(net, hop);
}
template <class Tree, class Net>
[[gnu::noipa]] Port parent_of(Net net, const Hop& hop) {
    return Tree::parent(net, hop);
}

/// The balanced trees of the papers, and the binary tree: children and parent.
constexpr bool is_limited(Rule rule) {
    return rule >= Rule::tcbt && rule <= Rule::sbg && rule != Rule::msbt;
}

template <class Tree, class Net>
void measure_tree(const bench::Counter& counter, Net net, unsigned dim, target::Suite& suite) {
    Cost children, parents;
    unsigned turn = 0;
    for (std::uint32_t node = 0; node < net.node_count(); ++node) {
        const unsigned subtree = Tree::first_subtree() + turn;
        turn = turn + 1 < Tree::subtree_count(net) ? turn + 1 : 0;
        Hop hop{node_at(node), node_at(0), kNoPort, static_cast<std::uint8_t>(subtree)};
        if (node != 0)
            parents.add(counter.call(&parent_of<Tree, Net>, net, hop));
        hop.arrival = Tree::parent(net, hop);
        if constexpr (std::same_as<Net, UniHypercube>)
            hop.tag = uhc::arrival_tag(net, Tree::kRule, hop);
        children.add(counter.call(&children_of<Tree, Net>, net, hop));
    }
    print_row("tree", Tree::kName.data(), dim, children, &parents);
    if (is_limited(Tree::kRule))
        suite.claim(Tree::kName.data(),
                    children.most <= kBalancedMax && parents.most <= kBalancedMax);
}

template <class Net, class... Trees>
void measure_trees(const bench::Counter& counter, TreeList<Trees...>, Net net, unsigned dim,
                   target::Suite& suite) {
    (measure_tree<Trees>(counter, net, dim, suite), ...);
}

// ---- plain functions of the star
// -----------------------------------------------------------------

[[gnu::noipa]] Label label_of(StarGraph net, NodeId node) { return net.unrank(node); }
[[gnu::noipa]] NodeId number_of(StarGraph net, const Label& label) { return net.rank(label); }
[[gnu::noipa]] Port star_next_hop(StarGraph net, NodeId self, NodeId destination) {
    return net.next_hop(self, destination);
}
[[gnu::noipa]] Port uhc_next_hop(UniHypercube net, NodeId self, NodeId destination) {
    return net.next_hop(self, destination);
}

template <class Net>
Cost next_hop_cost(const bench::Counter& counter, Port (*next_hop)(Net, NodeId, NodeId), Net net) {
    Cost cost;
    for (std::uint32_t node = 1; node < net.node_count(); ++node)
        cost.add(counter.call(next_hop, net, node_at(node), node_at(0)));
    return cost;
}

void measure_star_rules(const bench::Counter& counter, std::uint8_t symbols) {
    const StarGraph net{symbols};
    Cost unrank, rank;
    for (std::uint32_t node = 0; node < net.node_count(); ++node) {
        unrank.add(counter.call(&label_of, net, node_at(node)));
        const Label label = net.unrank(node_at(node));
        rank.add(counter.call(&number_of, net, label));
    }
    print_row("rule", "star unrank", symbols, unrank);
    print_row("rule", "star rank", symbols, rank);
    print_row("rule", "star next hop", symbols, next_hop_cost(counter, &star_next_hop, net));
}

} // namespace

int main() {
    target::Suite suite("instructions_rules");
    const bench::Counter counter;
    suite.claim("SysTick counts every instruction", counter.exact());
    printf("%-28s%4s%12s%6s%12s%6s\n", "instructions of", "n", "average", "max", "parent", "max");
    for (const std::uint8_t dim : {std::uint8_t{8}, std::uint8_t{16}}) {
        measure_cube_rules(counter, dim, suite);
        measure_trees(counter, AllRules::CubeTrees{}, Hypercube{dim}, dim, suite);
    }
    const UniHypercube uhc{8};
    print_row("rule", "uhc next hop", 8, next_hop_cost(counter, &uhc_next_hop, uhc));
    measure_trees(counter, AllRules::UhcTrees{}, uhc, 8, suite);
    for (std::uint8_t symbols = 4; symbols <= 8; ++symbols) {
        measure_star_rules(counter, symbols);
        measure_trees(counter, AllRules::StarTrees{}, StarGraph{symbols}, symbols, suite);
    }
    return suite.end();
}
