// One end of one cable: a sliding-window protocol that neither loses, doubles nor reorders packets
// on a cable that drops, corrupts, doubles and reorders frames.
//
// Sending. Packets wait in a queue, then are in flight (numbered, at most kWindowFrames and
// window_bytes of them) until the peer's cumulative acknowledgement. Silence, or the peer's word
// that one is missing, sends them again from the first. When kRetriesMax times in a row were in
// vain, the link is dead.
//
// Acknowledging. The receiver may take its time, but not with a frame by which the sender asks: see
// Asking, and kernel/links/links.hpp for how long.
//
// Refusal. The peer may have no buffer for a packet (see kernel/base/admission.hpp). It then
// acknowledges the number but marks it refused; so the packet comes back to the head of the queue
// without blocking the numbering. Everything sent in the same epoch after it is refused as well,
// and the sender starts the next epoch only when nothing is in flight, so order is kept. A refused
// sender waits until the peer says that it has more buffers, and then may pick the first packet
// that fits, which forwarding needs to be free of deadlock. As that word may be lost, it also tries
// one packet now and then.
//
// One-way links. Where a link carries frames one way only (UHC), its answers go home by other
// nodes, over one of the cycles of four that it closes. If frames come in again, the last answer
// may have been lost with a dead node: the next one takes another cycle. No two cycles share an
// inner node, so as many faults as there are ports that send, less one, leave a way.
//
// Sessions. A link counts within a session. A session begins when both ends have said hello, each
// with a number that only grows, and ends when one of them gives up or has begun anew; packets that
// were under way then are lost. Every frame names its session, so a frame that was long on its way
// is known as old. A dead link comes back when an answer names its new number: then both ways work.
//
// A Link knows packets and headers only, no board and no clock: kernel/base/timebase.hpp gives it
// the time and the deadlines of its timer. Not interrupt safe.
#pragma once

#include "core/base/order.hpp"
#include "kernel/base/limits.hpp"
#include "kernel/base/packet_pool.hpp"
#include "kernel/base/timebase.hpp"
#include "wire/counters.hpp"
#include "wire/frame.hpp"

#include <array>
#include <cstdint>

namespace mesh {

/// The properties of a board's cables.
struct Cables {
    std::size_t window_bytes; // of frames that one neighbour may have in flight towards this node
    std::uint32_t rto_us = limits::kRtoMinUs; // at least, before a frame is sent again
    bool checked = false;                     // frames that they have damaged do not come in
    unsigned receivers = 1; // frames that come in at once, each into a buffer of its own
};

/// The state that all links of a node share, with each other and with the floors above. It is one
/// object, so that code that has it reaches all of it.
struct LinkContext {
    PacketPool pool;
    Cables cables;
    Timebase time{};
    std::uint32_t rto_min_us = cables.rto_us; // before a frame is sent again
    std::uint32_t answer_ports = 0; // where links carry one way: those by which answers may leave
    Counters counters{};
};

/// Decides when a sender asks for an acknowledgement. Unasked, the receiver takes its time. It asks
/// so often that frames that it has not asked about never fill more than half of the window.
class Asking {
public:
    /// True if it asks with the next frame, of so many bytes; always if `urgent`. The window is
    /// smaller than 64 KiB.
    bool asks(std::size_t frame_bytes, std::size_t window_bytes, bool urgent) {
        const std::size_t share = greatest(frame_bytes, window_bytes / limits::kWindowFrames);
        unasked_bytes_ = static_cast<std::uint16_t>(unasked_bytes_ + share);
        if (!urgent && unasked_bytes_ + share <= window_bytes / 2)
            return false;
        unasked_bytes_ = 0;
        return true;
    }

private:
    std::uint16_t unasked_bytes_ = 0; // a frame counts as its share of the window at least
};

/// One end of one cable. The packets that it keeps have a reference each; all other state is its
/// own. Every call is given the LinkContext of the node.
class Link {
public:
    /// The decision about a data frame.
    enum class Verdict : std::uint8_t { accept, refuse, duplicate, gap };

