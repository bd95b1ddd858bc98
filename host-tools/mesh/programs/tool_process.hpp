// A program that is run for what it does: compilers. What it says is kept.
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
    /// What it has printed, when it has ended; of a failure never nothing.
    std::string words() const;

private:
    std::string name_;
    pid_t pid_ = -1;
    Fd output_; // in memory: the folder for temporary files may be full
    bool good_ = false;
};

/// Runs it to its end.
bool run_tool(const std::vector<std::string>& words, std::string& said);

} // namespace mesh::host
