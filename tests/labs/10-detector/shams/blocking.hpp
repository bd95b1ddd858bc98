// EARNS: 0
// SAYS: which this check forbids
Process beat(Kernel& node) {
    for (unsigned number = 0; number < kBeats; ++number) {
        for (unsigned port = 0; port < node.ports(); ++port)
            std::ignore = co_await send_value(node, number, node.neighbor(port_at(port)), kBeat);
        co_await node.sleep(kPeriod);
    }
    co_return Status::ok;
}
Process watch(Kernel& node, NodeId neighbor) {
    for (unsigned number = 0; number < kBeats; ++number) {
        unsigned beat = 0;
        const Received got = co_await receive_within(node, beat, 2 * kPeriod, neighbor, kBeat);
        if (got.status != Status::ok) {
            suspect(neighbor);
            co_return Status::ok;
        }
    }
    co_return Status::ok;
}
