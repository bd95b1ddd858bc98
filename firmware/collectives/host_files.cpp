#include "collectives/host_files.hpp"

#include "wire/bytes.hpp"

#include <algorithm>

namespace mesh {

Task<Status> read_input(Kernel& kernel, std::uint32_t position, std::span<std::byte> out) {
    const std::uint32_t size = input_bytes(kernel);
    if (position > size || out.size() > size - position)
        co_return Status::bad_argument;
    while (!out.empty()) {
        const auto piece = out.first(std::min(out.size(), wire::kHostPieceBytesMax));
        while (!co_await kernel.pull(position, piece)) {
        }
        position += static_cast<std::uint32_t>(piece.size());
        out = out.subspan(piece.size());
    }
    co_return Status::ok;
}

void write_output(Kernel& kernel, std::uint32_t position, std::span<const std::byte> data) {
    while (!data.empty()) {
        const auto part = data.first(std::min(data.size(), wire::kHostPieceBytesMax));
        const wire::Piece piece{position, static_cast<std::uint32_t>(part.size())};
        kernel.host_send(wire::HostTag::push, wire::bytes_of(piece), part);
        position += piece.bytes;
        data = data.subspan(part.size());
    }
}

} // namespace mesh
