// Runs as child processes: several at once, each with its words apart and its report read.
//
// A child is this very program with `run` and the case's options. Its output is kept only as far as
// it tells why the run failed. The destructor of the crew ends all children.
#pragma once

#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/common/signals.hpp"
#include "host-tools/mesh/reports/case_result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mesh::host {

class Crew {
public:
    Crew() = default;
    ~Crew();
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    /// Starts a child. RunError.
    void start(Case work);
    bool idle() const { return children_.empty(); }
    /// Interrupted, if a signal has come.
    void check() const { signals_.check(); }
    /// The jobs that its children count for.
    unsigned jobs() const;
    std::uint64_t memory_kbyte() const;
    /// Waits until one of its children has ended. Interrupted.
    CaseResult wait();
    /// Runs one more of a series that was not refused as a whole: `words` with `option` behind
    /// `run`. If it is refused all the same, it has failed. Precondition: idle(). RunError.
    CaseResult run_next(std::string name, std::vector<std::string> words,
                        const std::string& option);
    /// Passes a signal on to all children and waits until they have written their results. Returns
    /// the outcome of each.
    std::vector<CaseResult> end_all(int signal);

private:
    /// The text that comes out of a pipe; of long text the end.
    struct Stream {
        Fd pipe;
        std::string text;
    };
    struct Child {
        Case work;
        ChildProcess process;
        Stream report;
        Stream errors;
        Stream output;
        std::chrono::steady_clock::time_point started;
    };

    static void read_all(Stream& stream, std::size_t bytes_max);
    void listen(std::chrono::milliseconds timeout);
    static CaseResult result_of(Child& child);

    Signals signals_;
    std::deque<Child> children_;
};

} // namespace mesh::host
