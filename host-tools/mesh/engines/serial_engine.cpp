// Nodes that are there already: the host tool has the serial line of node 0, by which it speaks
// with all of them (cables/one_cable.hpp). The host tool does not see the cables between nodes, so
// these can have no faults, and the nodes' own reports tell what crosses them.
#include "engine.hpp"
#include "host-tools/mesh/cables/frame_stream.hpp"
#include "host-tools/mesh/cables/host_frame.hpp"
#include "host-tools/mesh/cables/image_load.hpp"
#include "host-tools/mesh/cables/one_cable.hpp"
#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/signals.hpp"
#include "host-tools/mesh/programs/flat_image.hpp"
#include "host-tools/mesh/programs/program_file.hpp"
#include "kernel/base/limits.hpp"
#include "serial_line.hpp"
#include "wire/bytes.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <optional>
#include <poll.h>
#include <random>
#include <unistd.h>
#include <utility>

namespace mesh::host {

namespace {

constexpr std::size_t kLineReadBytes = 4096;
/// The time for an answer; a mesh that is on, or starts anew, answers long before.
constexpr std::uint64_t kAnswerUs = 5'000'000;
/// Between two words to nodes without a loader that answers: a word is everywhere long before.
constexpr std::uint64_t kResetUs = 1'000'000;

class SerialEngine final : public Engine, Cables, OneCable::Holder {
public:
    explicit SerialEngine(const RigPlan& plan)
        : device_(plan.options.serial),
          baud_(plan.options.baud),
          loom_(node_count(plan.network), port_count(plan.network), plan.wiring, {}, *this),
          reader_(StreamFormat::serial),
          queue_(StreamFormat::serial, plan.board.serial_fill),
          one_cable_(plan.network,
                     {stamp_for(plan.board.relay_folder()), limits::frames_us(1, plan.options.baud),
                      identify_timeout_us(plan)},
                     *this) {
        if (!plan.loader.empty())
            load_.emplace(load_tree(plan.network),
                          flat_image(plan.programs.front().image, plan.loader),
                          identify_timeout_us(plan), KeepImage{plan.keep(), plan.options.older});
        reset_.topology = plan.network.topology;
        reset_.dim = plan.network.dim;
        reset_.assignment = 1;
        reset_.from = index(kNoNode);
    }

    void boot(Events& events) override {
        line_ = open_serial(device_, baud_);
        begun_us_ = reset_at_us_ = now_us();
        advance(std::chrono::milliseconds(0), events);
    }
    bool advance(std::chrono::milliseconds timeout, Events& events) override;
    void kill(NodeId node) override {
        one_cable_.forget(node);
        loom_.gone(node);
    }
    Loom& loom() override { return loom_; }
    std::vector<WaitsFor> waiting(NodeId /*node*/) override { return {}; }
    std::uint64_t relay_drops() const override { return one_cable_.dropped(); }
    bool real_time() const override { return true; }

private:
    // Cables: all that the loom has to carry comes from the host tool.
    bool deliver(NodeId to, std::span<const std::byte> frame) override {
        one_cable_.send(to, frame);
        return true;
    }
    void to_host(NodeId from, std::span<const std::byte> frame) override {
        events_->host_frame(from, frame);
    }
    void restart(NodeId /*node*/, unsigned /*starts*/) override {}
    void expel(NodeId /*node*/, std::string_view /*why*/) override {}
    std::uint64_t now_us() const override {
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
               static_cast<std::uint64_t>(now.tv_nsec) / 1000;
    }

    // OneCable::Holder
    void to_cable(std::span<const std::byte> frame) override { (void)queue_.push(frame); }
    void from_node(NodeId node, std::span<std::byte> frame) override {
        loom_.frame_from(node, frame);
    }
    void crash_record(NodeId node, std::span<const std::byte> frame) override {
        events_->host_frame(node, frame);
    }

    void go_on_loading();
    bool read_some();
    void write_some();
    [[noreturn]] void lost(std::string_view what) const {
        throw RunError(fmt::format("{}: {}", device_, what));
    }

