Task<Status> sort(Kernel& node, unsigned& key) {
    const unsigned me = index(node.id());
    for (unsigned size = 1; size <= node.ports(); ++size)
        for (unsigned dim = size; dim-- > 0;) {
            const NodeId partner = node.neighbor(port_at(dim));
            const unsigned mine = key;
            unsigned theirs = 0;
            const Received got =
                co_await sendrecv_value(node, mine, partner, theirs, partner, kTag);
            if (got.status != Status::ok)
                co_return got.status;
            const bool rising = (me >> size & 1) == 0;
            const bool lower = (me >> dim & 1) == 0;
            key = rising == lower ? std::min(mine, theirs) : std::max(mine, theirs);
        }
    co_return Status::ok;
}
