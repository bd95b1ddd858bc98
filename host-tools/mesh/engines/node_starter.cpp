#include "node_starter.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/programs/toolkit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <span>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace mesh::host {

namespace {

using namespace std::chrono_literals;

/// How long an emulator may take to become a template, and a template to fork, on a machine that
/// has much else to do.
constexpr std::chrono::seconds kTemplateTimeout{10};
constexpr std::chrono::seconds kForkTimeout{10};

const std::string kEnded = "the template has ended";

/// The path of the object that makes a template of an emulator. RunError.
std::string template_object() {
    const std::filesystem::path object = library_folder() / fork_protocol::kObject;
    if (std::error_code error; !std::filesystem::exists(object, error))
        throw RunError(fmt::format("there is no {}", object.string()));
    return object.string();
}

/// The object's name in LD_PRELOAD, whose names are parted by blanks and colons: where it has such
/// a one, that of the open file, while this process has it.
std::string preloaded_name(const std::string& path, const Fd& object) {
    const bool is_parted = path.find_first_of(" :") != std::string::npos;
    return is_parted ? fmt::format("/proc/{}/fd/{}", getpid(), object.get()) : path;
}

} // namespace

EmulatorTemplate::EmulatorTemplate(const RigPlan& plan, std::vector<std::string> words,
                                   std::size_t files, const Signals& signals)
    : signals_(signals) {
    words.emplace_back("-S");
    const Fd null(open("/dev/null", O_RDWR | O_CLOEXEC));
    SpawnFiles given{null.get(), null.get(), null.get(), {}};
    std::vector<Fd> far_ends;
    for (; files != 0; --files) {
        auto [near_end, far_end] = socket_pair(SOCK_STREAM);
        cables_.push_back(std::move(near_end));
        given.given.push_back(far_end.get());
        far_ends.push_back(std::move(far_end));
    }
    const int monitor = kChildFirstFd + static_cast<int>(given.given.size()) - 1;
    auto [control, far_control] = socket_pair(SOCK_SEQPACKET);
    control_ = std::move(control);
    given.given.push_back(far_control.get());
    const bool addressed = !plan.one_cable;
    const char* const others = std::getenv("LD_PRELOAD");
    const std::string path = template_object();
    const Fd object(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    given.variables = {fmt::format("LD_PRELOAD={}{}{}", preloaded_name(path, object),
                                   others != nullptr ? ":" : "", others != nullptr ? others : ""),
                       fmt::format("{}={},{},{},{:02x}", fork_protocol::kVariable, monitor + 1,
                                   getpid(), monitor,
                                   fmt::join(addressed ? std::span(fork_protocol::kTemplateAddress)
                                                       : std::span<const std::uint8_t>{},
                                             ""))};
    process_ = ChildProcess::spawn(words, given);
    far_control = Fd();
    const auto answer = next_answer("no template", kTemplateTimeout);
    if (answer.kind == fork_protocol::AnswerKind::refused)
        throw RunError(std::string(answer.words.data()));
    if (answer.kind != fork_protocol::AnswerKind::ready)
        throw RunError("the emulator's answer has no sense");
    if (plan.sandbox && answer.value == 0)
        throw RunError("the emulator begins its sandbox in a way that the tool does not know");
}

/// Waits for a packet of the template or of a child of it. `awaited`: what there is not if none
/// comes.
fork_protocol::Answer EmulatorTemplate::next_answer(std::string_view awaited,
                                                    std::chrono::seconds timeout) {
    const auto until = Clock::now() + timeout;
    std::array<pollfd, 2> wanted{{{control_.get(), POLLIN, 0}, {signals_.descriptor(), POLLIN, 0}}};
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
        if (left <= 0ms)
            throw RunError(fmt::format("there is {} in {} s", awaited, timeout.count()));
        if (poll(wanted.data(), wanted.size(), static_cast<int>(left.count())) <= 0)
            continue;
        if (wanted[1].revents != 0)
            signals_.check();
        if (wanted[0].revents == 0)
            continue;
        fork_protocol::Answer answer;
        if (recv(control_.get(), &answer, sizeof answer, 0) != static_cast<ssize_t>(sizeof answer))
            throw RunError(kEnded);
        answer.words.back() = 0;
        return answer;
    }
}

