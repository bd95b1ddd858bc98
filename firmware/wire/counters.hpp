// Everything that a node counts. One list: the kernel counts by it, the report names by it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mesh {

enum class Counter : std::uint8_t {
    frames_received,
    packets_sent,
    packets_forwarded,
    packets_delivered,
    packets_injected,
    retransmissions,
    acks_sent,
    refusals,
    bounces,
    disjoint_retries,
    asks,
    drop_crc,
    drop_malformed,
    drop_wrong_port,
    drop_duplicate,
    drop_out_of_order,
    drop_no_buffer,
    drop_dead_link,
    drop_old_session,
    drop_old_call,
    drop_no_route,
    drop_too_far,
    drop_unexpected,
    links_dead,
    late_turns,
    buffers_used_max,
    arena_bytes_max,
    kCount
};

inline constexpr std::size_t kCounterCount = static_cast<std::size_t>(Counter::kCount);

/// The words of a counter.
struct CounterWords {
    std::string_view name;   ///< In the report; drops are listed there without their prefix.
    std::string_view reason; ///< Why a node counts one more.
};

/// Those of all counters, in the order of Counter.
inline constexpr std::array<CounterWords, kCounterCount> kCounterWords{{
    {"frames_received", "taken from the network interface, good or bad"},
    {"packets_sent", "data frames accepted by the peer's link, first hop or later"},
    {"packets_forwarded", "copies sent on of packets that came from another node"},
    {"packets_delivered", "handed to a mailbox of this node"},
    {"packets_injected", "started by a process of this node"},
    {"retransmissions", "data frames sent again"},
    {"acks_sent", "frames that carried an acknowledgement only"},
    {"refusals", "packets that a peer had no buffer for and that waited here"},
    {"bounces", "messages sent back to wait because no process was ready to take them"},
    {"disjoint_retries", "messages that took another of the disjoint paths"},
    {"asks", "questions, since something did not come: a healthy mesh needs none"},
    {"drop_crc", "checksum of link header or packet wrong"},
    {"drop_malformed", "not one of our frames, or lengths that do not fit"},
    {"drop_wrong_port", "came in by a port other than its header says"},
    {"drop_duplicate", "had it already"},
    {"drop_out_of_order", "came before one that was lost; will come again"},
    {"drop_no_buffer", "refused for lack of a pool buffer; the sender keeps it"},
    {"drop_dead_link",
     "next hop is a dead link, or the session in which it was under way has ended"},
    {"drop_old_session", "of a session of its link that is over, or has not begun"},
    {"drop_old_call", "of a call of a collective that is over at this node"},
    {"drop_no_route", "rule, node number or subtree that this network does not have"},
    {"drop_too_far", "has crossed more links than its rule has"},
    {"drop_unexpected", "end-to-end control for a message that is not (or no longer) under way"},
    {"links_dead", "sessions of links that have ended at this node"},
    {"late_turns", "processes that did not come to their turn within their own limit"},
    {"buffers_used_max", "high-water mark of the packet pool"},
    {"arena_bytes_max", "high-water mark of the process arena"},
}};

/// One node's counters. Not interrupt safe: only the kernel's thread writes them.
class Counters {
public:
    constexpr std::uint32_t& operator[](Counter counter) {
        return values_[static_cast<std::size_t>(counter)];
    }
    constexpr std::uint32_t operator[](Counter counter) const {
        return values_[static_cast<std::size_t>(counter)];
    }
    constexpr const std::array<std::uint32_t, kCounterCount>& values() const { return values_; }

private:
    std::array<std::uint32_t, kCounterCount> values_{};
};

} // namespace mesh
