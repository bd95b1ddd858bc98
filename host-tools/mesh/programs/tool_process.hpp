// A program that is run for what it does: compilers. What it says is kept.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace mesh::host {

class ToolProcess {
public:
    /// Starts `words`; what it prints goes to `output`, a file. UsageError: there is no such tool.
    ToolProcess(const std::vector<std::string>& words, std::string output);
    ToolProcess(ToolProcess&& other) noexcept;
    ToolProcess(const ToolProcess&) = delete;
    ToolProcess& operator=(const ToolProcess&) = delete;
    ~ToolProcess() { wait(); }

    /// Waits for its end; true if all went well.
    bool wait();
    /// What it has printed, when it has ended.
    std::string words() const;

private:
    pid_t pid_ = -1;
    std::string output_;
    bool good_ = false;
};

/// Runs it to its end.
bool run_tool(const std::vector<std::string>& words, const std::string& output, std::string& said);

} // namespace mesh::host
