#include "qemu_engine.hpp"

#include "errors.hpp"
#include "wire/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace mesh::host {

namespace {

constexpr std::size_t kReadBytes = 256 << 10;
constexpr std::size_t kLengthBytes = 4;
/// Longest frame that QEMU's network interface can make.
constexpr std::size_t kWireBytesMax = 64 << 10;
/// Waiting for a node that is blocked, this much may pile up; link windows bound it far below.
constexpr std::size_t kPileBytesMax = 16 << 20;
constexpr int kEventsMax = 256;
constexpr unsigned kStartingPerCore = 2;
constexpr std::chrono::milliseconds kStartPatience{5};
constexpr std::uint64_t kStartUsMax = 500'000;
constexpr std::uint64_t kSignalTag = ~std::uint64_t{0};

[[noreturn]] void fail(std::string_view what) {
    throw RunError(fmt::format("{}: {}", what, std::strerror(errno)));
}

Fd checked(int fd, std::string_view what) {
    if (fd < 0)
        fail(what);
    return Fd(fd);
}

/// Signals that end a run, blocked here and read from a descriptor instead.
Fd open_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    return checked(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
}

/// One descriptor per node and some more.
void allow_descriptors(std::size_t nodes) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    const rlim_t wanted = 2 * nodes + 64;
    if (limit.rlim_cur >= wanted)
        return;
    if (limit.rlim_max < wanted)
        refuse("{} nodes need {} open files; the limit is {} (ulimit -n)", nodes, wanted,
               limit.rlim_max);
    limit.rlim_cur = wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

std::string make_folder() {
    const char* const base = std::getenv("XDG_RUNTIME_DIR");
    std::string name = fmt::format("{}/mesh-XXXXXX", base != nullptr ? base : "/tmp");
    if (mkdtemp(name.data()) == nullptr)
        fail(name);
    return name;
}

std::string mac_text(const wire::Mac& mac) {
    return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", mac[0], mac[1], mac[2], mac[3],
                       mac[4], mac[5]);
}

std::size_t length_of(std::span<const std::byte> bytes) {
    std::size_t length = 0;
    for (std::size_t at = 0; at < kLengthBytes; ++at)
        length = (length << 8) | std::to_integer<std::size_t>(bytes[at]);
    return length;
}

/// The last line of what the QEMUs said.
std::string last_words(int fd) {
    std::array<char, 4096> text{};
    const off_t end = lseek(fd, 0, SEEK_END);
    const off_t begin = std::max<off_t>(0, end - static_cast<off_t>(text.size()));
    const ssize_t got = pread(fd, text.data(), text.size(), begin);
    std::string_view said(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    while (!said.empty() && said.back() == '\n')
        said.remove_suffix(1);
    const auto line = said.rfind('\n');
    return std::string(line == std::string_view::npos ? said : said.substr(line + 1));
}

} // namespace

QemuEngine::QemuEngine(RigPlan plan)
    : plan_(std::move(plan)),
      ends_(*this),
      loom_(node_count(plan_.network), port_count(plan_.network), plan_.wiring, plan_.faults,
            ends_),
      nodes_(node_count(plan_.network)),
      buffer_(kReadBytes),
      epoll_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll")),
      signals_(open_signals()),
      null_(checked(open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null")),
      errors_(checked(memfd_create("qemu-errors", MFD_CLOEXEC), "memfd")) {
    fcntl(errors_.get(), F_SETFL, O_APPEND);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = kSignalTag;
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, signals_.get(), &event);
}

QemuEngine::~QemuEngine() {
    for (NodeLine& node : nodes_) // all at once, then wait for each
        node.process.kill();
    nodes_.clear();
    if (!gdb_folder_.empty()) {
        unlink(gdb_socket().c_str());
        rmdir(gdb_folder_.c_str());
    }
}

void QemuEngine::boot(Events& events) {
    allow_descriptors(nodes_.size());
    if (plan_.gdb)
        open_gdb_socket();
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
        spawn(node_at(node));
        wait_for_room(node + 1, events);
    }
    if (plan_.gdb)
        fmt::print(stderr,
                   "node {} waits at reset; attach with: gdb-multiarch {} "
                   "-ex 'target remote {}'\n",
                   index(*plan_.gdb), plan_.image, gdb_socket());
}

