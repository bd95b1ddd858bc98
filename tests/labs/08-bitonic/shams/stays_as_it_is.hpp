// EARNS: 0
// SAYS: and that is wrong
Task<Status> sort(Kernel& node, unsigned& key) {
    for (unsigned pass = 1; pass < node.nodes(); pass *= 2)
        for (unsigned bit = pass; bit > 0; bit /= 2) {
            unsigned theirs = 0; // is not looked at
            const NodeId partner = node_at(index(node.id()) ^ bit);
            const Received got = co_await sendrecv_value(node, key, partner, theirs, partner, kTag);
            if (got.status != Status::ok)
                co_return got.status;
        }
    co_return Status::ok;
}
