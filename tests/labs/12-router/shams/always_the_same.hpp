// EARNS: 0
// SAYS: node
constexpr Port next_port(Network, NodeId, NodeId, Port) { return port_at(0); }
