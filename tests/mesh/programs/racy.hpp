// Node 0 makes a number of the senders in the order in which their messages come.
#pragma once

#include "meshputer.hpp"

bool is_right(unsigned order);

mesh::Process app_main(mesh::Kernel& node) {
    const unsigned me = mesh::index(node.id());
    if (me != 0)
        co_return co_await mesh::send(node, mesh::NodeId{0}, {.tag = 1},
                                      std::as_bytes(std::span{&me, 1}));
    unsigned order = 0;
    for (unsigned i = 1, who = 0; i < node.nodes(); ++i, order = order * 10 + who) {
        const mesh::Received got =
            co_await mesh::receive(node, std::as_writable_bytes(std::span{&who, 1}), 1);
        if (got.status != mesh::Status::ok)
            co_return got.status;
    }
    co_return is_right(order) ? mesh::Status::ok : mesh::Status::failed;
}
