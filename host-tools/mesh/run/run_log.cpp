#include "run_log.hpp"

#include "host-tools/mesh/cables/bounds.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <utility>

namespace mesh::host {

namespace {
constexpr std::string_view kCutMark = "(more was cut: this file is full)";
}

RunLog::RunLog(std::string folder) : folder_(std::move(folder)) {
    if (folder_.empty())
        return;
    check_new_folder(folder_, "--log");
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error)
        refuse("--log '{}': {}", folder_, error.message());
}

void RunLog::command(std::string_view command) { add_line("command", command); }

void RunLog::console_line(NodeId node, std::string_view line) {
    add_line(fmt::format("node-{}.console", index(node)), line);
}

void RunLog::error_line(NodeId node, std::string_view line) {
    add_line(fmt::format("node-{}.stderr", index(node)), line);
}

void RunLog::add_line(const std::string& file, std::string_view line) {
    if (folder_.empty())
        return;
    std::size_t& bytes = bytes_[file];
    if (bytes > bounds::kLogBytesMax)
        return;
    const bool full = bytes + line.size() + 1 + kCutMark.size() + 1 > bounds::kLogBytesMax;
    std::ofstream out(fmt::format("{}/{}", folder_, file), std::ios::app | std::ios::binary);
    out << (full ? kCutMark : line) << '\n';
    if (!out.flush())
        throw RunError(fmt::format("--log '{}': cannot be written", folder_));
    bytes = full ? bounds::kLogBytesMax + 1 : bytes + line.size() + 1;
}

std::string report_of_log(const std::string& folder) { return folder + "/report.json"; }

} // namespace mesh::host
