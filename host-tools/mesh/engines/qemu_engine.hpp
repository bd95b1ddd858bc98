// The rig: one QEMU for each node, a socket pair for its network interface or for each of its
// serial lines, one thread and one epoll for all of them.
//
// The sockets have no name, so nobody else can connect and two rigs cannot clash. A node is gone
// when its process has ended and all that it sent has been read; its socket alone says nothing of
// how it ended. The frames of a node cost no more memory than bounds.hpp says.
#pragma once

#include "engine.hpp"
#include "gdb_stub.hpp"
#include "host-tools/mesh/cables/one_cable.hpp"
#include "host-tools/mesh/common/signals.hpp"
#include "node_inspector.hpp"
#include "node_line.hpp"
#include "node_starter.hpp"
#include "rank_link.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace mesh::host {

class QemuEngine final : public Engine {
public:
    explicit QemuEngine(RigPlan plan);
    ~QemuEngine() override;

    void boot(Events& events) override;
    bool advance(std::chrono::milliseconds timeout, Events& events) override;
    void kill(NodeId node) override;
    void end_nodes() override;
    Loom& loom() override { return loom_; }
    std::vector<WaitsFor> waiting(NodeId node) override;
    std::optional<wire::CrashRecord> running(NodeId node) override;
    std::optional<std::uint32_t> stack_used(NodeId node) override;
    std::uint64_t relay_drops() const override { return one_cable_ ? one_cable_->dropped() : 0; }
    std::uint64_t cable_bytes() const override { return cable_bytes_ + ranks_.cable_bytes(); }
    std::optional<StartedBy> started_by() const override { return starter_.started_by(); }
    bool real_time() const override { return true; }

    /// A rank other than 0: has its part of the nodes, as rank 0 orders, until the end of the run.
    /// RunError: rank 0 is gone, or this rank cannot go on.
    void serve();

private:
    /// A node whose socket is closed and whose process has not ended yet.
    struct Closing {
        std::uint32_t node;
        std::uint64_t until_us;
    };

    /// The rig as the loom and OneCable use it.
    struct Ends final : Cables, OneCable::Holder {
        explicit Ends(QemuEngine& engine) : rig(engine) {}
        bool deliver(NodeId to, std::span<const std::byte> frame) override;
        void to_host(NodeId from, std::span<const std::byte> frame) override;
        void kill(NodeId node) override;
        void restart(NodeId node, unsigned starts) override;
        void expel(NodeId node, std::string_view why) override;
        std::uint64_t now_us() const override;
        void to_cable(std::span<const std::byte> frame) override;
        void from_node(NodeId node, std::span<std::byte> frame) override;
        void crash_record(NodeId node, std::span<const std::byte> frame) override;
        QemuEngine& rig;
    };

    void from_host_port(NodeId node, std::span<std::byte> frame);
    void go_on_loading();
    void prepare();
    void tell_debuggers() const;
    void wait_for_room(std::uint32_t spawned, Events& events);
    void hold(NodeId node);
    void let_go(Events& events);
    void go_before(NodeId node) const;
    void spawn(NodeId node, unsigned starts);
    void reset_nodes();
    void on_event(std::uint64_t tag, std::uint32_t events);
    bool read_from(NodeId node);
    bool read_from(NodeId node, unsigned number);
    bool put(NodeId to, unsigned number, std::span<const std::byte> frame);
    void take_frames(NodeId node, unsigned number, std::span<std::byte> bytes);
    void take_frame(NodeId node, std::span<std::byte> frame);
    bool read_errors(NodeId node);
    void await_end(NodeId node);
    void flush();
    void flush(NodeId node);
    void flush(NodeId node, unsigned number);
    void close(NodeId node);
    void gone(NodeId node);
    void ended(NodeId node);
    void end_closing();
    void part_crowds();

    void crowded(NodeId node, unsigned port);
    void started(NodeId node);
    void hear_ranks();
    void hear_of(const Message& message);
    void obey(const Message& message);
    Bytes seen(NodeId node, Look what);

    RigPlan plan_;
    RankLink ranks_{plan_};
    Ends ends_;
    Loom loom_;
    std::optional<OneCable> one_cable_; // then no other node has a host's
    std::optional<ImageLoad> load_;     // until all nodes have their image
    std::uint64_t cable_bytes_ = 0;
    std::vector<NodeLine> nodes_;
    std::vector<std::uint32_t> dirty_;
    bool holds_ = false;                 // nodes that are up wait for those that are not
    bool goes_first_ = false;            // this process goes before its nodes, which are nicer
    std::vector<std::uint32_t> held_;    // these do
    std::vector<std::uint32_t> crowded_; // so much waits for these that frames were dropped
    std::vector<std::pair<NodeId, unsigned>> resets_; // and how often each was started before
    std::vector<Closing> closing_;                    // earliest first
    Bytes buffer_;
    Bytes host_buffer_; // of messages to the host from nodes with serial lines
    Fd epoll_;
    Signals signals_;
    Fd null_;
    GdbStubs stubs_;
    NodeStarter starter_{plan_, signals_};
    NodeInspector inspector_{plan_, signals_};
    Events* events_ = nullptr;
};

} // namespace mesh::host
