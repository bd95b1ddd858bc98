// Gives way, and waits for no time.
#include "meshputer.hpp"
using namespace mesh;
Process app_main(Kernel& node) {
    co_await node.yield();
    co_return Status::ok;
}
