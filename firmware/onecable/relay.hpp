// One host cable for a mesh: a node's part of it. It decides which number a node has, which way a
// frame between host tool and node goes, and which frames are for this node, and keeps the frames
// that this node still has to send.
//
// It works below the kernel, which sees a host port like any other: frames go on from node to node
// whatever the kernel or a program does. Nodes on the way drop frames that they have no room for;
// the two ends send a message again until it is acknowledged, one at a time, so each arrives once
// and in order. The host tool keeps little enough under way that drops are rare.
//
// A message that is not acknowledged goes again by another way (wire::Way): unicast first, then
// each of the node-disjoint paths. So with as many dead nodes and cables as there are paths, less
// one, node 0 and every other node still hear each other. A frame is believed only if it came in by
// the port by which the way that it names comes here.
//
// Numbers (wire::Numbering) come from node 0, which has its own from the host cable: port d of node
// i leads to a node that the network's rule names, so a node that hears its neighbour knows its
// number.
#pragma once

#include "hal/dma.hpp"
#include "kernel/base/rule_set.hpp"
#include "wire/frame.hpp"
#include "wire/identity.hpp"
#include "wire/relay.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mesh {

class Relay {
public:
    /// The outcome of a frame that came in.
    enum class Outcome : std::uint8_t {
        done,    // nothing more
        deliver, // it is for this node's kernel
    };
    /// Memory that survives a reset; where a node gets power it may be anything.
    struct Kept {
        std::uint32_t run;        // this, and the next, is the assignment for which the node last
        std::uint32_t assignment; // started anew
        std::uint16_t life;       // one more with each reset; 0: not known, power has just come
    };

    /// A life of the node begins. `made_for`: board and kernel of the image, up to
    /// kMadeForBytesMax. `ports`: of the board.
    /// `frame_us`: the longest that a frame takes on a cable.
    Relay(std::string_view made_for, unsigned ports, std::uint32_t frame_us, Kept& kept);
    Relay(const Relay&) = delete;
    Relay& operator=(const Relay&) = delete;

    bool numbered() const { return identity_.node != kNoNode; }
    /// The numbers come from node 0 itself, and no host is there.
    bool alone() const { return wire::without_host(last_); }
    /// The numbering that this node has heard last.
    std::uint32_t run() const { return last_.run; }
    /// This node is node 0 of `network`, and numbers the others, for a run that is none before.
    void number_alone(Network network, std::uint32_t run);
    /// Asks the neighbours once more which number this node has.
    void ask_again();
    /// Forgets what it had to tell the host.
    void say_nothing();
    wire::Identity identity() const { return identity_; }
    /// The mesh is to work for another run: this node is to be reset. All that it had to tell its
    /// neighbours has left.
    bool reset_due() const { return starts_anew_ && numbering_.free(); }

    /// A frame of Kind::host came in by `port`; `packet` is header and payload, checked.
    /// `can_deliver`: the kernel would take it now, else its sender keeps it.
    Outcome on_frame(Port port, const wire::LinkHeader& link, const wire::PacketHeader& header,
                     std::span<const std::byte> packet, bool can_deliver);

    /// The port by which this node's frames for the host leave.
    Port up() const;
    /// A frame was lost because it could not be taken or passed on now.
    void note_drop() { ++dropped_; }

    /// send() may be called.
    bool has_room() const { return said_ < kOwnMax; }
    /// A packet of this node to the host; copied.
    void send(std::span<const std::byte> packet);

    /// The frames that were leaving by the ports of `ready` have left.
    void on_ready(PortSet ready);
    /// The next frame to send by a port of `ready`; the packet stays until on_ready() names its
    /// port. False if there is none.
    bool next_frame(PortSet ready, std::uint64_t now_us, wire::LinkHeader& link,
                    std::span<const std::byte>& packet);
    /// The time at which next_frame() sends again what was not acknowledged; wire::kNever if all
    /// was.
    std::uint64_t next_deadline() const { return said_ == 0 ? wire::kNever : again_at_us_; }

    static constexpr std::size_t kMadeForBytesMax = 64;

private:
    /// A frame that waits for ports, or is leaving by them.
    struct Parcel {
        wire::LinkHeader link;
        std::span<std::byte> packet;
        PortSet waits = 0;
        PortSet leaves = 0;

        bool free() const { return (waits | leaves) == 0; }
    };
    template <std::size_t kBytes>
    struct alignas(hal::kDmaAlign) Room {
        std::array<std::byte, kBytes> bytes;
    };
    using Whole = Room<wire::kPacketBytesMax>;
    /// Messages of this node that wait for their acknowledgement, and frames of others.
    static constexpr unsigned kOwnMax = 4;
    static constexpr unsigned kOthersMax = 4;
    static constexpr unsigned kHopsMax = 255;

    static Network network_of(const wire::Numbering& numbering) {
        return {numbering.topology, numbering.dim};
    }
    const NetworkRules& rules() const { return rules_of(identity_.network.topology); }
    Port next_port(NodeId at, NodeId from, NodeId to, unsigned way) const;
    bool comes_by(Port port, NodeId from, NodeId to, unsigned way) const;
    void take_next_way();
    void send_up(Parcel& parcel) const;
    void on_number(Port port, const wire::LinkHeader& link, std::span<const std::byte> payload);
    NodeId numbered_by(const wire::Numbering& numbering, Port port) const;
    void adopt(const wire::Numbering& numbering, NodeId node);
    void tell_numbers(PortSet ports);
    void write_numbers();
    Outcome on_message(const wire::LinkHeader& link, bool can_deliver);
    void on_acknowledged(std::uint16_t number);
    void pass_on(Port out, const wire::LinkHeader& link, std::span<const std::byte> packet);
    void say_first();
    void forget_first();
    Parcel& first() { return own_[first_]; }

    std::string_view made_for_;
    unsigned ports_;
    std::uint32_t frame_us_;
    Kept& kept_;
    wire::Identity identity_;
    wire::Numbering last_{}; // that this node has heard
    bool starts_anew_ = false;
    std::uint16_t way_ = 0; // of this node's messages and acknowledgements

    std::array<Parcel, kOwnMax> own_{};
    std::array<Parcel, kOthersMax> others_{};
    Parcel question_;        // which number have I?
    Parcel numbering_;       // for neighbours
    Parcel acknowledgement_; // without a message
    std::array<Whole, kOwnMax> own_room_;
    std::array<Whole, kOthersMax> others_room_;
    Room<wire::kPacketHeaderBytes> question_room_;
    Room<wire::kPacketHeaderBytes + sizeof(wire::Numbering)> numbering_room_;
    Room<wire::kPacketHeaderBytes> acknowledgement_room_;

    unsigned first_ = 0;   // of own_
    unsigned said_ = 0;    // messages there
    bool settled_ = false; // the first of them is acknowledged, and is still leaving
    std::uint16_t next_number_ = 1;
    std::uint16_t last_taken_ = 0; // of the host's messages
    std::uint32_t dropped_ = 0;
    std::uint64_t again_at_us_ = 0;
    std::uint32_t pause_us_ = 0;
    std::uint32_t rto_us_ = 0;
};

} // namespace mesh
