#include "qemu_engine.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/links/bounds.hpp"
#include "wire/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace mesh::host {

namespace {

constexpr std::size_t kReadBytes = 256 << 10;
/// What lies in a socket or a pipe when its node ends: more reads than that take it all.
constexpr unsigned kLastReads = 64;
constexpr int kErrorPipeBytes = 4096;
constexpr int kEventsMax = 256;
constexpr unsigned kStartingPerCore = 2;
constexpr std::chrono::milliseconds kStartPatience{5};
constexpr std::uint64_t kStartUsMax = 500'000;
/// How long a process may live on whose socket is closed.
constexpr std::uint64_t kClosingUs = 500'000;
constexpr std::size_t kDescriptorsPerNode = 5;

/// What an epoll event is about: this, and the number of the node.
enum class Source : std::uint32_t { socket, errors, process, signals };

std::uint64_t tag_of(Source source, std::uint32_t node) {
    return (std::uint64_t{static_cast<std::uint32_t>(source)} << 32) | node;
}

[[noreturn]] void fail(std::string_view what) {
    throw RunError(fmt::format("{}: {}", what, std::strerror(errno)));
}

Fd checked(int fd, std::string_view what) {
    if (fd < 0)
        fail(what);
    return Fd(fd);
}

void watch(const Fd& epoll, int operation, int fd, std::uint64_t tag, std::uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = tag;
    if (epoll_ctl(epoll.get(), operation, fd, &event) != 0)
        fail("epoll_ctl");
}

/// A few descriptors per node and some more.
void allow_descriptors(std::size_t nodes) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    const rlim_t wanted = kDescriptorsPerNode * nodes + 64;
    if (limit.rlim_cur >= wanted)
        return;
    if (limit.rlim_max < wanted)
        refuse("{} nodes need {} open files; the limit is {} (ulimit -n)", nodes, wanted,
               limit.rlim_max);
    limit.rlim_cur = wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

std::string mac_text(const wire::Mac& mac) {
    return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", mac[0], mac[1], mac[2], mac[3],
                       mac[4], mac[5]);
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
      null_(checked(open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null")) {
    watch(epoll_, EPOLL_CTL_ADD, signals_.descriptor(), tag_of(Source::signals, 0), EPOLLIN);
}

QemuEngine::~QemuEngine() {
    for (NodeLine& node : nodes_) // all at once, then wait for each
        node.process.kill();
    nodes_.clear();
}

void QemuEngine::boot(Events& events) {
    allow_descriptors(nodes_.size());
    stubs_.open(plan_.gdb);
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
        spawn(node_at(node), 0);
        wait_for_room(node + 1, events);
    }
    for (const NodeId node : plan_.gdb)
        fmt::print(stderr,
                   "node {} waits at reset; attach with: gdb-multiarch {} "
                   "-ex 'target remote {}'\n",
                   index(node), plan_.program(node).image, stubs_.path(node));
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

/// Semihosting is there for the exit status alone. Its other calls would run commands and write
/// files here, by the image's will; given to a debugger instead, they do nothing without one.
std::vector<std::string> qemu_words(const RigPlan& plan, NodeId node, unsigned starts) {
    const wire::Mac mac = wire::to_mac({plan.network, node, starts});
    // A small translation buffer: the image is small, and every node pays for its own.
    std::vector<std::string> words{plan.qemu};
    words.insert(words.end(), plan.board.machine.begin(), plan.board.machine.end());
    words.insert(words.end(), {"-accel", "tcg,tb-size=2", "-nodefaults", "-no-user-config",
                               "-display", "none", "-semihosting-config", "enable=on,target=gdb",
                               "-netdev", fmt::format("socket,id=n,fd={}", kChildNetFd), "-net",
                               "nic,netdev=n,macaddr=" + mac_text(mac), "-chardev",
                               fmt::format("socket,id=m,fd={}", kChildMonitorFd), "-mon",
                               "chardev=m", "-kernel", plan.program(node).image});
    if (plan.sandbox)
        words.insert(words.end(), {"-sandbox", "on,obsolete=deny,elevateprivileges=deny,"
                                               "spawn=deny,resourcecontrol=deny"});
    if (std::find(plan.gdb.begin(), plan.gdb.end(), node) != plan.gdb.end()) {
        const std::string stub = fmt::format("socket,id=g,fd={},server=on,wait=off", kChildGdbFd);
        words.insert(words.end(), {"-S", "-chardev", stub, "-gdb", "chardev:g"});
    }
    return words;
}

/// Its side of the node's monitor; gives the other.
Fd QemuEngine::open_monitor(NodeLine& line) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        fail("socketpair");
    line.monitor = Fd(ends[0]);
    return Fd(ends[1]);
}

std::vector<WaitsFor> QemuEngine::waiting(NodeId node) {
    const std::string& image = plan_.program(node).image;
    EmulatedMemory memory(nodes_[index(node)].monitor,
                          images_.try_emplace(image, image).first->second);
    return waits_in(memory);
}

void QemuEngine::spawn(NodeId node, unsigned starts) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        fail("socketpair");
    NodeLine& line = nodes_[index(node)];
    line.socket = Fd(ends[0]);
    const Fd far_end(ends[1]);
    int words[2];
    if (pipe2(words, O_CLOEXEC) != 0)
        fail("pipe");
    line.errors = Fd(words[0]);
    const Fd errors_end(words[1]);
    const Fd monitor_end = open_monitor(line);
    fcntl(line.errors.get(), F_SETFL, O_NONBLOCK);
    fcntl(line.errors.get(), F_SETPIPE_SZ, kErrorPipeBytes);
    line.process = QemuProcess::spawn(qemu_words(plan_, node, starts),
                                      {null_.get(), null_.get(), errors_end.get(), far_end.get(),
                                       stubs_.descriptor(node), monitor_end.get()});
    const auto add = [&](int fd, Source source) {
        watch(epoll_, EPOLL_CTL_ADD, fd, tag_of(source, index(node)), EPOLLIN);
    };
    add(line.socket.get(), Source::socket);
    add(line.errors.get(), Source::errors);
    add(line.process.descriptor(), Source::process);
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
    for (int at = 0; at < count; ++at)
        on_event(ready[static_cast<std::size_t>(at)].data.u64,
                 ready[static_cast<std::size_t>(at)].events);
    loom_.tick();
    part_crowds();
    reset_nodes();
    flush();
    end_closing();
    return loom_.counts().frames != frames_before;
}

