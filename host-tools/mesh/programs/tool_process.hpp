// A tool, such as a compiler, run as a process; its output is kept.
#pragma once

#include "host-tools/mesh/common/child_process.hpp"

#include <string>
#include <sys/types.h>
#include <vector>

namespace mesh::host {

class ToolProcess {
public:
    /// Starts `words`. UsageError: there is no such tool.
    explicit ToolProcess(const std::vector<std::string>& words);
    ToolProcess(ToolProcess&& other) noexcept;
    ToolProcess(const ToolProcess&) = delete;
    ToolProcess& operator=(const ToolProcess&) = delete;
    ~ToolProcess() { wait(); }

    /// Waits for its end; true if all went well.
    bool wait();
    /// The output of the tool, when it has ended; after a failure never empty.
    std::string words() const;

private:
    std::string name_;
    pid_t pid_ = -1;
    Fd output_; // in memory: the folder for temporary files may be full
    bool good_ = false;
};

/// Runs a tool to its end.
bool run_tool(const std::vector<std::string>& words, std::string& said);

} // namespace mesh::host
