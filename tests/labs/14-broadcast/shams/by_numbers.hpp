// EARNS: 0
// SAYS: and at most
Task<Status> tell_all(Kernel& node, std::span<std::byte> data) {
    const unsigned me = index(node.id()); // from each number to the next, however far it is
    for (std::size_t at = 0; at < data.size(); at += kPacketBytes) {
        const auto packet = data.subspan(at, kPacketBytes);
        Status status = Status::ok;
        if (me > 0)
            status = (co_await receive(node, packet, node_at(me - 1))).status;
        if (status == Status::ok && me + 1 < node.nodes())
            status = co_await send(node, packet, node_at(me + 1));
        if (status != Status::ok)
            co_return status;
    }
    co_return Status::ok;
}
