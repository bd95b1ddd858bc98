#include "run_log.hpp"

#include "host-tools/mesh/cables/bounds.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <filesystem>
#include <span>
#include <utility>

namespace mesh::host {

namespace {
constexpr std::string_view kCutMark = "(more was cut: this file is full)";
constexpr std::size_t kOpenMax = 64;
constexpr int kRights = 0666;
} // namespace

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

void RunLog::boot(std::string_view why_not_fork) {
    add_line("boot", fmt::format("exec, not fork: {}", why_not_fork));
}

void RunLog::console_line(NodeId node, std::string_view line) {
    add_line(fmt::format("node-{}.console", index(node)), line);
}

void RunLog::error_line(NodeId node, std::string_view line) {
    add_line(fmt::format("node-{}.stderr", index(node)), line);
}

void RunLog::add_line(const std::string& file, std::string_view line) {
    if (folder_.empty())
        return;
    auto& [bytes, open_file] = files_[file];
    if (bytes > bounds::kLogBytesMax)
        return;
    if (open_file.get() < 0)
        open_file = opened(file);
    const bool full = bytes + line.size() + 1 + kCutMark.size() + 1 > bounds::kLogBytesMax;
    const std::string text = fmt::format("{}\n", full ? kCutMark : line);
    if (open_file.get() < 0 || write_all(open_file.get(), std::as_bytes(std::span(text))) != 0)
        throw RunError(fmt::format("--log '{}': cannot be written", folder_));
    bytes = full ? bounds::kLogBytesMax + 1 : bytes + text.size();
}

/// Opens a file to write at its end. In a large mesh not all files can be open at once.
Fd RunLog::opened(const std::string& file) {
    if (open_++ == kOpenMax) {
        for (auto& [name, other] : files_)
            other.open = Fd();
        open_ = 1;
    }
    return Fd(open(fmt::format("{}/{}", folder_, file).c_str(),
                   O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kRights));
}

std::string report_of_log(const std::string& folder) { return folder + "/report.json"; }

} // namespace mesh::host