/// A few QEMUs that start at a time come up sooner than all of them at once. One that does not come
/// up holds the others for a moment only.
void QemuEngine::wait_for_room(std::uint32_t spawned, Events& events) {
    static const unsigned at_once =
        kStartingPerCore * std::max(1u, std::thread::hardware_concurrency());
    const std::uint64_t until_us = ends_.now_us() + kStartUsMax;
    advance(std::chrono::milliseconds(0), events);
    while (spawned - loom_.started() >= at_once && ends_.now_us() < until_us)
        advance(kStartPatience, events);
}

/// The stub listens before its node exists, so that a debugger can come at any time. The folder is
/// ours alone: nobody else can connect, no other rig has it.
void QemuEngine::open_gdb_socket() {
    gdb_folder_ = make_folder();
    gdb_listener_ = checked(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = gdb_socket();
    if (path.size() >= sizeof address.sun_path)
        throw RunError(fmt::format("{}: too long for a socket", path));
    std::copy(path.begin(), path.end(), address.sun_path);
    const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
    if (bind(gdb_listener_.get(), generic, sizeof address) != 0 ||
        listen(gdb_listener_.get(), 1) != 0)
        fail(path);
}

std::vector<std::string> QemuEngine::words_for(NodeId node) const {
    const wire::Mac mac = wire::to_mac({plan_.network, node});
    // A small translation buffer: the image is small, and every node pays for its own.
    std::vector<std::string> words{plan_.qemu,
                                   "-M",
                                   plan_.board,
                                   "-accel",
                                   "tcg,tb-size=2",
                                   "-nodefaults",
                                   "-no-user-config",
                                   "-display",
                                   "none",
                                   "-semihosting-config",
                                   "enable=on,target=native",
                                   "-netdev",
                                   fmt::format("socket,id=n,fd={}", kChildNetFd),
                                   "-net",
                                   "nic,netdev=n,macaddr=" + mac_text(mac),
                                   "-kernel",
                                   plan_.image};
    if (plan_.gdb == node) {
        const std::string stub = fmt::format("socket,id=g,fd={},server=on,wait=off", kChildGdbFd);
        words.insert(words.end(), {"-S", "-chardev", stub, "-gdb", "chardev:g"});
    }
    return words;
}

void QemuEngine::spawn(NodeId node) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        fail("socketpair");
    NodeLine& line = nodes_[index(node)];
    line.socket = Fd(ends[0]);
    const Fd far_end(ends[1]);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = index(node);
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, line.socket.get(), &event);
    const int gdb = plan_.gdb == node ? gdb_listener_.get() : -1;
    line.process = QemuProcess::spawn(
        words_for(node), {null_.get(), null_.get(), errors_.get(), far_end.get(), gdb});
}

