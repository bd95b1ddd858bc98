// Of two processes the second believes that the first has run. // build: --engine sim
#include "meshputer.hpp"
namespace {
unsigned made = 0;
mesh::Process first(mesh::Kernel&) {
    made = 7;
    co_return mesh::Status::ok;
}
mesh::Process second(mesh::Kernel&) {
    co_return made == 7 ? mesh::Status::ok : mesh::Status::failed;
}
} // namespace
mesh::Process app_main(mesh::Kernel& node) {
    mesh::ProcessId one;
    mesh::ProcessId other;
    if (!node.spawn(first(node), one) || !node.spawn(second(node), other))
        co_return mesh::Status::no_memory;
    std::ignore = co_await node.join(one);
    co_return co_await node.join(other);
}
