// SAYS: no port
// LOSES: all parcels come, 4 nodes
constexpr Port next_port(Network, NodeId self, NodeId to, Port) {
    const unsigned up = ~index(self) & index(to);
    return up == 0 ? kNoPort : port_at(lowest_bit(up));
}
