#include "rig.hpp"

#include "host-tools/mesh/cables/host_frame.hpp"
#include "host-tools/mesh/engines/qemu_engine.hpp"
#include "host-tools/mesh/plan/plan_rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <sstream>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace mesh::conform {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kStep{1};
constexpr milliseconds kEndTimeout{10'000};
/// So many times as long as it may say nothing a node may be at work on one line.
constexpr int kSilences = 30;

/// Our end, and the one that the emulator gets.
std::pair<host::Fd, host::Fd> socket_pair() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw std::runtime_error("socketpair");
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    const host::Fd far_end(ends[1]);
    return {host::Fd(ends[0]), host::Fd(fcntl(far_end.get(), F_DUPFD_CLOEXEC, host::kGivenFdMin))};
}

host::RigPlan plan_of(const Subject& subject) {
    host::RigPlan plan;
    plan.network = {Topology::cube, static_cast<std::uint8_t>(subject.board.ports())};
    plan.board = subject.board;
    plan.programs = {{"conform", subject.image}};
    host::plan_emulator(plan, "exec");
    return plan;
}

} // namespace

Rig::Rig(const Subject& subject, std::uint32_t node) : plan_(plan_of(subject)) {
    const auto format = serial() ? host::StreamFormat::serial : host::StreamFormat::ethernet;
    std::vector<host::Fd> far_ends;
    host::SpawnFiles files{STDIN_FILENO, STDERR_FILENO, STDERR_FILENO, {}};
    for (unsigned count = plan_.board.sockets(ports()); count != 0; --count) {
        auto [near_end, far_end] = socket_pair();
        files.given.push_back(far_end.get());
        far_ends.push_back(std::move(far_end));
        cables_.push_back({std::move(near_end), host::FrameReader(format),
                           host::SendQueue(format, plan_.board.serial_fill)});
    }
    auto [monitor, far_monitor] = socket_pair();
    monitor_ = std::move(monitor);
    files.given.push_back(far_monitor.get());
    process_ = host::ChildProcess::spawn(host::qemu_words(plan_, node_at(node)), files);
    far_ends.clear();
    if (line() != "ready")
        throw std::runtime_error("the image does not say that it is ready");
}

void Rig::tell(const Command& command) {
    cables_[0].queue.push(
        host::make_host_frame(node_at(0), wire::HostTag::job, wire::bytes_of(command)));
}

std::optional<std::string> Rig::line(milliseconds timeout) {
    heard_ = Clock::now();
    for (const auto end = heard_ + kSilences * timeout;
         lines_.empty() && open_ && !fault_ && Clock::now() < std::min(heard_ + timeout, end);)
        work(kStep);
    if (lines_.empty())
        return std::nullopt;
    std::string first = std::move(lines_.front());
    lines_.pop_front();
    return first;
}

std::string Rig::ask(const Command& command) {
    tell(command);
    const auto answer = line();
    if (!answer)
        ADD_FAILURE() << "no answer to command " << static_cast<unsigned>(command.what);
    return answer.value_or("");
}

std::optional<wire::CrashRecord> Rig::fault() {
    for (const auto until = Clock::now() + kEndTimeout; !fault_ && open_ && Clock::now() < until;)
        work(kStep);
    return fault_;
}

std::string Rig::end() { return process_.end(kEndTimeout); }

void Rig::send(unsigned port, std::span<const std::byte> frame) {
    cables_[cable_of(port)].queue.push(frame);
}

void Rig::raw(unsigned port, const Bytes& bytes) {
    for (std::size_t sent = 0; sent < bytes.size();) {
        const ssize_t some = ::send(cables_[cable_of(port)].socket.get(), bytes.data() + sent,
                                    bytes.size() - sent, MSG_NOSIGNAL);
        sent += some > 0 ? static_cast<std::size_t>(some) : 0;
        if (some < 0)
            work(kStep);
    }
}

void Rig::run_for(milliseconds time) {
    for (const auto until = Clock::now() + time; Clock::now() < until;)
        work(kStep);
}

double Rig::cpu_s() const {
    std::ifstream file("/proc/" + std::to_string(process_.pid()) + "/stat");
    std::string words{std::istreambuf_iterator<char>(file), {}};
    std::istringstream fields(words.substr(words.rfind(')') + 2));
    std::string skipped;
    for (unsigned field = 3; field < 14; ++field)
        fields >> skipped;
    double user = 0;
    double system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// Sends what waits, reads what there is; waits for either so long.
void Rig::work(milliseconds timeout) {
    std::vector<pollfd> wanted;
    for (const Cable& cable : cables_)
        wanted.push_back({cable.socket.get(),
                          static_cast<short>(POLLIN | (cable.queue.empty() ? 0 : POLLOUT)), 0});
    poll(wanted.data(), wanted.size(), static_cast<int>(timeout.count()));
    for (std::size_t at = 0; at < cables_.size(); ++at) {
        Cable& cable = cables_[at];
        const auto rest = cable.queue.waiting();
        const ssize_t sent =
            rest.empty() ? 0 : ::send(cable.socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
        cable.queue.pop(sent > 0 ? static_cast<std::size_t>(sent) : 0);
        while (read_from(at)) {
        }
    }
    if (throttle_ != 0)
        usleep(1000);
}

/// True if there may be more.
bool Rig::read_from(std::size_t at) {
    std::array<std::byte, 65536> buffer;
    const bool slow = throttle_ != 0 && !is_host(at);
    const ssize_t got =
        recv(cables_[at].socket.get(), buffer.data(), slow ? throttle_ : buffer.size(), 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        open_ = false;
    if (got <= 0)
        return false;
    heard_ = Clock::now();
    std::span<std::byte> bytes{buffer.data(), static_cast<std::size_t>(got)};
    while (const auto frame = cables_[at].reader.next(bytes))
        on_frame(at, *frame);
    return !slow;
}

void Rig::on_frame(std::size_t cable, std::span<const std::byte> frame) {
    if (frame.size() < wire::kHeadBytes)
        return; // the end of one that was broken off
    const auto named = std::to_integer<unsigned>(frame[wire::offset::kCablePort]);
    if (is_host(cable) || (!serial() && named == index(kHostPort))) {
        on_host_frame(frame);
        return;
    }
    const unsigned port = serial() ? static_cast<unsigned>(cable) - 1 : named;
    if (loops_)
        cables_[cable].queue.push(frame);
    else
        frames.push_back({port, {frame.begin(), frame.end()}});
}

void Rig::on_host_frame(std::span<const std::byte> frame) {
    const auto message = host::read_host_frame(frame);
    if (!message)
        return;
    if (message->tag == wire::HostTag::fault)
        fault_ = host::payload_as<wire::CrashRecord>(*message);
    if (message->tag != wire::HostTag::console)
        return;
    for (const std::byte byte : message->payload) {
        if (byte == std::byte{'\n'})
            lines_.push_back(std::exchange(text_, {}));
        else
            text_.push_back(static_cast<char>(byte));
    }
}

} // namespace mesh::conform
