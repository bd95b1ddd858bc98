// SAYS: a circle
// LOSES: the sum of all, at 8 nodes
Task<Status> total(Kernel& node, unsigned mine, unsigned& sum) {
    sum = mine;
    for (unsigned dim = 0; dim < node.ports(); ++dim) {
        const NodeId partner = node_at((index(node.id()) + (1u << dim)) % node.nodes());
        const unsigned sent = sum;
        unsigned theirs = 0;
        const Received got = co_await sendrecv_value(node, sent, partner, theirs, partner, kTag);
        if (got.status != Status::ok)
            co_return got.status;
        sum += theirs;
    }
    co_return Status::ok;
}

Task<Status> running(Kernel& node, unsigned mine, unsigned& sum) {
    sum = mine;
    unsigned whole = mine;
    for (unsigned dim = 0; dim < node.ports(); ++dim) {
        const NodeId partner = node.neighbor(port_at(dim));
        const unsigned sent = whole;
        unsigned theirs = 0;
        const Received got = co_await sendrecv_value(node, sent, partner, theirs, partner, kTag);
        if (got.status != Status::ok)
            co_return got.status;
        whole += theirs;
        if (partner < node.id())
            sum += theirs;
    }
    co_return Status::ok;
}