    /// `start`: how often this node was started before.
    void attach(const LinkContext& context, unsigned port, unsigned start);

    // Sending -----------------------------------------------------------------------------------

    /// Queues `buffer`; takes over one reference. `arrival`: model time of its end at the peer.
    void enqueue(LinkContext& context, PacketBuffer* buffer, wire::ModelTime arrival);

    /// Keeps `buffer` (with one reference) until model time `start`.
    void hold(LinkContext& context, PacketBuffer* buffer, wire::ModelTime start);
    /// A held packet whose time has come; nullptr if there is none.
    PacketBuffer* take_due(LinkContext& context);
    /// The start that hold() was last given.
    wire::ModelTime held_start() const { return held_start_; }
    /// True while a packet waits for hold()'s time.
    bool holds() const { return held_first_ != nullptr; }

    /// There may be a next frame; if not, there is none until something is done with the link.
    bool may_send() const {
        return first_ != nullptr || acknowledge_now_ || resend_next_ < resend_end_ ||
               hello_ != wire::Kind::data;
    }
    /// The next frame to send, if there is one: fills `header` and, for data, `packet` (else
    /// nullptr). Counts it as sent.
    bool next_frame(LinkContext& context, wire::LinkHeader& header, PacketBuffer*& packet);
    /// Just after next_frame() has given a packet: it will now give one that was never sent, of at
    /// most `room` bytes. (That is the first of the queue: a refused link, which may choose another
    /// one, has nothing in flight.)
    bool packet_follows(const LinkContext& context, std::size_t room) const {
        return first_ != nullptr && closed_ == 0 && resend_next_ >= resend_end_ &&
               packet_bytes(first_) <= room && window_open(context, first_);
    }
    /// The port by which that frame leaves: another one than the link's where the link carries one
    /// way.
    Port leaves_by() const { return port_at(answer_); }

    /// Asks for an acknowledgement frame if one is owed and nothing else carries it.
    void flush_acknowledgement() { acknowledge_now_ = acknowledge_now_ || owes_; }

    // Receiving ---------------------------------------------------------------------------------

    /// Takes the acknowledgement that every ack and data frame carries.
    void on_acknowledgement(LinkContext& context, const wire::LinkHeader& header);

    /// Judges a data frame; `has_buffer`: the pool can take its packet, which may still cross
    /// `remaining` links.
    Verdict on_data(const LinkContext& context, const wire::LinkHeader& header, bool has_buffer,
                    std::uint16_t remaining);
    /// A data frame came in whose packet is damaged; what its header acknowledges is good.
    void on_damaged(const wire::LinkHeader& header);

    /// To be called when `free` buffers are free: sends credit to a peer whose packet was refused,
    /// if the packet would be accepted now.
    void on_buffers_free(unsigned free);
    /// True while on_buffers_free() is to be called.
    bool starved() const { return starved_; }

    // Sessions: which node is there, and since when? ----------------------------------------------

    /// The next frame asks which node is there.
    void say_hello() { hello_ = wire::Kind::hello; }
    /// Says by an answer to a hello which node is here, also to a peer that sends and that this
    /// port cannot send to.
    void answer_hello(const LinkContext& context);
    /// The peer has said hello, or has answered a hello.
    void on_hello(LinkContext& context, const wire::LinkHeader& header);
    /// A frame is of this session: one with data by its flags, an acknowledgement by its sequence.
    bool is_current(unsigned session) const {
        return ((session ^ their_session_) & wire::link_flag::kSessionMask) == 0;
    }
    /// Answers leave by their first way again.
    void reset_answers(const LinkContext& context);
    /// A data frame was of an old session: the peer is told which session there is.
    void on_old_session(LinkContext& context);
    /// The peer has never answered, or its cable was pulled: the link is dead until the peer
    /// answers.
    void give_up(LinkContext& context) { end_session(context); }
    /// The number of this end, which grows with the end of each session.
    std::uint16_t number() const { return mine_; }
    /// The peer has said hello, and so which life it has.
    bool knows_peer() const { return theirs_ != wire::kNoNumber; }
    /// wire::Hello::life() of the peer.
    std::uint16_t peer_life() const { return their_life_; }
    /// There is a session.
    bool up() const { return (closed_ & (kUnknown | kDead)) == 0; }

