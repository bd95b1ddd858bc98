// EARNS: 0
// SAYS: and that is wrong
Task<Status> sort(Kernel& node, unsigned& key) {
    key += index(node.id());
    co_await node.yield();
    co_return Status::ok;
}
