// EARNS: 0
// SAYS: which this check forbids
Task<Status> total(Kernel& node, unsigned mine, unsigned& sum) {
    sum = mine;
    co_return co_await allreduce_value(node, sum);
}
Task<Status> running(Kernel& node, unsigned mine, unsigned& sum) {
    sum = mine;
    co_return co_await scan_value(node, sum);
}
