// EARNS: 0
// SAYS: node
constexpr Port next_port(Network net, NodeId, NodeId, Port arrival) {
    return port_at(arrival == kNoPort ? 0 : (index(arrival) + 1) % net.dim);
}
