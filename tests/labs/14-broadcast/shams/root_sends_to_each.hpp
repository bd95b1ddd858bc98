// EARNS: 0
// SAYS: and at most
Task<Status> tell_all(Kernel& node, std::span<std::byte> data) {
    for (std::size_t at = 0; at < data.size(); at += kPacketBytes)
        for (unsigned to = 1; to < node.nodes(); ++to) {
            Status status = Status::ok;
            if (node.id() == kRoot)
                status = co_await send(node, data.subspan(at, kPacketBytes), node_at(to));
            else if (index(node.id()) == to)
                status = (co_await receive(node, data.subspan(at, kPacketBytes), kRoot)).status;
            if (status != Status::ok)
                co_return status;
        }
    co_return Status::ok;
}
