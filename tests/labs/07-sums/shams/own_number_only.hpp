// EARNS: 0
// SAYS: and that is wrong
Task<Status> total(Kernel& node, unsigned mine, unsigned& sum) {
    sum = mine * node.nodes();
    co_await node.yield();
    co_return Status::ok;
}
Task<Status> running(Kernel& node, unsigned mine, unsigned& sum) {
    sum = mine * (index(node.id()) + 1);
    co_await node.yield();
    co_return Status::ok;
}
