// EARNS: 0
// SAYS: and that is wrong
Process beat(Kernel& node) {
    Outbox outbox{node, node.workspace()};
    for (unsigned number = 0; number < kBeats; ++number) {
        for (unsigned port = 0; port < node.ports(); ++port)
            std::ignore = outbox.try_put(number, node.neighbor(port_at(port)), kBeat);
        co_await node.sleep(kPeriod);
    }
    std::ignore = co_await outbox.flush();
    co_return Status::ok;
}
Process watch(Kernel& node, NodeId neighbor) {
    for (unsigned number = 0; number < kBeats; ++number) {
        unsigned beat = 0;
        std::ignore = co_await receive_within(node, beat, 4 * kPeriod, neighbor, kBeat);
    }
    if (index(neighbor) % 4 == 2 || index(neighbor) == 5) // those of check.toml
        suspect(neighbor);
    co_return Status::ok;
}