    // Time ----------------------------------------------------------------------------------------

    /// When on_timer() is due, or kNever.
    std::uint64_t deadline() const { return deadline_; }
    /// When on_timer() or take_due() is due, or kNever.
    std::uint64_t next_deadline(const LinkContext& context) const {
        return holds() ? least(deadline_, slot(context, held_first_).arrival) : deadline_;
    }
    /// deadline() has come: sends again, asks again, or declares the link dead.
    void on_timer(LinkContext& context);

    /// True from the end of a session, or give_up(), until the peer answers.
    bool dead() const { return (closed_ & kDead) != 0; }
    /// The peer has not answered in time, and is not given up yet.
    bool retrying() const { return retries_ != 0; }
    /// The packets of a dead link, one a call, with their reference; nullptr when there are no
    /// more.
    PacketBuffer* take_undeliverable(LinkContext& context);

    /// Packets waiting or in flight, and one for all that are held.
    unsigned pending() const { return waiting_ + in_flight_ + (held_first_ != nullptr ? 1u : 0u); }
    /// Packets that it keeps, each with a reference.
    unsigned packets(const LinkContext& context) const {
        unsigned kept = waiting_ + in_flight_;
        for (PacketBuffer* held = held_first_; held != nullptr; held = slot(context, held).next)
            ++kept;
        return kept;
    }
    /// Packets that were queued here in all sessions, but for those that take no model time.
    std::uint32_t packets_sent() const { return packets_sent_; }
    /// Model time until which packets that were booked occupy the link; for ModelClock::send().
    wire::ModelTime& busy_until() { return busy_until_; }
    /// The time at which the last external packet was there: its parts come with it.
    wire::ModelTime& unit_ready() { return unit_ready_; }

private:
    friend struct LinkState; // of tests that go through all of them

    PortSlot& slot(const LinkContext& context, PacketBuffer* buffer) const {
        return context.pool.slot(buffer, port_);
    }
    PacketBuffer* flight(const LinkContext& context, unsigned place) const {
        return context.pool.at(flight_[(base_place_ + place) % limits::kWindowFrames]);
    }
    PacketBuffer* pick(LinkContext& context);
    void unlink(LinkContext& context, PacketBuffer* before, PacketBuffer* buffer);
    void take_back(LinkContext& context, PacketBuffer* buffer);
    bool window_open(const LinkContext& context, const PacketBuffer* buffer) const;
    void meet(LinkContext& context, const wire::LinkHeader& header);
    void measure_hello(const LinkContext& context);
    void begin_session();
    void end_session(LinkContext& context);
    void forget_session();
    bool only_receives(const LinkContext& context) const {
        return context.answer_ports != 0 && ((context.answer_ports >> port_) & 1u) == 0;
    }
    void fill(LinkContext& context, wire::Kind kind, wire::LinkHeader& header);
    bool acknowledge(LinkContext& context, wire::LinkHeader& header);
    void turn_answer(const LinkContext& context);
    void report_gap();
    std::uint32_t backed_off_us(const LinkContext& context) const {
        return greatest(backed_off_us_, context.rto_min_us);
    }
    bool asks(const LinkContext& context, const PacketBuffer* packet, bool again);
    void measure(const LinkContext& context, std::uint16_t sequence);
    void arm(LinkContext& context);
    void resend(LinkContext& context);
    void on_progress(const LinkContext& context);

