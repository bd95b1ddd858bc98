constexpr Port next_port(Network, NodeId self, NodeId to, Port) {
    return port_at(lowest_bit(index(self) ^ index(to)));
}
