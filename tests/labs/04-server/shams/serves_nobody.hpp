// EARNS: 0
// SAYS: waited in vain
Task<Status> serve(Kernel& node, std::array<unsigned, kAccounts>& accounts) {
    accounts.fill(0);
    co_await node.yield();
    co_return Status::ok;
}