    std::string device_;
    unsigned baud_;
    Loom loom_;
    FrameReader reader_;
    SendQueue queue_;
    OneCable one_cable_;
    std::optional<ImageLoad> load_; // until all nodes have their image
    wire::Numbering reset_{};       // of no run that nodes know
    std::uint64_t reset_at_us_ = 0;
    Fd line_;
    Signals signals_;
    Events* events_ = nullptr;
    std::uint64_t begun_us_ = 0;
};

bool SerialEngine::advance(std::chrono::milliseconds timeout, Events& events) {
    events_ = &events;
    if (load_)
        go_on_loading();
    else
        one_cable_.tick();
    write_some();
    const auto out = static_cast<short>(queue_.empty() ? 0 : POLLOUT);
    std::array<pollfd, 2> wanted{pollfd{line_.get(), static_cast<short>(POLLIN | out), 0},
                                 pollfd{signals_.descriptor(), POLLIN, 0}};
    poll(wanted.data(), wanted.size(), static_cast<int>(timeout.count()));
    signals_.check();
    bool moved = false;
    while (read_some())
        moved = true;
    write_some();
    if (load_ && !load_->answered() && now_us() - begun_us_ > 2 * kAnswerUs)
        lost(fmt::format("no loader answers at {} baud: is node 0 on, with a loader or an image "
                         "that one has brought, and is this its line?",
                         baud_));
    if (!load_ && !one_cable_.answered() && now_us() - begun_us_ > kAnswerUs)
        lost(fmt::format(
            "no answer at {} baud: is node 0 on, with an image for a mesh with one host "
            "cable, and is this its line?",
            baud_));
    return moved;
}

/// Nodes that run an image are to reset, so that their loaders wait for another one. An image that
/// has its number for another run resets and tells its neighbours; one that has none yet gets it,
/// and resets the next time.
void SerialEngine::go_on_loading() {
    if (load_->done()) {
        events_->loaded(load_->summary());
        load_.reset();
        begun_us_ = now_us();
        return;
    }
    if (!load_->answered() && now_us() - reset_at_us_ >= kResetUs) {
        reset_at_us_ = now_us();
        reset_.run = std::random_device{}();
        auto frame = make_host_frame(kNoNode, static_cast<wire::HostTag>(wire::RelayTag::number),
                                     wire::bytes_of(reset_));
        wire::write_head(
            {.kind = wire::Kind::host,
             .port = kHostPort,
             .packet_bytes = static_cast<std::uint16_t>(frame.size() - wire::kHeadBytes)},
            kHostMac, std::span(frame).first<wire::kHeadBytes>());
        to_cable(frame);
    }
    if (const auto frame = load_->next_frame(now_us()))
        to_cable(*frame);
}

/// False if there was nothing to read.
bool SerialEngine::read_some() {
    std::array<std::byte, kLineReadBytes> bytes;
    const ssize_t got = read(line_.get(), bytes.data(), bytes.size());
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got < 0)
        lost(std::strerror(errno));
    if (got == 0)
        lost("the line has gone");
    auto rest = std::span(bytes).first(static_cast<std::size_t>(got));
    while (const auto frame = reader_.next(rest)) {
        if (frame->size() < wire::kHeadBytes)
            continue; // noise
        wire::store(*frame, wire::offset::kCablePort, kHostPort);
        if (load_)
            load_->heard(*frame, now_us());
        else
            one_cable_.heard(*frame);
    }
    return true;
}

void SerialEngine::write_some() {
    if (queue_.empty())
        return;
    const auto rest = queue_.waiting();
    const ssize_t sent = write(line_.get(), rest.data(), rest.size());
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
        lost(std::strerror(errno));
    queue_.pop(sent > 0 ? static_cast<std::size_t>(sent) : 0);
}

} // namespace

std::unique_ptr<Engine> make_serial_engine(const RigPlan& plan) {
    return std::make_unique<SerialEngine>(plan);
}

} // namespace mesh::host
