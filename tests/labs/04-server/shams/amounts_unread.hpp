// EARNS: 0
// SAYS: node
Task<Status> serve(Kernel& node, std::array<unsigned, kAccounts>& accounts) {
    for (unsigned left = (node.nodes() - 1) * kAccounts; left > 0; --left) {
        unsigned account = 0;
        const Received got = co_await receive_value(node, account, kAnySource, kAccount);
        accounts[account] += 100 * (account + 1) + index(got.source);
        std::ignore = co_await send_value(node, ~0u, got.source, kAnswer);
    }
    co_return Status::ok;
}
