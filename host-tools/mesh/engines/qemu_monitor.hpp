// The monitor of one QEMU, through which the host tool reads the memory of its node. The node works
// on meanwhile and knows nothing of it.
#pragma once

#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/programs/image_symbols.hpp"
#include "node_waits.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace mesh::host {

/// A node in an emulator, by its monitor (a socket) and its image.
class EmulatedMemory final : public ProcessMemory {
public:
    /// Both must outlive this.
    EmulatedMemory(const Fd& monitor, const ImageSymbols& image);

    bool read(std::uint64_t address, std::span<std::byte> out) override;
    std::string function_at(std::uint64_t address) override;

private:
    static constexpr std::size_t kLineBytes = 64; // read at once
    using Line = std::array<std::byte, kLineBytes>;

    const Line* line_at(std::uint64_t address);
    bool fetch(std::uint64_t address, Line& line);
    std::optional<std::string> next_text();

    const Fd& monitor_;
    const ImageSymbols& image_;
    std::map<std::uint64_t, Line> lines_;
    std::string text_; // come and not looked at
    bool silent_ = false;
};

} // namespace mesh::host
