#include "crew.hpp"

#include "host-tools/mesh/common/clean_text.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/shell_words.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <numeric>
#include <poll.h>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace mesh::host {

namespace {

using namespace std::chrono_literals;

/// How long a child may take to end its own children.
constexpr std::chrono::milliseconds kChildTimeout = 2s;
/// How long a child may take to write its results after a signal: two seconds, where it has a core
/// of its own.
constexpr std::chrono::milliseconds kLastTimeout = 5s;
constexpr std::chrono::milliseconds kForEver{-1};
constexpr std::chrono::milliseconds kLookEvery{100};
constexpr std::size_t kWordsBytesMax = 16 << 10;
constexpr std::size_t kReportBytesMax = std::size_t{1} << 30;
constexpr std::string_view kOwnWords = "mesh: ";
constexpr std::string_view kRepeatWords = "; repeat: ";
constexpr std::string_view kExit = "exit ";
constexpr std::string_view kSignal = "signal ";

/// A pipe; this process reads, without waiting.
std::pair<Fd, Fd> make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        throw RunError(fmt::format("pipe: {}", std::strerror(errno)));
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return {Fd(ends[0]), Fd(ends[1])};
}

std::vector<std::string> child_words(const Case& work) {
    std::vector<std::string> words = work.words;
    words.at(0) = std::filesystem::read_symlink("/proc/self/exe").string();
    words.insert(words.begin() + 2, work.page.empty()
                                        ? fmt::format("--report=/dev/fd/{}", kChildFirstFd)
                                        : "--report=" + work.page);
    if (!work.log.empty())
        words.insert(words.begin() + 2, "--log=" + work.log);
    return words;
}

/// Why a run failed: its last line that begins with our name, without the command; else what a
/// compiler has said.
std::string reason_in(std::string_view errors) {
    const std::string_view::size_type at = ("\n" + std::string(errors)).rfind("\nmesh: ");
    if (at == std::string_view::npos)
        return first_error(errors);
    std::string_view line = errors.substr(at + kOwnWords.size());
    line = line.substr(0, line.find('\n'));
    return std::string(line.substr(0, line.find(kRepeatWords)));
}

/// The number of the signal that ended it, in place of an exit status or behind one; 0: none.
int signal_in(std::string_view how) {
    const bool exited = how.starts_with(kExit);
    if (!exited && !how.starts_with(kSignal))
        return 0;
    const int number = std::stoi(std::string(how.substr((exited ? kExit : kSignal).size())));
    return !exited ? number : number > kSignalBase ? number - kSignalBase : 0;
}

/// "exit 1: why", or the signal by its name.
std::string reason_of(std::string_view how, std::string_view errors) {
    if (how.starts_with(kSignal)) {
        const int number = std::stoi(std::string(how.substr(kSignal.size())));
        return fmt::format("ended by {} ({})", how, strsignal(number));
    }
    const std::string reason = reason_in(errors);
    return reason.empty() ? fmt::format("ended with {} and no reason", how) : reason;
}

} // namespace

Crew::~Crew() {
    for (const Child& child : children_)
        if (child.process.pid() > 0) // else: all there are
            kill(child.process.pid(), SIGTERM);
    for (Child& child : children_)
        child.process.end(kChildTimeout);
}

void Crew::start(Case work) {
    auto [report, report_end] = make_pipe();
    auto [errors, errors_end] = make_pipe();
    auto [output, output_end] = make_pipe();
    const Fd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
    ChildProcess process = ChildProcess::spawn(
        child_words(work), {null.get(), output_end.get(), errors_end.get(), {report_end.get()}});
    children_.push_back({std::move(work),
                         std::move(process),
                         {std::move(report), {}},
                         {std::move(errors), {}},
                         {std::move(output), {}},
                         std::chrono::steady_clock::now()});
}

unsigned Crew::jobs() const {
    return std::accumulate(children_.begin(), children_.end(), 0u,
                           [](unsigned sum, const Child& child) { return sum + child.work.jobs; });
}

std::uint64_t Crew::memory_kbyte() const {
    return std::accumulate(
        children_.begin(), children_.end(), std::uint64_t{0},
        [](std::uint64_t sum, const Child& child) { return sum + child.work.memory_kbyte; });
}

