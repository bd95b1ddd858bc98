/// The tree whose packets a node sends by this port: its first one-bit from there on, round and
/// round.
constexpr unsigned tree_of(unsigned node, unsigned port, unsigned ports) {
    while ((node >> port & 1u) == 0)
        port = (port + 1) % ports;
    return port;
}

Task<Status> tell_all(Kernel& node, std::span<std::byte> data) {
    Outbox outbox{node, node.workspace()};
    const unsigned me = index(node.id());
    const unsigned packets = static_cast<unsigned>(data.size() / kPacketBytes);
    std::array<std::byte, kPacketBytes> packet{};
    Status status = Status::ok;
    for (unsigned count = 0; count < packets && status == Status::ok; ++count) {
        unsigned number = count;
        if (node.id() != kRoot) {
            const Received got = co_await receive(node, std::span{packet});
            if (got.status != Status::ok)
                co_return got.status;
            number = got.tag;
            std::ranges::copy(packet, data.subspan(number * kPacketBytes).begin());
        }
        const unsigned tree = number % node.ports();
        for (unsigned port = 0; port < node.ports() && status == Status::ok; ++port) {
            const NodeId to = node.neighbor(port_at(port));
            const bool serves =
                node.id() == kRoot ? port == tree : tree_of(me, port, node.ports()) == tree;
            if (serves && to != kRoot)
                status = outbox.try_put(data.subspan(number * kPacketBytes, kPacketBytes), to,
                                        static_cast<Tag>(number));
        }
    }
    co_return first_failure(status, co_await outbox.flush());
}
