// Lab 4: clients of a store. Given: it stays as it is. Node 0 serves, the others ask. Words: what a
// node has for each account; the store puts in its own at the end.
//
// A client deposits for three accounts: it says by a first message which account, and by a second
// one how much. Then it waits for the answer: what the account has now.
#include "meshputer.hpp"

using namespace mesh;

constexpr NodeId kServer{0};
constexpr unsigned kAccounts = 3;
constexpr Tag kAccount = 1, kAmount = 2, kAnswer = 3;

#include "answer.hpp"

Process client(Kernel& node) {
    const unsigned me = index(node.id());
    Outbox outbox{node, node.workspace()}; // which sends without a wait for the server
    for (unsigned account = 0; account < kAccounts; ++account) {
        const auto amount = word<unsigned>(node, account, 100 * (account + 1) + me);
        Status status = outbox.try_put(account, kServer, kAccount);
        if (status == Status::ok)
            status = outbox.try_put(amount, kServer, kAmount);
        unsigned has = 0;
        if (status == Status::ok)
            status = (co_await receive_value(node, has, kServer, kAnswer)).status;
        if (status != Status::ok)
            co_return status;
        if (has < amount)
            print("account {} has {}, less than I put in\n", account, has);
    }
    co_return co_await outbox.flush();
}

Process app_main(Kernel& node) {
    if (node.id() != kServer)
        co_return co_await client(node);
    std::array<unsigned, kAccounts> accounts{};
    const Status status = co_await serve(node, accounts);
    for (unsigned account = 0; account < kAccounts; ++account)
        print("account {}: {}\n", account, accounts[account] + word<unsigned>(node, account, 0));
    co_return status;
}