bool QemuEngine::advance(std::chrono::milliseconds patience, Events& events) {
    events_ = &events;
    auto wait_ms = static_cast<std::int64_t>(patience.count());
    if (const auto next = loom_.next_tick_us()) {
        const std::uint64_t now = ends_.now_us();
        const std::uint64_t wait_us = *next > now ? *next - now : 0;
        wait_ms = std::min(wait_ms, static_cast<std::int64_t>((wait_us + 999) / 1000));
    }
    flush(); // what the driver sent since
    std::array<epoll_event, kEventsMax> ready;
    const int count = epoll_wait(epoll_.get(), ready.data(), kEventsMax, static_cast<int>(wait_ms));
    const std::uint64_t frames_before = loom_.counts().frames;
    for (int at = 0; at < count; ++at) {
        const epoll_event& event = ready[static_cast<std::size_t>(at)];
        if (event.data.u64 == kSignalTag) {
            signalfd_siginfo signal{};
            if (read(signals_.get(), &signal, sizeof signal) == sizeof signal)
                throw Interrupted{static_cast<int>(signal.ssi_signo)};
            continue;
        }
        const NodeId node = node_at(static_cast<std::uint32_t>(event.data.u64));
        if ((event.events & EPOLLOUT) != 0)
            flush(node);
        if ((event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0)
            read_from(node);
    }
    loom_.tick();
    flush();
    report_ended();
    return loom_.counts().frames != frames_before;
}

void QemuEngine::read_from(NodeId node) {
    NodeLine& line = nodes_[index(node)];
    if (line.socket.get() < 0)
        return;
    const std::size_t kept = line.received.size();
    std::copy(line.received.begin(), line.received.end(), buffer_.begin());
    const ssize_t got = recv(line.socket.get(), buffer_.data() + kept, buffer_.size() - kept, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        lost(node);
        return;
    }
    const auto bytes = std::span(buffer_).first(kept + static_cast<std::size_t>(got));
    const auto rest = bytes.subspan(take_frames(node, bytes));
    line.received.assign(rest.begin(), rest.end());
}

/// Hands all whole frames to the loom; returns how many bytes they were.
std::size_t QemuEngine::take_frames(NodeId node, std::span<std::byte> bytes) {
    std::size_t at = 0;
    while (bytes.size() - at >= kLengthBytes) {
        const std::size_t length = length_of(bytes.subspan(at));
        if (length > kWireBytesMax) { // not a stream of frames
            lost(node);
            return bytes.size();
        }
        if (bytes.size() - at - kLengthBytes < length)
            break;
        loom_.frame_from(node, bytes.subspan(at + kLengthBytes, length));
        at += kLengthBytes + length;
    }
    return at;
}

void QemuEngine::Ends::deliver(NodeId to, std::span<const std::byte> frame) {
    NodeLine& line = rig.nodes_[index(to)];
    if (line.socket.get() < 0 || line.to_send.size() > kPileBytesMax)
        return;
    const std::size_t length = frame.size();
    for (unsigned shift = 32; shift != 0;) {
        shift -= 8;
        line.to_send.push_back(static_cast<std::byte>(length >> shift));
    }
    line.to_send.insert(line.to_send.end(), frame.begin(), frame.end());
    if (!std::exchange(line.dirty, true))
        rig.dirty_.push_back(index(to));
}

void QemuEngine::Ends::to_host(NodeId from, std::span<const std::byte> frame) {
    rig.events_->host_frame(from, frame);
}

void QemuEngine::Ends::kill(NodeId node) { rig.nodes_[index(node)].process.kill(); }

std::uint64_t QemuEngine::Ends::now_us() const {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
           static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

void QemuEngine::kill(NodeId node) {
    nodes_[index(node)].process.kill();
    loom_.gone(node);
}

void QemuEngine::flush() {
    for (std::size_t at = 0; at < dirty_.size(); ++at) { // a lost node may add to it
        const NodeId node = node_at(dirty_[at]);
        nodes_[index(node)].dirty = false;
        flush(node);
    }
    dirty_.clear();
}

void QemuEngine::flush(NodeId node) {
    NodeLine& line = nodes_[index(node)];
    if (line.socket.get() < 0 || line.to_send.empty())
        return;
    const auto rest = std::span<const std::byte>(line.to_send).subspan(line.sent);
    const ssize_t sent = send(line.socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        lost(node);
        return;
    }
    line.sent += sent > 0 ? static_cast<std::size_t>(sent) : 0;
    const bool all = line.sent == line.to_send.size();
    if (all) {
        line.to_send.clear();
        line.sent = 0;
    }
    if (line.blocked == all)
        watch(node, !all);
}

void QemuEngine::watch(NodeId node, bool writable) {
    NodeLine& line = nodes_[index(node)];
    line.blocked = writable;
    epoll_event event{};
    event.events = EPOLLIN | (writable ? static_cast<std::uint32_t>(EPOLLOUT) : 0u);
    event.data.u64 = index(node);
    epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, line.socket.get(), &event);
}

/// The socket of a node has come to its end.
void QemuEngine::lost(NodeId node) {
    NodeLine& line = nodes_[index(node)];
    line.socket = Fd();
    line.to_send.clear();
    line.sent = 0;
    loom_.gone(node);
    ended_.push_back(index(node));
}

void QemuEngine::report_ended() {
    for (std::size_t at = 0; at < ended_.size(); ++at) {
        const NodeId node = node_at(ended_[at]);
        std::string how = nodes_[index(node)].process.end();
        const std::string words = last_words(errors_.get());
        if (!words.empty())
            how += ", " + words;
        events_->ended(node, how);
    }
    ended_.clear();
}

std::unique_ptr<Engine> make_qemu_engine(const RigPlan& plan) {
    return std::make_unique<QemuEngine>(plan);
}

} // namespace mesh::host
