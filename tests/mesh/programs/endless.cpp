// What never ends: word 0 says how, word 1 from which node on.
#include "meshputer.hpp"
namespace {
volatile unsigned turns = 0;
mesh::Process gives_way(mesh::Kernel& node) { // livelock
    for (;;)
        co_await node.yield();
}
mesh::Process sleeps(mesh::Kernel& node) {
    co_await node.sleep(mesh::wire::kNever);
    co_return mesh::Status::ok;
}
} // namespace
mesh::Process app_main(mesh::Kernel& node) {
    const int what = mesh::word<int>(node, 0, 0);
    if (mesh::index(node.id()) < mesh::word<unsigned>(node, 1, 0))
        co_return mesh::Status::ok;
    if (what == 1)
        co_return co_await gives_way(node);
    if (what == 2)
        co_return co_await sleeps(node);
    while (what == 3)
        turns = turns + 1; // loop
    co_return mesh::Status::ok;
}
