// The folder of --log: for each node a file of its console and one of its emulator's errors, the
// command that repeats the run, the report, and why nodes were not forked, if they were to be.
//
// A file is made when its first text comes. No file grows beyond bounds::kLogBytesMax: its last
// line then says that more was cut.
#pragma once

#include "core/base/types.hpp"
#include "host-tools/mesh/common/child_process.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace mesh::host {

class RunLog {
public:
    /// Makes the folder; one that is there must be empty. "": nothing is logged. UsageError.
    explicit RunLog(std::string folder);

    void command(std::string_view command);
    /// Why emulators were started each by itself where one was to fork for all.
    void boot(std::string_view why_not_fork);
    void console_line(NodeId node, std::string_view line);
    void error_line(NodeId node, std::string_view line);

private:
    void add_line(const std::string& file, std::string_view line);
    Fd opened(const std::string& file);

    std::string folder_;
    /// A file that has been written to.
    struct File {
        std::size_t bytes = 0;
        Fd open; // or not, if many are
    };

    std::map<std::string, File> files_;
    std::size_t open_ = 0;
};

/// The report's place in the folder of --log.
std::string report_of_log(const std::string& folder);

} // namespace mesh::host
