// build: --engine sim
// A child that keeps a reference to a variable of transfer(), and writes when that has ended. With
// a word, the frame is taken again.
#include "meshputer.hpp"
namespace {
mesh::Process late(mesh::Kernel& node, unsigned& sum) {
    co_await node.sleep(5 * mesh::wire::kTicksPerUnit);
    sum = 3;
    co_return mesh::Status::ok;
}
mesh::Process transfer(mesh::Kernel& node) {
    unsigned sum = 0;
    if (!node.spawn(late(node, sum)))
        co_return mesh::Status::no_memory;
    co_await node.sleep(1);
    co_return sum == 0 ? mesh::Status::ok : mesh::Status::failed;
}
} // namespace
mesh::Process app_main(mesh::Kernel& node) {
    const mesh::Status status = co_await transfer(node);
    co_await node.sleep(9 * mesh::wire::kTicksPerUnit);
    if (!node.arguments().empty())
        std::ignore = co_await transfer(node);
    co_return status;
}