/// A reset node is another process on the same cables. What the last one had still to say is lost.
void QemuEngine::reset_nodes() {
    for (const auto& [node, starts] : std::exchange(resets_, {})) {
        NodeLine& line = nodes_[index(node)];
        std::erase_if(closing_, [at = index(node)](const auto& other) { return other.node == at; });
        const bool dirty = line.dirty;
        line = NodeLine{};
        line.dirty = dirty;
        spawn(node, starts);
        loom_.restarted(node);
    }
}

void QemuEngine::on_event(std::uint64_t tag, std::uint32_t events) {
    const NodeId node = node_at(static_cast<std::uint32_t>(tag));
    if (static_cast<Source>(tag >> 32) != Source::signals && nodes_[index(node)].reset)
        return;
    switch (static_cast<Source>(tag >> 32)) {
    case Source::socket:
        if ((events & EPOLLOUT) != 0)
            flush(node);
        if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0)
            read_from(node);
        break;
    case Source::errors: read_errors(node); break;
    case Source::process: ended(node); break;
    case Source::signals: signals_.check(); break;
    }
}

/// Reads what there is at once, and hands all whole frames to the loom. False if there was nothing.
bool QemuEngine::read_from(NodeId node) {
    NodeLine& line = nodes_[index(node)];
    if (line.socket.get() < 0)
        return false;
    const ssize_t got = recv(line.socket.get(), buffer_.data(), buffer_.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got <= 0) {
        close(node);
        return false;
    }
    auto bytes = std::span(buffer_).first(static_cast<std::size_t>(got));
    while (const auto frame = line.reader.next(bytes))
        loom_.frame_from(node, *frame);
    if (line.reader.broken()) {
        line.reason = fmt::format("sends what is no stream of frames (one of {} bytes)",
                                  line.reader.length());
        kill(node);
        close(node);
    }
    return true;
}

/// False if there was nothing to read.
bool QemuEngine::read_errors(NodeId node) {
    NodeLine& line = nodes_[index(node)];
    if (line.errors.get() < 0)
        return false;
    std::array<char, kErrorPipeBytes> text;
    const ssize_t got = read(line.errors.get(), text.data(), text.size());
    if (got > 0)
        events_->words(node, {text.data(), static_cast<std::size_t>(got)});
    if (got == 0)
        line.errors = Fd();
    return got > 0;
}

