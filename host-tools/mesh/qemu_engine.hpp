// The rig: one QEMU for each node, one socket pair each, one thread and one epoll for all of them.
//
// A frame on a node's socket is a big-endian length of four bytes and the frame, as QEMU's socket
// network has it. The sockets have no name, so nobody else can connect and two rigs cannot clash;
// end-of-file tells that a node has gone.
#pragma once

#include "engine.hpp"
#include "qemu_process.hpp"

#include <string>
#include <sys/types.h>
#include <vector>

namespace mesh::host {

/// Ends the run with exit code 128 + signal; all destructors run.
struct Interrupted {
    int signal;
};

class QemuEngine final : public Engine {
public:
    explicit QemuEngine(RigPlan plan);
    ~QemuEngine() override;

    void boot(Events& events) override;
    bool advance(std::chrono::milliseconds patience, Events& events) override;
    void kill(NodeId node) override;
    Loom& loom() override { return loom_; }
    bool real_time() const override { return true; }

private:
    struct NodeLine {
        Fd socket;
        QemuProcess process;
        Bytes received; // the beginning of a frame whose rest has not come yet
        Bytes to_send;
        std::size_t sent = 0;
        bool dirty = false;   // in dirty_
        bool blocked = false; // waits for room in the socket
    };

    /// What the loom sees of the rig.
    struct Ends final : Cables {
        explicit Ends(QemuEngine& engine) : rig(engine) {}
        void deliver(NodeId to, std::span<const std::byte> frame) override;
        void to_host(NodeId from, std::span<const std::byte> frame) override;
        void kill(NodeId node) override;
        std::uint64_t now_us() const override;
        QemuEngine& rig;
    };

    std::vector<std::string> words_for(NodeId node) const;
    std::string gdb_socket() const { return gdb_folder_ + "/gdb"; }
    void open_gdb_socket();
    void wait_for_room(std::uint32_t spawned, Events& events);
    void spawn(NodeId node);
    void watch(NodeId node, bool writable);
    void read_from(NodeId node);
    std::size_t take_frames(NodeId node, std::span<std::byte> bytes);
    void flush();
    void flush(NodeId node);
    void lost(NodeId node);
    void report_ended();

    RigPlan plan_;
    Ends ends_;
    Loom loom_;
    std::vector<NodeLine> nodes_;
    std::vector<std::uint32_t> dirty_;
    std::vector<std::uint32_t> ended_;
    Bytes buffer_;
    Fd epoll_;
    Fd signals_;
    Fd null_;
    Fd errors_; // what the QEMUs say on their standard error
    std::string gdb_folder_;
    Fd gdb_listener_;
    Events* events_ = nullptr;
};

} // namespace mesh::host
