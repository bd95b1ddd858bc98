#include "qemu_engine.hpp"

#include "flash_files.hpp"
#include "host-tools/mesh/cables/bounds.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "host-tools/mesh/programs/flat_image.hpp"
#include "host-tools/mesh/programs/program_file.hpp"
#include "wait_bytes.hpp"
#include "wire/bytes.hpp"
#include "wire/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace mesh::host {

namespace {

constexpr std::size_t kReadBytes = 256 << 10;
/// More reads than it takes to empty a socket or a pipe whose node has ended.
constexpr unsigned kLastReads = 64;
constexpr int kEventsMax = 256;
/// How long a process may live on whose socket is closed.
constexpr std::uint64_t kClosingUs = 500'000;
/// The source of an epoll event, which also has the numbers of the socket and of the node.
enum class Source : std::uint8_t { socket, errors, process, signals, ranks };

std::uint64_t tag_of(Source source, std::uint32_t node, unsigned cable = 0) {
    return (std::uint64_t{static_cast<std::uint8_t>(source)} << 40) | (std::uint64_t{cable} << 32) |
           node;
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

/// True if the frame's cable header says so.
bool goes_to_host(std::span<const std::byte> frame) {
    return frame.size() >= wire::kHeadBytes &&
           wire::load<Port>(frame, wire::offset::kCablePort) == kHostPort;
}

/// The value that a rank has seen; none if it has seen none.
template <class T>
std::optional<T> value_of(const Bytes& seen) {
    return seen.size() == sizeof(T) ? std::optional(wire::load<T>(seen, 0)) : std::nullopt;
}

} // namespace

QemuEngine::QemuEngine(RigPlan plan)
    : plan_(std::move(plan)),
      ends_(*this),
      loom_(node_count(plan_.network), port_count(plan_.network), plan_.wiring, plan_.faults,
            ends_),
      nodes_(node_count(plan_.network)),
      buffer_(kReadBytes),
      host_buffer_(plan_.board.serial() ? kReadBytes : 0),
      epoll_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll")),
      null_(checked(open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null")) {
    if (plan_.one_cable && !ranks_.serves())
        one_cable_.emplace(
            plan_.network,
            OneCable::Rules{stamp_for(plan_.board.relay_folder()), 0, identify_timeout_us(plan_)},
            ends_);
    if (!plan_.options.flash.empty())
        make_flash_files(plan_);
    if (!plan_.loader.empty() && !ranks_.serves())
        load_.emplace(load_tree(plan_.network),
                      flat_image(plan_.programs.front().image, plan_.loader),
                      identify_timeout_us(plan_), KeepImage{plan_.keep(), plan_.options.older});
    watch(epoll_, EPOLL_CTL_ADD, signals_.descriptor(), tag_of(Source::signals, 0), EPOLLIN);
    if (ranks_.uplink() != nullptr)
        watch(epoll_, EPOLL_CTL_ADD, ranks_.uplink()->descriptor(), tag_of(Source::ranks, 0),
              EPOLLIN);
    if (plan_.board.serial())
        loom_.send_one_at_a_time();
}

QemuEngine::~QemuEngine() { QemuEngine::end_nodes(); }

void QemuEngine::end_nodes() {
    if (nodes_.empty())
        return;
    ranks_.end();
    for (NodeLine& node : nodes_) // all at once, then wait for each
        node.process.kill();
    nodes_.clear();
}

void QemuEngine::spawn(NodeId node, unsigned starts) {
    if (ranks_.is_far(node)) {
        ranks_.order(node, What::start, 0, wire::bytes_of(starts));
        return;
    }
    NodeLine line; // the node's only when its process is there: a signal may end this function
    line.dirty = nodes_[index(node)].dirty;
    line.mac = wire::to_mac({plan_.network, node, starts});
    FarEnds far = connect_line(line, plan_);
    if (const int stub = stubs_.descriptor(node); stub >= 0)
        far.given.push_back(checked(fcntl(stub, F_DUPFD_CLOEXEC, kGivenFdMin), "fcntl"));
    SpawnFiles files{null_.get(), null_.get(), far.errors.get(), {}};
    for (const Fd& end : far.given)
        files.given.push_back(end.get());
    line.process = starter_.start(node, starts, files, line.monitor);
    const auto add = [&](int fd, Source source, unsigned cable = 0) {
        watch(epoll_, EPOLL_CTL_ADD, fd, tag_of(source, index(node), cable), EPOLLIN);
    };
    for (unsigned number = 0; number < line.cables.size(); ++number)
        add(line.cables[number].socket.get(), Source::socket, number);
    add(line.errors.get(), Source::errors);
    nodes_[index(node)] = std::move(line);
    go_before(node);
}

bool QemuEngine::advance(std::chrono::milliseconds timeout, Events& events) {
    events_ = &events;
    auto wait_ms = static_cast<std::int64_t>(timeout.count());
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
    hear_ranks(); // no event tells of one that says nothing any more
    loom_.tick();
    if (load_)
        go_on_loading();
    else if (one_cable_)
        one_cable_->tick();
    part_crowds();
    reset_nodes();
    flush();
    end_closing();
    return loom_.counts().frames != frames_before;
}

void QemuEngine::on_event(std::uint64_t tag, std::uint32_t events) {
    const NodeId node = node_at(static_cast<std::uint32_t>(tag));
    const auto source = static_cast<Source>(tag >> 40);
    const auto cable = static_cast<std::uint8_t>(tag >> 32);
    if (source < Source::signals && nodes_[index(node)].reset)
        return;
    switch (source) {
    case Source::socket:
        if ((events & EPOLLOUT) != 0)
            flush(node, cable);
        if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0)
            read_from(node, cable);
        break;
    case Source::errors: read_errors(node); break;
    case Source::process: ended(node); break;
    case Source::signals:
        hear_ranks(); // a launcher's signal may say no more than that a rank is gone
        signals_.check();
        break;
    case Source::ranks: break; // advance() hears them
    }
}

/// Reads all bytes that wait on a node's sockets. False if there were none.
bool QemuEngine::read_from(NodeId node) {
    bool any = false;
    for (unsigned number = 0; number < nodes_[index(node)].cables.size(); ++number)
        any = read_from(node, number) || any;
    return any;
}

/// Reads the bytes that wait, and hands all whole frames to the loom. A frame of a node to the host
/// comes after the frames that it sent by its ports before, also by other sockets. False if there
/// was nothing. All sockets of a process close with it, in any order, so it is read to the end of
/// the host's socket, by which its crash record comes.
bool QemuEngine::read_from(NodeId node, unsigned number) {
    NodeLine& line = nodes_[index(node)];
    if (!line.open() || line.cables[number].socket.get() < 0)
        return false;
    const bool to_host = number == 0 && line.cables.size() > 1;
    Bytes& buffer = to_host ? host_buffer_ : buffer_;
    const ssize_t got = recv(line.cables[number].socket.get(), buffer.data(), buffer.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (to_host)
        for (unsigned other = 1; other < line.cables.size(); ++other)
            read_from(node, other);
    if (!line.open())
        return false;
    if (got > 0)
        take_frames(node, number, std::span(buffer).first(static_cast<std::size_t>(got)));
    else if (number == 0)
        close(node);
    else
        line.cables[number].socket = Fd();
    return got > 0;
}

void QemuEngine::take_frames(NodeId node, unsigned number, std::span<std::byte> bytes) {
    NodeLine& line = nodes_[index(node)];
    FrameReader& reader = line.cables[number].reader;
    const bool serial = plan_.board.serial();
    cable_bytes_ += serial && number != 0 ? bytes.size() : 0;
    while (const auto frame = reader.next(bytes)) {
        cable_bytes_ += serial || goes_to_host(*frame) ? 0 : frame->size();
        if (serial && frame->size() >= wire::kHeadBytes) {
            const Port port = number == 0 ? kHostPort : port_at(number - 1);
            wire::store(*frame, wire::offset::kCableTo, wire::Mac{0x02, 0, 0, 0, 0, 0});
            wire::store(*frame, wire::offset::kCablePort, port);
            wire::store(*frame, wire::offset::kCableFrom, line.mac);
        }
        take_frame(node, *frame);
        if (!line.open())
            return;
        hold(node); // a node that is stopped in the midst of its first frame has not started
    }
    if (!reader.broken())
        return;
    line.reason =
        fmt::format("sends what is no stream of frames (one of {} bytes)", reader.length());
    kill(node);
    close(node);
}

void QemuEngine::take_frame(NodeId node, std::span<std::byte> frame) {
    if (ranks_.serves())
        ranks_.report(node, What::frame, frame);
    else if (one_cable_ && goes_to_host(frame))
        from_host_port(node, frame);
    else
        loom_.frame_from(node, frame);
}

/// A frame has come by the one host cable.
void QemuEngine::from_host_port(NodeId node, std::span<std::byte> frame) {
    if (!load_)
        one_cable_->heard(frame);
    else if (node == NodeId{0})
        load_->heard(frame, ends_.now_us());
}

void QemuEngine::go_on_loading() {
    if (load_->done()) {
        events_->loaded(load_->summary());
        load_.reset();
    } else if (const auto frame = load_->next_frame(ends_.now_us())) {
        ends_.to_cable(*frame);
    }
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
    if (got == 0) {
        line.errors = Fd();
        await_end(node);
    }
    return got > 0;
}

/// The emulator has closed something, as it does when it ends: from now on its end is looked for.
/// Until then no descriptor is spent on it.
void QemuEngine::await_end(NodeId node) {
    NodeLine& line = nodes_[index(node)];
    if (!std::exchange(line.ending, true))
        watch(epoll_, EPOLL_CTL_ADD, line.process.descriptor(),
              tag_of(Source::process, index(node)), EPOLLIN);
}

/// Enqueues a frame for a socket of a node. False if it was lost, as too much waits there.
bool QemuEngine::put(NodeId to, unsigned number, std::span<const std::byte> frame) {
    NodeLine& line = nodes_[index(to)];
    if (!line.open() || number >= line.cables.size())
        return true; // it is ending, and gets nothing any more, or has no such port
    if (!std::exchange(line.dirty, true))
        dirty_.push_back(index(to));
    if (line.cables[number].queue.push(frame))
        return true;
    if (!std::exchange(line.crowded, true))
        crowded_.push_back(index(to));
    return false;
}

void QemuEngine::kill(NodeId node) {
    ends_.kill(node);
    gone(node);
}

/// Ends the nodes that have sent more than their receiver can take.
void QemuEngine::part_crowds() {
    for (const std::uint32_t node : std::exchange(crowded_, {})) {
        NodeLine& line = nodes_[node];
        line.crowded = false;
        if (!line.empty())
            crowded(node_at(node), line.busiest_port());
    }
}

void QemuEngine::flush() {
    for (std::size_t at = 0; at < dirty_.size(); ++at) { // a node that closes may add to it
        const NodeId node = node_at(dirty_[at]);
        nodes_[index(node)].dirty = false;
        flush(node);
    }
    dirty_.clear();
    ranks_.flush(cable_bytes_);
}

void QemuEngine::flush(NodeId node) {
    for (unsigned number = 0; number < nodes_[index(node)].cables.size(); ++number)
        flush(node, number);
}

void QemuEngine::flush(NodeId node, unsigned number) {
    NodeLine& line = nodes_[index(node)];
    if (!line.open() || line.cables[number].queue.empty())
        return;
    NodeCable& cable = line.cables[number];
    if (!cable.send_waiting())
        return;
    watch(epoll_, EPOLL_CTL_MOD, cable.socket.get(), tag_of(Source::socket, index(node), number),
          EPOLLIN | (cable.blocked ? static_cast<std::uint32_t>(EPOLLOUT) : 0u));
}

/// The socket of a node has come to its end; its process is to follow.
void QemuEngine::close(NodeId node) {
    NodeLine& line = nodes_[index(node)];
    if (line.cables.front().reader.inside() && line.reason.empty())
        line.reason = "ended in the middle of a frame";
    line.cables.clear();
    closing_.push_back({index(node), ends_.now_us() + kClosingUs});
    await_end(node);
    gone(node);
}

void QemuEngine::gone(NodeId node) {
    if (ranks_.serves())
        ranks_.report(node, What::gone);
    loom_.gone(node);
    if (one_cable_)
        one_cable_->forget(node);
}

/// The node's process has ended: reads the rest of its output.
void QemuEngine::ended(NodeId node) {
    NodeLine& line = nodes_[index(node)];
    for (unsigned reads = 0; reads < kLastReads && read_from(node); ++reads) {
    }
    for (unsigned reads = 0; reads < kLastReads && read_errors(node); ++reads) {
    }
    if (line.open())
        close(node);
    const std::string how = line.process.end(std::chrono::milliseconds(0));
    line.errors = Fd();
    line.process = ChildProcess();
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

std::vector<WaitsFor> QemuEngine::waiting(NodeId node) {
    if (ranks_.is_far(node))
        return waits_of_bytes(ranks_.look(node, Look::waits));
    return inspector_.waits(node, nodes_[index(node)]);
}

std::optional<wire::CrashRecord> QemuEngine::running(NodeId node) {
    if (ranks_.is_far(node))
        return value_of<wire::CrashRecord>(ranks_.look(node, Look::place));
    return inspector_.running(node, nodes_[index(node)]);
}

std::optional<std::uint32_t> QemuEngine::stack_used(NodeId node) {
    if (ranks_.is_far(node))
        return value_of<std::uint32_t>(ranks_.look(node, Look::stack));
    while (read_errors(node)) { // the stack comes behind them
    }
    return inspector_.stack_used(node, nodes_[index(node)]);
}

/// Too much waits for the node, most of it from this port.
void QemuEngine::crowded(NodeId node, unsigned port) {
    if (ranks_.serves())
        ranks_.report(node, What::crowded, {}, static_cast<std::uint8_t>(port));
    else
        loom_.too_much_for(node, port);
}

/// A node that was reset is there again.
void QemuEngine::started(NodeId node) {
    loom_.restarted(node);
    if (ranks_.serves())
        ranks_.report(node, What::started);
}

/// Takes all that has come from other ranks. RunError: one is gone.
void QemuEngine::hear_ranks() {
    ranks_.hear(
        [this](const Message& message) { ranks_.serves() ? obey(message) : hear_of(message); });
}

/// Rank 0: the state of a node. While the node is down, that of its last life.
void QemuEngine::hear_of(const Message& message) {
    const NodeId node = message.node;
    NodeLine& line = nodes_[index(node)];
    if (message.what == What::started && std::exchange(line.reset, false))
        started(node);
    if (line.reset)
        return;
    if (message.what == What::frame)
        take_frame(node, message.bytes);
    else if (message.what == What::words)
        events_->words(node, text_of(message.bytes));
    else if (message.what == What::crowded)
        crowded(node, message.detail);
    else if (message.what == What::gone)
        gone(node);
    else if (message.what == What::ended)
        events_->ended(node, line.reason.empty() ? text_of(message.bytes) : line.reason);
}

/// Another rank: does what rank 0 orders.
void QemuEngine::obey(const Message& message) {
    const NodeId node = message.node;
    if (message.what == What::frame && message.bytes.size() >= wire::kHeadBytes)
        ends_.deliver(node, message.bytes);
    else if (message.what == What::kill)
        ends_.kill(node);
    else if (message.what == What::start && message.bytes.size() == sizeof(unsigned))
        ends_.restart(node, wire::load<unsigned>(message.bytes, 0));
    else if (message.what == What::look)
        ranks_.report(node, What::seen, seen(node, static_cast<Look>(message.detail)),
                      message.detail);
}

/// This rank's node, as rank 0 gets it by look().
Bytes QemuEngine::seen(NodeId node, Look what) {
    Bytes bytes;
    if (what == Look::waits)
        bytes = bytes_of_waits(waiting(node));
    else if (const auto place = what == Look::place ? running(node) : std::nullopt)
        bytes = copy_of(wire::bytes_of(*place));
    else if (const auto stack = what == Look::stack ? stack_used(node) : std::nullopt)
        bytes = copy_of(wire::bytes_of(*stack));
    return bytes;
}

std::unique_ptr<Engine> make_qemu_engine(const RigPlan& plan) {
    return std::make_unique<QemuEngine>(plan);
}

void serve_rank(const RigPlan& plan) { QemuEngine(plan).serve(); }

} // namespace mesh::host
