// Runs as child processes: several at once, each with its words apart and its report read.
//
// A child is this very program with `run` and the case's options. What it prints is kept only as
// far as it tells why the run failed. All children are gone when the crew is.
#pragma once

#include "host-tools/mesh/engines/qemu_process.hpp"
#include "host-tools/mesh/engines/signals.hpp"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mesh::host {

/// One run of several.
struct Case {
    std::string name;
    std::vector<std::string> words; // of its command line, the program first, then `run`
    std::uint64_t memory_kbyte = 0; // that it needs
    unsigned jobs = 1;              // that it counts for
    std::size_t place = 0;          // among all cases
};

enum class CaseVerdict : std::uint8_t { verified, failed, refused };

struct CaseResult {
    Case work;
    CaseVerdict verdict = CaseVerdict::failed;
    std::string reason; // one line; of a verified run none
    std::string repeat; // the command
    double seconds = 0;
    std::shared_ptr<const nlohmann::ordered_json> report; // null if there is none
};

class Crew {
public:
    Crew() = default;
    ~Crew();
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    /// Starts a child. RunError.
    void start(Case work);
    bool idle() const { return children_.empty(); }
    /// What its children count for.
    unsigned jobs() const;
    std::uint64_t memory_kbyte() const;
    /// Waits until one of its children has ended. Interrupted.
    CaseResult wait();

private:
    /// What comes out of a pipe; of long text the end.
    struct Stream {
        Fd pipe;
        std::string text;
    };
    struct Child {
        Case work;
        QemuProcess process;
        Stream report;
        Stream errors;
        Stream output;
        std::chrono::steady_clock::time_point started;
    };

    static void read_all(Stream& stream, std::size_t bytes_max);
    void listen();
    static CaseResult result_of(Child& child);

    Signals signals_;
    std::deque<Child> children_;
};

} // namespace mesh::host
