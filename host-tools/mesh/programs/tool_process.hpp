// A tool, such as a compiler, run as a process; its output is kept. It ends with this process.
#pragma once

#include "host-tools/mesh/common/child_process.hpp"

#include <string>
#include <vector>

namespace mesh::host {

class ToolProcess {
public:
    /// Starts `words`, with `folder` for its temporary files; "": the usual one. UsageError: there
    /// is no such tool.
    explicit ToolProcess(const std::vector<std::string>& words, const std::string& folder = {});
    ToolProcess(ToolProcess&& other) noexcept = default;
    ToolProcess(const ToolProcess&) = delete;
    ToolProcess& operator=(const ToolProcess&) = delete;
    ~ToolProcess();

    /// Waits for its end; true if all went well. Interrupted, if HeldSignals are about.
    bool wait();
    /// The output of the tool, when it has ended; after a failure never empty.
    std::string words() const;

private:
    std::string name_;
    Fd output_; // in memory: the folder for temporary files may be full
    ChildProcess process_;
    bool good_ = false;
};

/// Runs a tool to its end. Interrupted, as above.
bool run_tool(const std::vector<std::string>& words, std::string& said,
              const std::string& folder = {});

} // namespace mesh::host
