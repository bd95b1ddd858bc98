// Apart from cube.cpp, so that the linker takes it only for programs that use trees.
#include "core/schedules/timetable.hpp"
#include "kernel/base/rule_set.hpp"

namespace mesh {

namespace {

// Some broadcasts are faster if all nodes keep to one timetable: msbt with one transceiver, the
// last packets of msbt_rot. The time at which this packet came tells when the timetable began.
wire::ModelTime appointment(Network network, const ModelClock& clock, NodeId self, Port port,
                            const PacketBuffer& buffer) {
    const wire::PacketHeader& header = buffer.header;
    const bool msbt = header.rule == Rule::msbt || header.rule == Rule::msbt_rot;
    if (!msbt || header.destination != kNoNode || header.is_part())
        return 0;
    const Hypercube cube{network.dim};
    const Relative relative = relative_address(self, header.source);
    const std::uint32_t whole =
        header.message != 0 ? header.position / header.message : header.moved_bytes();
    const std::uint32_t packets = whole == 0 ? 1 : (header.total_bytes + whole - 1) / whole;
    std::uint32_t lag = 0;
    if (header.subtree >= cube.dim)
        lag = rotated_lag(cube, relative, port, header.subtree - cube.dim, header.message);
    else if (clock.model() == PortModel::half)
        lag = msbt_lag(cube, relative, port, header.subtree, header.message, packets);
    if (lag == 0)
        return 0;
    const wire::ModelTime on_the_way =
        header.source == self ? 0 : clock.duration(header.moved_bytes());
    return buffer.ready - on_the_way + lag * clock.duration(whole);
}

} // namespace

extern const TreeRules kCubeTrees;
const TreeRules kCubeTrees{
    .route = route<CubeRules>,
    .height = height<CubeRules>,
    .subtree_count = subtree_count<CubeRules>,
    .first_subtree = first_subtree<CubeRules>,
    .parent = parent<CubeRules>,
    .children = children<CubeRules>,
    .appointment = appointment,
};

const TreeRules& tree_rules(Topology topology) {
    return topology == Topology::cube ? kCubeTrees : *rules_of(topology).trees;
}

} // namespace mesh
