// The host tool's end of a mesh with one host cable, that of node 0: speaks with every node by it,
// as if each had a cable of its own. The nodes' end is firmware/onecable/relay.hpp.
//
// One message to each node, and one from it, is under way at a time; it is sent again until it is
// acknowledged. Few go out at a time, since nodes on the way drop frames when they have no room.
// Until all nodes have said who they are, and while one is not heard, it assigns addresses again
// and again.
#pragma once

#include "core/network.hpp"
#include "host-tools/mesh/common/bytes.hpp"
#include "wire/frame.hpp"
#include "wire/relay.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

namespace mesh::host {

class OneCable {
public:
    /// The owner of the cable: the calls that OneCable makes to it.
    class Holder {
    public:
        virtual ~Holder() = default;
        /// Sends a whole frame by the cable; may lose it.
        virtual void to_cable(std::span<const std::byte> frame) = 0;
        /// A frame of a node's host port has come, once and in order. May call send().
        virtual void from_node(NodeId node, std::span<std::byte> frame) = 0;
        /// The crash record of a node, which may be gone.
        virtual void crash_record(NodeId node, std::span<const std::byte> frame) = 0;
        /// Real time (microseconds, monotonic).
        virtual std::uint64_t now_us() const = 0;
    };

    struct Rules {
        std::string made_for;              // the words that the nodes' images must bear
        std::uint32_t frame_us;            // how long a frame takes on a cable
        std::uint64_t identify_timeout_us; // with nodes that do not answer
    };
    OneCable(Network network, Rules rules, Holder& holder);

    /// A frame to a node's host port. Copied.
    void send(NodeId to, std::span<const std::byte> frame);
    /// A whole frame has come by the cable; any bytes. UsageError: a node's image is made for
    /// something else.
    void heard(std::span<std::byte> frame);
    /// The node is gone: frames that wait for it are dropped, so that no other node waits for them.
    void forget(NodeId node);
    /// The node was reset and comes back: it has forgotten all, and is to say again who it is.
    void began_anew(NodeId node);
    /// Does what is due; to be called often. RunError: some nodes have not said who they are, long
    /// after the others have.
    void tick();

    /// Frames that nodes had no room for, as they last reported.
    std::uint64_t dropped() const;
    /// Any node has said who it is.
    bool answered() const { return numbered_ != 0; }

private:
    struct Node {
        std::deque<Bytes> waiting; // the first one is under way, or its turn comes
        std::uint16_t number = 1;  // of the first one
        std::uint16_t taken = 0;   // last message of the node
        std::uint16_t told = 0;    // of those, the last one that it was told of since it came
        std::uint32_t dropped = 0; // as it last said
        std::uint32_t dropped_before = 0; // in earlier lives
        bool named = false;               // it has said who it is, or is gone
        std::uint16_t life = 0;           // as it then said
        std::uint16_t life_before = 0;    // of which its name may be late
        bool stopped = false;             // it has sent its crash record
        std::uint16_t way = 0;            // of frames to it: wire::Way
        bool unheard = false;             // the first one has gone all ways
        std::uint64_t again_at_us = 0;
        std::uint32_t pause_us = 0;
    };

    void look_for_silent() const;
    void assign_addresses();
    void take_next_way(Node& node) const;
    void speak_to(std::uint32_t node);
    void note_named(std::uint32_t node);
    void acknowledge(std::uint32_t node);
    void on_acknowledged(std::uint32_t node, std::uint16_t number);
    void note_life(std::uint32_t node, std::uint16_t life);
    bool unheard() const;
    void check_image(std::uint32_t node, std::span<const std::byte> text) const;
    void launch();
    void fly(std::uint32_t node);
    void put(const wire::LinkHeader& link, Bytes& frame);

    Rules rules_;
    std::uint32_t rto_us_; // before a message is sent again
    Holder& holder_;
    std::vector<Node> nodes_;
    std::deque<std::uint32_t> turns_; // nodes with something to send that is not under way
    std::vector<std::uint32_t> flying_;
    wire::Numbering numbering_{};
    std::uint64_t assign_at_us_ = 0;
    std::uint32_t numbered_ = 0;
    std::uint64_t news_at_us_; // a node has said who it is, or there is nothing to wait for
};

} // namespace mesh::host
