#include "run_capture.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/files.hpp"
#include "host-tools/mesh/common/own_folder.hpp"
#include "host-tools/mesh/common/promise.hpp"
#include "host-tools/mesh/views/view_command.hpp"
#include "report.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mesh::host {

namespace {

constexpr int kRights = 0666;

bool is_pipe(int file) {
    struct stat kind = {};
    return fstat(file, &kind) == 0 && S_ISFIFO(kind.st_mode);
}

bool is_regular(int file) {
    struct stat kind = {};
    return fstat(file, &kind) == 0 && S_ISREG(kind.st_mode);
}

/// From now on printed text goes to standard error, and standard output is the capture's alone.
/// The reader of the capture may leave; the run goes on.
int take_standard_output() {
    std::fflush(stdout);
    std::signal(SIGPIPE, SIG_IGN);
    // A pipe by a description of its own: it is not to block, here alone.
    const int output = is_pipe(STDOUT_FILENO)
                           ? open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
                           : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    return output >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 ? output : -1;
}

/// A file that is gone when it is closed.
int open_nameless() {
    return open(temporary_folder().c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, kRights);
}

int open_or_take(const RunPlan& plan) {
    if (plan.results.capture.empty())
        return open_nameless();
    if (plan.results.capture == kStandardOutput)
        return take_standard_output();
    const int file =
        open(plan.results.capture.c_str(),
             (plan.results.wants_page() ? O_RDWR : O_WRONLY) | O_CREAT | O_CLOEXEC, kRights);
    if (file >= 0 && is_regular(file) && flock(file, LOCK_EX | LOCK_NB) != 0)
        refuse(Refusal::file, "--capture '{}': another run is writing it; give each its own",
               plan.results.capture);
    return file >= 0 && is_regular(file) && ftruncate(file, 0) != 0 ? -1 : file;
}

Fd open_capture(const RunPlan& plan) {
    Fd file(open_or_take(plan));
    if (file.get() >= 0 && is_pipe(file.get()))
        fcntl(file.get(), F_SETFL, O_NONBLOCK);
    if (file.get() < 0)
        throw RunError(
            fmt::format("{}: cannot be written: {}",
                        plan.results.capture.empty()
                            ? fmt::format("a page's frames, in {}", temporary_folder().string())
                            : fmt::format("--capture '{}'", plan.results.capture),
                        std::strerror(errno)));
    return file;
}

/// The difference between calendar time and the host's monotonic clock.
std::uint64_t epoch_us() {
    using std::chrono::duration_cast;
    using Us = std::chrono::microseconds;
    const auto calendar = std::chrono::system_clock::now().time_since_epoch();
    const auto monotonic = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(duration_cast<Us>(calendar - monotonic).count());
}

/// The time at which --limit is over.
FileWriter::Clock::time_point end_of(const RunPlan& plan) {
    using Clock = FileWriter::Clock;
    const std::chrono::duration<double> limit(plan.rig.options.limit_s);
    return plan.rig.options.limit_s == 0
               ? Clock::time_point::max()
               : Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
}

} // namespace

RunCapture::RunCapture(const Operation& op) {
    const RunPlan& plan = op.run();
    if (plan.results.capture.empty() && !plan.results.wants_page())
        return;
    page_ = plan.results.wants_page() ? plan.results.report : std::string{};
    file_ = open_capture(plan);
    capture_.emplace(file_.get(),
                     Capture::Setting{plan.network(), plan.rig.wiring, plan.command,
                                      head_as_json(op), plan.capture_bytes,
                                      plan.results.capture == kStandardOutput, op.is_app(),
                                      plan.rig.lockstep ? 0 : epoch_us(), end_of(plan)});
}

void RunCapture::listen(Loom& loom) {
    if (capture_)
        loom.listen(&*capture_);
}

void RunCapture::finish(std::string_view results) {
    promise(capture_.has_value(), "nothing is captured, so nothing can be finished");
    capture_->finish(results);
    if (!capture_->failure().empty())
        throw RunError(fmt::format("--capture: {}", capture_->failure()));
    if (!page_.empty()) {
        const std::string page = page_of(file_.get());
        write_whole(page_, std::as_bytes(std::span(page)), "--report");
    }
}

} // namespace mesh::host