/// Reads all that the pipe has, and closes the pipe at its end.
void Crew::read_all(Stream& stream, std::size_t bytes_max) {
    std::array<char, 65536> bytes;
    while (stream.pipe.get() >= 0) {
        const ssize_t got = read(stream.pipe.get(), bytes.data(), bytes.size());
        if (got < 0)
            return;
        if (got == 0)
            stream.pipe = Fd();
        stream.text.append(bytes.data(), static_cast<std::size_t>(got));
        if (stream.text.size() > bytes_max)
            stream.text.erase(0, stream.text.size() - bytes_max);
    }
}

/// Waits until any child says something or ends (at most `timeout`; -1 ms: as long as it takes),
/// and reads all of them.
void Crew::listen(std::chrono::milliseconds timeout) {
    std::vector<pollfd> wanted{{signals_.descriptor(), POLLIN, 0}};
    for (const Child& child : children_)
        for (const int fd : {child.process.descriptor(), child.report.pipe.get(),
                             child.errors.pipe.get(), child.output.pipe.get()})
            wanted.push_back({fd, POLLIN, 0}); // negative ones are left out
    poll(wanted.data(), wanted.size(), static_cast<int>(timeout.count()));
    signals_.check();
    for (Child& child : children_) {
        read_all(child.report, kReportBytesMax);
        read_all(child.errors, kWordsBytesMax);
        read_all(child.output, kWordsBytesMax);
    }
}

CaseResult Crew::wait() {
    for (;;) {
        for (auto child = children_.begin(); child != children_.end(); ++child) {
            pollfd ended{child->process.descriptor(), POLLIN, 0};
            if (poll(&ended, 1, 0) != 1)
                continue;
            CaseResult result = result_of(*child);
            children_.erase(child);
            return result;
        }
        listen(kForEver);
    }
}

CaseResult Crew::run_next(std::string name, std::vector<std::string> words,
                          const std::string& option) {
    words.insert(words.begin() + 2, option);
    start({std::move(name), std::move(words), 0, 1});
    CaseResult result = wait();
    if (result.verdict == CaseVerdict::refused)
        result.verdict = CaseVerdict::failed;
    return result;
}

std::vector<CaseResult> Crew::end_all(int signal) {
    for (const Child& child : children_)
        if (child.process.pid() > 0) // else: all there are
            kill(child.process.pid(), signal);
    const auto until = std::chrono::steady_clock::now() + kLastTimeout;
    const auto runs = [](const Child& child) {
        pollfd ended{child.process.descriptor(), POLLIN, 0};
        return poll(&ended, 1, 0) != 1;
    };
    while (std::ranges::any_of(children_, runs) && std::chrono::steady_clock::now() < until)
        listen(kLookEvery);
    std::vector<CaseResult> results;
    for (Child& child : children_) {
        if (runs(child))
            child.process.kill();
        results.push_back(result_of(child));
    }
    children_.clear();
    return results;
}

CaseResult Crew::result_of(Child& child) {
    read_all(child.report, kReportBytesMax);
    read_all(child.errors, kWordsBytesMax);
    read_all(child.output, kWordsBytesMax);
    CaseResult result;
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - child.started).count();
    const std::string how = child.process.end(kChildTimeout);
    if (how == fmt::format("{}{}", kExit, 0))
        result.verdict = CaseVerdict::verified;
    else if (how == fmt::format("{}{}", kExit, 2))
        result.verdict = CaseVerdict::refused;
    if (signal_in(how) != 0)
        result.kind = kOfSignal;
    if (result.verdict != CaseVerdict::verified)
        result.reason = reason_of(how, child.errors.text);
    auto report = nlohmann::ordered_json::parse(child.report.text, nullptr, false);
    if (report.is_object())
        result.report = std::make_shared<nlohmann::ordered_json>(std::move(report));
    result.said = std::move(child.errors.text);
    result.console = std::move(child.output.text);
    result.repeat = shell_line(child.work.words);
    result.work = std::move(child.work);
    return result;
}

} // namespace mesh::host
