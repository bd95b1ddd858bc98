// EARNS: 0
// SAYS: and that is wrong
Task<Status> serve(Kernel& node, std::array<unsigned, kAccounts>& accounts) {
    unsigned all = 0;
    for (unsigned left = (node.nodes() - 1) * kAccounts; left > 0; --left) {
        unsigned account = 0, amount = 0;
        const Received got = co_await receive_value(node, account, kAnySource, kAccount);
        std::ignore = co_await receive_value(node, amount, got.source, kAmount);
        std::ignore = co_await send_value(node, ~0u, got.source, kAnswer);
        all += amount;
    }
    accounts.fill(all / kAccounts);
    co_return Status::ok;
}
