// SAYS: ' in its line 1, and that is wrong
// LOSES: nobody is dead, nobody is suspected
Process beat(Kernel& node) {
    Outbox outbox{node, node.workspace()};
    for (unsigned number = 0; number < kBeats; ++number) {
        for (unsigned port = 0; port < node.ports(); ++port)
            if (outbox.try_put(number, node.neighbor(port_at(port)), kBeat) != Status::ok)
                co_return Status::no_memory;
        co_await node.sleep(kPeriod);
    }
    std::ignore = co_await outbox.flush(); // a dead neighbour has not taken them all
    co_return Status::ok;
}

Process watch(Kernel& node, NodeId neighbor) {
    for (unsigned number = 0; number < kBeats; ++number) {
        unsigned beat = 0;
        const Received got = co_await receive_within(node, beat, kPeriod - kUnit, neighbor, kBeat);
        if (got.status == Status::timed_out || got.status == Status::unreachable) {
            suspect(neighbor);
            co_return Status::ok;
        }
        if (got.status != Status::ok)
            co_return got.status;
    }
    co_return Status::ok;
}
