// All nodes print in each of some rounds, which barriers divide.
#include "meshputer.hpp"

#include <cstdio>

mesh::Process app_main(mesh::Kernel& node) {
    for (unsigned round = 0; round < 4; ++round) {
        printf("round %u\n", round);
        const mesh::Status status = co_await mesh::barrier(node);
        if (status != mesh::Status::ok)
            co_return status;
    }
    co_return mesh::Status::ok;
}
