// build: --engine sim
// A large array, of which a node writes one page.
#include "meshputer.hpp"

#include <array>

std::array<char, 200'000> large;
mesh::Process app_main(mesh::Kernel& node) {
    const auto self = mesh::index(node.id());
    large[70'000] = static_cast<char>(self);
    const auto status = co_await mesh::barrier(node);
    co_return large[70'000] == static_cast<char>(self) ? status : mesh::Status::failed;
}
