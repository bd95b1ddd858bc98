#include "flash_files.hpp"

#include "host-tools/mesh/common/errors.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace mesh::host {

std::string flash_file(const RigPlan& plan, NodeId node) {
    return fmt::format("{}/{}.flash", plan.options.flash, index(node));
}

void make_flash_files(const RigPlan& plan) {
    for (std::uint32_t node = 0; node < node_count(plan.network); ++node) {
        const std::string file = flash_file(plan, node_at(node));
        if (!std::filesystem::exists(file))
            std::ofstream(file, std::ios::binary) << std::string(plan.board.flash_bytes, '\xFF');
        std::error_code error;
        if (std::filesystem::file_size(file, error) != plan.board.flash_bytes || error)
            refuse("--flash: '{}': is no flash of a node of {}, of {} bytes", file, plan.board.name,
                   plan.board.flash_bytes);
    }
}

} // namespace mesh::host
