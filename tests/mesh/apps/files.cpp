// Reads the last byte of the input and writes it at the position that the first word says times
// the node's number; what lies behind the input cannot be read.
#include "meshputer.hpp"

#include <array>
#include <charconv>

mesh::Process app_main(mesh::Kernel& node) {
    std::array<std::byte, 1> byte{};
    const std::uint32_t size = mesh::input_bytes(node);
    const std::array<std::uint32_t, 3> outside{size, size + 1, ~0u};
    for (const std::uint32_t position : outside) {
        const mesh::Status status = co_await mesh::read_input(node, position, byte);
        if (status != mesh::Status::bad_argument)
            co_return mesh::Status::failed;
    }
    const mesh::Status status = co_await mesh::read_input(node, size - 1, byte);
    if (status != mesh::Status::ok || node.arguments().empty())
        co_return mesh::Status::failed;
    const std::string_view word = node.arguments()[0];
    std::uint32_t apart = 0;
    std::from_chars(word.data(), word.data() + word.size(), apart);
    mesh::write_output(node, apart * mesh::index(node.id()), byte);
    co_return mesh::Status::ok;
}
