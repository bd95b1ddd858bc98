// EARNS: 0
// SAYS: and that is wrong
Task<Status> total(Kernel& node, unsigned, unsigned& sum) {
    sum = 0;
    for (unsigned i = 0; i < node.nodes(); ++i)
        sum += i * i + 1;
    co_await node.yield();
    co_return Status::ok;
}
Task<Status> running(Kernel& node, unsigned, unsigned& sum) {
    sum = 0;
    for (unsigned i = 0; i <= index(node.id()); ++i)
        sum += i * i + 1;
    co_await node.yield();
    co_return Status::ok;
}