void EmulatorTemplate::ask(const fork_protocol::Request& request, const SpawnFiles& files) {
    std::vector<int> all{files.input, files.output, files.errors};
    all.insert(all.end(), files.given.begin(), files.given.end());
    alignas(cmsghdr) std::array<char, CMSG_SPACE(fork_protocol::kFilesMax * sizeof(int))> space{};
    fork_protocol::Request sent = request;
    iovec data{&sent, sizeof sent};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = space.data();
    message.msg_controllen = CMSG_SPACE(all.size() * sizeof(int));
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(all.size() * sizeof(int));
    std::memcpy(CMSG_DATA(head), all.data(), all.size() * sizeof(int));
    if (sendmsg(control_.get(), &message, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof sent))
        throw RunError(errno == EPIPE ? kEnded
                                      : fmt::format("no request: {}", std::strerror(errno)));
}

ChildProcess EmulatorTemplate::fork(const wire::Mac& mac, const SpawnFiles& files) {
    ask({mac}, files);
    ChildProcess child;
    for (bool started = false; !started || child.pid() <= 0;) {
        const auto answer = next_answer("no new node of the template", kForkTimeout);
        const bool is_fork = answer.kind == fork_protocol::AnswerKind::forked;
        if (is_fork ? answer.value <= 0 : answer.value != 0)
            throw RunError(fmt::format("the template cannot {}: {}",
                                       is_fork ? "fork" : "start a node",
                                       std::strerror(std::abs(answer.value))));
        if (is_fork)
            child = ChildProcess::adopt(answer.value);
        else
            started = true;
    }
    return child;
}

NodeStarter::NodeStarter(const RigPlan& plan, const Signals& signals)
    : plan_(plan),
      signals_(signals),
      forks_(plan.fork),
      why_not_(plan.why_not_fork) {}

/// The command line of the node's template; nothing if the node has an emulator that no other node
/// is like: one of a debugger, or the one with the host cable of all.
std::optional<NodeStarter::Words> NodeStarter::words_to_fork(NodeId node) const {
    const bool debugged = std::ranges::find(plan_.gdb, node) != plan_.gdb.end();
    const bool alone = plan_.one_cable && plan_.board.serial() && node == NodeId{0};
    if (!forks_ || debugged || alone)
        return std::nullopt;
    return qemu_words(plan_, node, fork_protocol::kTemplateAddress);
}

ChildProcess NodeStarter::forked(const Words& words, NodeId node, unsigned starts,
                                 const SpawnFiles& files, const Fd& monitor) {
    auto& one = templates_[words];
    if (!one)
        one = std::make_unique<EmulatorTemplate>(plan_, words, files.given.size(), signals_);
    ChildProcess process = one->fork(wire::to_mac({plan_.network, node, starts}), files);
    constexpr std::string_view kGoOn = "cont\n";
    static_cast<void>(send(monitor.get(), kGoOn.data(), kGoOn.size(), MSG_NOSIGNAL));
    return process;
}

ChildProcess NodeStarter::start(NodeId node, unsigned starts, const SpawnFiles& files,
                                const Fd& monitor) {
    if (const auto words = words_to_fork(node)) {
        try {
            return forked(*words, node, starts, files, monitor);
        } catch (const RunError& error) {
            if (!plan_.exec_fits && starts == 0)
                throw RunError(
                    fmt::format("nodes cannot be forked, and there is no memory to start "
                                "each of them by itself: {}",
                                error.what()));
            why_not_ = error.what();
            forks_ = false;
            templates_.clear();
        }
    }
    return ChildProcess::spawn(qemu_words(plan_, node, starts), files);
}

} // namespace mesh::host
