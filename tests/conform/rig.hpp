// A board under an emulator, alone: its host port as text and crash records, its ports as frames
// that go back where they came from, unless a test wants them.
#pragma once

#include "hal/conform.hpp"
#include "host-tools/mesh/cables/frame_stream.hpp"
#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/engines/engine.hpp"
#include "tests/conform/messages.hpp"
#include "wire/host_messages.hpp"

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace mesh::conform {

/// The board that is looked at, and the image of tests/conform/image made for it.
struct Subject {
    host::BoardFacts board;
    std::string image;
};

class Rig {
public:
    using Bytes = std::vector<std::byte>;

    /// Starts the node, with as many ports as the board has, and waits for its first word.
    explicit Rig(const Subject& subject, std::uint32_t node = 0);

    Network network() const { return plan_.network; }
    unsigned ports() const { return plan_.board.ports(); }
    bool serial() const { return plan_.board.serial(); }

    void tell(const Command& command);
    /// The next line that the node says; nothing if it ends, or if nothing comes from it for so
    /// long: while frames come, it is at work, however slow this machine is.
    std::optional<std::string> line(std::chrono::milliseconds timeout = kLineTimeout);
    /// tell() and line().
    std::string ask(const Command& command);
    /// Its crash record; nothing if it says none for so long.
    std::optional<wire::CrashRecord> fault();
    /// How the process ended; "" if it has not after a while.
    std::string end();

    /// Puts a frame on the cable of a port; raw() bytes as they are.
    void send(unsigned port, std::span<const std::byte> frame);
    void raw(unsigned port, const Bytes& bytes);
    /// Frames that come by ports go back; else they are kept in `frames`.
    void loop_back(bool on) { loops_ = on; }
    /// Reads no more than so many bytes in a millisecond from all cables but the host's; 0: all.
    void throttle(std::size_t bytes) { throttle_ = bytes; }
    /// Lets frames move.
    void run_for(std::chrono::milliseconds time);
    /// Processor time that the emulator has used.
    double cpu_s() const;

    struct Frame {
        unsigned port;
        Bytes bytes;
    };
    std::vector<Frame> frames;

    static constexpr std::chrono::seconds kLineTimeout{60};

private:
    struct Cable {
        host::Fd socket;
        host::FrameReader reader;
        host::SendQueue queue;
    };

    bool is_host(std::size_t cable) const { return serial() && cable == 0; }
    std::size_t cable_of(unsigned port) const { return serial() ? port + 1 : 0; }
    void work(std::chrono::milliseconds timeout);
    bool read_from(std::size_t cable);
    void on_frame(std::size_t cable, std::span<const std::byte> frame);
    void on_host_frame(std::span<const std::byte> frame);

    host::RigPlan plan_;
    std::vector<Cable> cables_;
    host::Fd monitor_;
    host::ChildProcess process_;
    std::deque<std::string> lines_;
    std::string text_; // of a line that is not whole
    std::optional<wire::CrashRecord> fault_;
    std::chrono::steady_clock::time_point heard_; // bytes of the node, of any cable
    bool loops_ = true;
    bool open_ = true;
    std::size_t throttle_ = 0;
};

} // namespace mesh::conform
