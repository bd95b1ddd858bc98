// SAYS: no port
// LOSES: all parcels come, 4 nodes
constexpr Port next_port(Network, NodeId self, NodeId to, Port) {
    return port_at(index(self) ^ index(to));
}