bool QemuEngine::Ends::deliver(NodeId to, std::span<const std::byte> frame) {
    NodeLine& line = rig.nodes_[index(to)];
    if (line.socket.get() < 0)
        return true; // it is ending, and gets nothing any more
    if (!std::exchange(line.dirty, true))
        rig.dirty_.push_back(index(to));
    if (line.queue.push(frame))
        return true;
    if (!std::exchange(line.crowded, true))
        rig.crowded_.push_back(index(to));
    return false;
}

void QemuEngine::Ends::to_host(NodeId from, std::span<const std::byte> frame) {
    rig.events_->host_frame(from, frame);
}

void QemuEngine::Ends::kill(NodeId node) { rig.nodes_[index(node)].process.kill(); }

void QemuEngine::Ends::restart(NodeId node, unsigned starts) {
    kill(node);
    if (!std::exchange(rig.nodes_[index(node)].reset, true))
        rig.resets_.emplace_back(node, starts);
}

void QemuEngine::Ends::expel(NodeId node, std::string_view why) {
    rig.nodes_[index(node)].reason = why;
    kill(node);
}

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

/// Ends those who have sent more than a node can take.
void QemuEngine::part_crowds() {
    for (const std::uint32_t node : std::exchange(crowded_, {})) {
        NodeLine& line = nodes_[node];
        line.crowded = false;
        if (!line.queue.empty())
            loom_.too_much_for(node_at(node), line.queue.busiest_port());
    }
}

void QemuEngine::flush() {
    for (std::size_t at = 0; at < dirty_.size(); ++at) { // a node that closes may add to it
        const NodeId node = node_at(dirty_[at]);
        nodes_[index(node)].dirty = false;
        flush(node);
    }
    dirty_.clear();
}

void QemuEngine::flush(NodeId node) {
    NodeLine& line = nodes_[index(node)];
    if (line.socket.get() < 0 || line.queue.empty())
        return;
    const auto rest = line.queue.waiting();
    const ssize_t sent = send(line.socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
        return; // it has closed: reading says so, after the last that it sent
    line.queue.pop(sent > 0 ? static_cast<std::size_t>(sent) : 0);
    if (line.blocked != line.queue.empty())
        return;
    line.blocked = !line.queue.empty();
    watch(epoll_, EPOLL_CTL_MOD, line.socket.get(), tag_of(Source::socket, index(node)),
          EPOLLIN | (line.blocked ? static_cast<std::uint32_t>(EPOLLOUT) : 0u));
}

/// The socket of a node has come to its end; its process is to follow.
void QemuEngine::close(NodeId node) {
    NodeLine& line = nodes_[index(node)];
    if (line.reader.inside() && line.reason.empty())
        line.reason = "ended in the middle of a frame";
    line.socket = Fd();
    line.queue.clear();
    closing_.push_back({index(node), ends_.now_us() + kClosingUs});
    loom_.gone(node);
}

/// Its process has ended: reads what is left of what it said.
void QemuEngine::ended(NodeId node) {
    NodeLine& line = nodes_[index(node)];
    for (unsigned reads = 0; reads < kLastReads && read_from(node); ++reads) {
    }
    for (unsigned reads = 0; reads < kLastReads && read_errors(node); ++reads) {
    }
    if (line.socket.get() >= 0)
        close(node);
    const std::string how = line.process.end(std::chrono::milliseconds(0));
    line.errors = Fd();
    line.process = QemuProcess();
    std::erase_if(closing_, [&](const Closing& closing) { return closing.node == index(node); });
    events_->ended(node, line.reason.empty() ? how : line.reason);
}

void QemuEngine::end_closing() {
    while (!closing_.empty() && closing_.front().until_us <= ends_.now_us()) {
        NodeLine& line = nodes_[closing_.front().node];
        if (line.reason.empty())
            line.reason = "closed its network and did not end";
        line.process.kill();
        closing_.erase(closing_.begin());
    }
}

std::unique_ptr<Engine> make_qemu_engine(const RigPlan& plan) {
    return std::make_unique<QemuEngine>(plan);
}

} // namespace mesh::host