    static constexpr std::size_t packet_bytes(const PacketBuffer* buffer) {
        return wire::kPacketHeaderBytes + buffer->header.payload_bytes;
    }
    static constexpr std::size_t frame_bytes(const PacketBuffer* buffer) {
        return wire::kHeadBytes + packet_bytes(buffer);
    }

    // Why nothing new is sent.
    static constexpr std::uint8_t kDraining = 1; // refused: not until nothing is in flight
    static constexpr std::uint8_t kUnknown = 2;  // the peer has not said hello yet
    static constexpr std::uint8_t kDead = 4;
    static constexpr std::uint8_t kNoEpoch = 0xFF;
    static constexpr std::uint8_t kNoSession = wire::link_flag::kSessionMask; // no link's number

    // The smaller a member, the nearer to the beginning: short instructions reach it there.
    std::uint8_t in_flight_ = 0;
    std::uint8_t base_place_ = 0;
    std::uint8_t resend_next_ = 0; // frames in flight resend_next_..resend_end_-1 go again
    std::uint8_t resend_end_ = 0;
    std::uint8_t retries_ = 0;                // retransmissions without progress
    std::uint8_t probes_ = 0;                 // sends to a peer without buffers, all refused
    std::uint8_t session_ = kNoSession;       // and the epoch, as data frames say it
    std::uint8_t their_session_ = kNoSession; // as the peer's frames say it
    std::uint8_t refusing_epoch_ = kNoEpoch;
    std::uint8_t closed_ = kUnknown;
    std::uint8_t port_ = 0;
    std::uint8_t answer_ = 0;             // the port by which answers leave
    wire::Kind hello_ = wire::Kind::data; // hello or hello_answer: to be sent; else nothing
    bool blocked_ = false;                // refused: waits for the peer to have buffers
    bool measuring_ = false;
    bool starved_ = false; // we refused a frame and have not told of new buffers yet
    bool owes_ = false;    // data came in that no frame has acknowledged yet
    bool acknowledge_now_ = false;
    bool gap_ = false; // the next acknowledgement says that a frame is missing
    bool gap_told_ = false;
    bool answered_ = false; // by that port, which may be in vain
    std::uint16_t waiting_ = 0;
    std::uint16_t base_ = 0;     // sequence number of the first frame in flight
    std::uint16_t measured_ = 0; // sequence number of the frame whose round trip is measured
    std::uint16_t expected_ = 0; // sequence number of the next frame to receive
    std::uint16_t peer_free_ = 0xFFFF;
    std::uint16_t wanted_ = 0; // some refused packet needs more free buffers than this
    std::uint16_t mine_ = 0;   // this end's number
    std::uint16_t their_life_ = 0;
    std::uint16_t theirs_ = wire::kNoNumber;
    Asking asking_;
    // queue of waiting packets, chained by their slots
    PacketBuffer* first_ = nullptr;
    PacketBuffer* last_ = nullptr;
    PacketBuffer* held_first_ = nullptr; // packets with an appointment
    PacketBuffer* taken_back_ = nullptr; // last one that came back while draining
    std::uint32_t flight_bytes_ = 0;
    std::uint32_t measured_from_us_ = 0;         // when the frame left whose round trip is measured
    std::uint32_t round_trip_us_ = 0;            // smoothed
    std::uint32_t rto_us_ = limits::kRtoFirstUs; // before a frame is sent again
    std::uint32_t backed_off_us_ = limits::kRtoFirstUs; // the same, backed off
    std::uint32_t packets_sent_ = 0;
    std::uint32_t refused_ = 0; // fate of the last 32 frames received
    std::uint64_t deadline_ = wire::kNever;
    wire::ModelTime busy_until_ = 0;
    wire::ModelTime unit_ready_ = 0;
    wire::ModelTime held_start_ = 0;
    wire::ModelTime newest_arrival_ = 0;                        // of all frames sent so far
    std::array<std::uint16_t, limits::kWindowFrames> flight_{}; // a ring of numbers in the pool
};

} // namespace mesh
