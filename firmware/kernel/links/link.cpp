#include "kernel/links/link.hpp"

#include "hal/check.hpp"

#include <algorithm>
#include <utility>

namespace mesh {

using wire::Kind;
using wire::LinkHeader;

namespace {

/// From one start of a node to the next its links' numbers grow by this.
constexpr unsigned kNumbersPerStart = 16;
/// One less than a frame could name: the last means that there is none.
constexpr unsigned kSessions = wire::link_flag::kSessionMask / 2;

/// How frames name their session: by the number of the end that sends them, and of the other one.
/// Sessions of one name are at least 22 numbers apart, both ends counted: (21, 20) and (32, 32) are
/// such, since 22 * 11 + 12 = 2 * 127. Both nodes may have begun anew in between. The sum of both
/// numbers would give one name to two sessions that are two apart, one at each end.
std::uint8_t session_name(unsigned sender, unsigned receiver) {
    return static_cast<std::uint8_t>((22 * sender + receiver) % kSessions * 2);
}

bool is_later(std::uint16_t number, std::uint16_t other) {
    return static_cast<std::int16_t>(number - other) > 0;
}

} // namespace

void Link::attach(const LinkContext& context, unsigned port, unsigned start) {
    port_ = static_cast<std::uint8_t>(port);
    mine_ = static_cast<std::uint16_t>(kNumbersPerStart * start);
    reset_answers(context);
}

void Link::reset_answers(const LinkContext& context) {
    answer_ = port_;
    turn_answer(context);
}

// Where links carry one way: the next port by which answers may leave, the partner's first. The
// last one may have been in vain.
void Link::turn_answer(const LinkContext& context) {
    if (!only_receives(context))
        return;
    const unsigned from = answer_ == port_ ? (port_ & ~1u) : answer_ + 1u;
    answer_ =
        static_cast<std::uint8_t>(index(PortSequence::ascending(context.answer_ports, from).pop()));
    answered_ = false;
}

// Sessions --------------------------------------------------------------------------------------

void Link::answer_hello(const LinkContext& context) {
    if (answered_)
        turn_answer(context);
    if (hello_ != Kind::hello) // a hello says the same, and asks
        hello_ = Kind::hello_answer;
}

void Link::on_old_session(LinkContext& context) {
    ++context.counters[Counter::drop_old_session];
    if (dead())
        say_hello();
    else
        answer_hello(context);
}

// A peer that does not know this end's number is told it. A dead link asks back by that, so three
// frames join both ends.
void Link::on_hello(LinkContext& context, const LinkHeader& header) {
    const bool asks = header.kind == Kind::hello;
    if (theirs_ != wire::kNoNumber && is_later(theirs_, wire::Hello{header}.number()))
        ++context.counters[Counter::drop_old_session];
    else
        meet(context, header);
    if (wire::Hello{header}.known() != mine_ && (dead() || !asks))
        say_hello();
    else if (asks)
        answer_hello(context);
}

// A hello says the peer's number, and the number by which the peer knows this end. A node that
// cannot count how often it was started learns here that it was.
[[gnu::noinline]] void Link::meet(LinkContext& context, const LinkHeader& header) {
    const std::uint16_t known = wire::Hello{header}.known();
    const std::uint16_t number = wire::Hello{header}.number();
    const bool forgotten = known != wire::kNoNumber && is_later(known, mine_);
    const std::uint16_t life = wire::Hello{header}.life();
    bool anew = std::exchange(theirs_, number) != number;
    anew |= std::exchange(their_life_, life) != life; // 16 sessions may have ended before it
    if (forgotten)
        mine_ = static_cast<std::uint16_t>(known + 1);
    if (up() && (anew || forgotten)) {
        if (only_receives(context))
            closed_ = kUnknown;
        else
            end_session(context);
    }
    const bool proven = known == mine_; // frames arrive there
    const bool asks = header.kind == Kind::hello;
    if (!dead() ? !up() && (proven || asks) : proven && in_flight_ == 0 && waiting_ == 0)
        begin_session();
    if (!asks && proven && base_ == 0 && in_flight_ == 0)
        measure_hello(context);
}

void Link::begin_session() {
    forget_session();
    closed_ = 0;
    session_ = session_name(mine_, theirs_);
    their_session_ = session_name(theirs_, mine_);
}

[[gnu::noinline]] void Link::end_session(LinkContext& context) {
    forget_session();
    closed_ = kDead;
    ++mine_;
    ++context.counters[Counter::links_dead];
}

// Resets all that counts within a session. The packets stay.
[[gnu::noinline]] void Link::forget_session() {
    session_ = their_session_ = kNoSession;
    deadline_ = wire::kNever;
    taken_back_ = nullptr;
    flight_bytes_ = refused_ = 0;
    base_ = expected_ = 0;
    peer_free_ = 0xFFFF;
    resend_next_ = resend_end_ = retries_ = probes_ = 0;
    refusing_epoch_ = kNoEpoch;
    backed_off_us_ = rto_us_;
    blocked_ = measuring_ = starved_ = owes_ = acknowledge_now_ = gap_ = gap_told_ = false;
}

// Sending ---------------------------------------------------------------------------------------

void Link::enqueue(LinkContext& context, PacketBuffer* buffer, wire::ModelTime arrival) {
    buffer->mark.enter_link(port_);
    slot(context, buffer) = {arrival, nullptr};
    if (last_ != nullptr)
        slot(context, last_).next = buffer;
    else
        first_ = buffer;
    last_ = buffer;
    ++waiting_;
    if ((buffer->header.flags & wire::packet_flag::kTimeless) == 0)
        ++packets_sent_;
}

void Link::hold(LinkContext& context, PacketBuffer* buffer, wire::ModelTime start) {
    buffer->mark.enter_link(port_);
    PacketBuffer** place = &held_first_;
    while (*place != nullptr && slot(context, *place).arrival <= start)
        place = &slot(context, *place).next;
    slot(context, buffer) = {start, *place};
    *place = buffer;
    held_start_ = start;
}

PacketBuffer* Link::take_due(LinkContext& context) {
    PacketBuffer* buffer = held_first_;
    if (buffer == nullptr || slot(context, buffer).arrival > context.time.now())
        return nullptr;
    held_first_ = slot(context, buffer).next;
    buffer->mark.leave_link(port_);
    return buffer;
}

void Link::unlink(LinkContext& context, PacketBuffer* before, PacketBuffer* buffer) {
    PacketBuffer* after = slot(context, buffer).next;
    if (before != nullptr)
        slot(context, before).next = after;
    else
        first_ = after;
    if (last_ == buffer)
        last_ = before;
    --waiting_;
    MESH_CHECK((waiting_ == 0) == (first_ == nullptr), link_queue_broken);
}

bool Link::window_open(const LinkContext& context, const PacketBuffer* buffer) const {
    if (in_flight_ == 0)
        return true;
    return probes_ == 0 && in_flight_ < limits::kWindowFrames &&
           flight_bytes_ + frame_bytes(buffer) <= context.cables.window_bytes;
}

// The packet to send next: the first one, or after a refusal the first one that the peer has
// buffers for (Toueg, Ullman 1979: more free buffers than hops that remain from there).
PacketBuffer* Link::pick(LinkContext& context) {
    PacketBuffer* before = nullptr;
    for (PacketBuffer* buffer = first_; buffer != nullptr; buffer = slot(context, buffer).next) {
        if (!blocked_ || buffer->remaining <= peer_free_) {
            if (!window_open(context, buffer))
                return nullptr;
            unlink(context, before, buffer);
            blocked_ = false;
            return buffer;
        }
        before = buffer;
    }
    return nullptr;
}

// Three kinds of frames are to be acknowledged soon, so that nobody waits for an alarm: one that
// goes again, one that tries whether the peer has buffers, and one of a node that is itself short
// of buffers for its neighbours' packets.
bool Link::asks(const LinkContext& context, const PacketBuffer* packet, bool again) {
    const bool is_short = context.pool.room() <= context.pool.capacity() / 2 + packet->remaining;
    return asking_.asks(frame_bytes(packet), context.cables.window_bytes,
                        again || is_short || probes_ != 0);
}

// Begins to measure the round trip of a frame. It must be one that asks: other frames are answered
// by an alarm, which comes later than a lost frame need be waited for.
void Link::measure(const LinkContext& context, std::uint16_t sequence) {
    measuring_ = true;
    measured_ = sequence;
    measured_from_us_ = static_cast<std::uint32_t>(context.time.now());
}

// Sets all fields; the caller then sets those that only data frames have.
void Link::fill(LinkContext& context, Kind kind, LinkHeader& header) {
    header.kind = kind;
    header.port = leaves_by();
    header.hops = 1;
    header.acknowledged = expected_;
    header.refused = refused_;
    header.free_buffers = static_cast<std::uint16_t>(std::min(context.pool.room(), 0xFFFFu));
    header.flags = session_;
    if (kind != Kind::data) {
        wire::Ack{header}.session() = session_;
        header.packet_bytes = 0;
        header.model_time = 0;
        if (kind != Kind::hello) {
            header.flags = wire::WayBack{port_at(port_), header.port}.flags();
            answered_ = true;
        }
        if (kind != Kind::ack) { // it acknowledges nothing
            wire::Hello{header}.number() = mine_;
            wire::Hello{header}.known() = theirs_;
            return;
        }
    }
    header.flags |= gap_ ? wire::link_flag::kGap : std::uint16_t{0};
    gap_ = false;
    owes_ = false;
    acknowledge_now_ = false;
}

bool Link::acknowledge(LinkContext& context, LinkHeader& header) {
    fill(context, Kind::ack, header);
    ++context.counters[Counter::acks_sent];
    return true;
}

bool Link::next_frame(LinkContext& context, LinkHeader& header, PacketBuffer*& packet) {
    packet = nullptr;
    if (hello_ != Kind::data) {
        fill(context, hello_, header);
        if (hello_ == Kind::hello)
            measured_from_us_ = static_cast<std::uint32_t>(context.time.now());
        hello_ = Kind::data;
        return true;
    }
    // In lockstep a data frame may be held back, and an acknowledgement must not be.
    if (context.time.lockstep() && acknowledge_now_)
        return acknowledge(context, header);
    unsigned place = in_flight_;
    const bool again = resend_next_ < resend_end_;
    if (again) {
        place = resend_next_++;
        packet = flight(context, place);
        ++context.counters[Counter::retransmissions];
    } else if (packet = closed_ != 0 ? nullptr : pick(context); packet != nullptr) {
        // In lockstep the loom sorts by model time: it must not turn the order on the cable around.
        if (context.time.lockstep()) {
            newest_arrival_ = std::max(newest_arrival_, slot(context, packet).arrival);
            slot(context, packet).arrival = newest_arrival_;
        }
        flight_[(base_place_ + place) % limits::kWindowFrames] = packet->number;
        ++in_flight_;
        MESH_CHECK(in_flight_ <= limits::kWindowFrames, link_window_overrun);
        flight_bytes_ += static_cast<std::uint32_t>(frame_bytes(packet));
        if (place == 0)
            arm(context);
    } else if (acknowledge_now_) {
        return acknowledge(context, header);
    } else {
        return false;
    }
    fill(context, Kind::data, header);
    header.sequence = static_cast<std::uint16_t>(base_ + place);
    header.packet_bytes = static_cast<std::uint16_t>(packet_bytes(packet));
    header.model_time = slot(context, packet).arrival;
    header.hops = static_cast<std::uint16_t>(packet->hops + 1);
    if (asks(context, packet, again)) {
        header.flags |= wire::link_flag::kAsks;
        if (!measuring_ && !again)
            measure(context, header.sequence);
    }
    header.flags |=
        static_cast<std::uint16_t>(packet->tags.at(header.port) << wire::link_flag::kTagShift);
    return true;
}

// Receiving -------------------------------------------------------------------------------------

// Puts a refused packet back at the head of the queue, behind those that came back since the link
// last had nothing in flight: acknowledgements may tell of them one by one.
void Link::take_back(LinkContext& context, PacketBuffer* buffer) {
    PacketBuffer*& link = taken_back_ != nullptr ? slot(context, taken_back_).next : first_;
    slot(context, buffer).next = link;
    link = buffer;
    if (last_ == taken_back_)
        last_ = buffer;
    taken_back_ = buffer;
    ++waiting_;
    ++context.counters[Counter::refusals];
}

void Link::on_acknowledgement(LinkContext& context, const LinkHeader& header) {
    const auto count = static_cast<std::uint16_t>(header.acknowledged - base_);
    if (count > in_flight_)
        return; // old, or not for us
    peer_free_ = header.free_buffers;
    for (unsigned place = 0; place < count; ++place) {
        PacketBuffer* buffer = flight(context, place);
        flight_bytes_ -= static_cast<std::uint32_t>(frame_bytes(buffer));
        if (((header.refused >> (count - 1 - place)) & 1u) != 0) {
            take_back(context, buffer);
            blocked_ = true;
            closed_ = kDraining;
        } else {
            ++context.counters[Counter::packets_sent];
            buffer->mark.leave_link(port_);
            context.pool.release(buffer);
            probes_ = 0;
        }
    }
    base_ = header.acknowledged;
    base_place_ = static_cast<std::uint8_t>((base_place_ + count) % limits::kWindowFrames);
    in_flight_ = static_cast<std::uint8_t>(in_flight_ - count);
    resend_next_ =
        static_cast<std::uint8_t>(resend_next_ - std::min<unsigned>(resend_next_, count));
    resend_end_ = static_cast<std::uint8_t>(resend_end_ - std::min<unsigned>(resend_end_, count));
    if (closed_ != 0 && in_flight_ == 0) {
        closed_ = 0;
        taken_back_ = nullptr;
        session_ ^= wire::link_flag::kEpochMask;
    }
    if (count != 0) {
        on_progress(context);
        arm(context);
    }
    if ((header.flags & wire::link_flag::kGap) != 0 && resend_next_ == resend_end_)
        resend(context);
}

Link::Verdict Link::on_data(const LinkContext& context, const LinkHeader& header, bool has_buffer,
                            std::uint16_t remaining) {
    owes_ = true;
    const auto ahead = static_cast<std::int16_t>(header.sequence - expected_);
    if (ahead < 0) {
        acknowledge_now_ = true; // our acknowledgement was lost
        if (answered_)
            turn_answer(context);
        return Verdict::duplicate;
    }
    if (ahead > 0) {
        report_gap();
        return Verdict::gap;
    }
    const auto epoch = static_cast<std::uint8_t>(header.flags & wire::link_flag::kEpochMask);
    const bool refusing = !has_buffer || epoch == refusing_epoch_;
    refusing_epoch_ = refusing ? epoch : kNoEpoch;
    ++expected_;
    gap_told_ = false;
    refused_ = (refused_ << 1) | (refusing ? 1u : 0u);
    if (!refusing)
        return Verdict::accept;
    wanted_ = starved_ ? std::min(wanted_, remaining) : remaining;
    starved_ = true;
    acknowledge_now_ = true;
    return Verdict::refuse;
}

void Link::on_damaged(const LinkHeader& header) {
    if (static_cast<std::int16_t>(header.sequence - expected_) >= 0)
        report_gap();
}

// Reports a gap once; if the report is lost, the peer's timer finds the gap.
[[gnu::noinline]] void Link::report_gap() {
    if (!gap_told_)
        gap_ = true;
    if (gap_)
        acknowledge_now_ = true;
    gap_told_ = true;
}

void Link::on_buffers_free(unsigned free) {
    if (!starved_ || free <= wanted_)
        return;
    starved_ = false;
    owes_ = acknowledge_now_ = true;
}

// Time ------------------------------------------------------------------------------------------

// Sets the timer: for the first frame in flight, or to ask again while the peer has no buffers,
// since its word that it has some may be lost.
void Link::arm(LinkContext& context) {
    deadline_ = wire::kNever;
    if (in_flight_ != 0)
        deadline_ = context.time.retry_at(slot(context, flight(context, 0)).arrival,
                                          backed_off_us(context));
    else if (blocked_)
        deadline_ = context.time.ask_at(probes_, backed_off_us(context));
}

// Marks the frames in flight to go again, as far as they may be missing.
void Link::resend(LinkContext& context) {
    measuring_ = false; // an answer could be to either of two frames (Karn's rule)
    resend_next_ = 0;
    resend_end_ = 0;
    while (resend_end_ < in_flight_ &&
           context.time.may_be_missing(slot(context, flight(context, resend_end_)).arrival))
        ++resend_end_;
}

void Link::on_timer(LinkContext& context) {
    if (context.time.now() < deadline_)
        return;
    if (in_flight_ == 0) {
        ++probes_;
        blocked_ = false; // the word that there are buffers again may be lost: try
    } else if (++retries_ > limits::kRetriesMax) {
        end_session(context);
        return;
    } else {
        resend(context);
    }
    const std::uint32_t rto_us = std::max(rto_us_, context.rto_min_us);
    backed_off_us_ = std::min(2 * backed_off_us(context), limits::kBackoffMax * rto_us);
    arm(context);
}

// Measures the first round trip, that of the hello. A peer that was not awake yet makes it long, so
// it may only shorten the timeout.
void Link::measure_hello(const LinkContext& context) {
    const std::uint32_t sample = static_cast<std::uint32_t>(context.time.now()) - measured_from_us_;
    if (sample < limits::kRtoFirstUs / 4)
        rto_us_ = backed_off_us_ = 4 * sample;
}

// The peer has acknowledged something new. If that covers the measured frame, its round trip goes
// into the estimate.
void Link::on_progress(const LinkContext& context) {
    retries_ = 0;
    backed_off_us_ = std::max(backed_off_us_ / 2, rto_us_);
    if (!measuring_ || static_cast<std::int16_t>(base_ - measured_) <= 0)
        return;
    measuring_ = false;
    const std::uint32_t sample = static_cast<std::uint32_t>(context.time.now()) - measured_from_us_;
    round_trip_us_ = round_trip_us_ == 0 ? sample : (7 * round_trip_us_ + sample) / 8;
    rto_us_ = std::min(4 * round_trip_us_, limits::kRtoMaxUs);
    backed_off_us_ = rto_us_;
}

PacketBuffer* Link::take_undeliverable(LinkContext& context) {
    if (in_flight_ != 0) {
        PacketBuffer* buffer = flight(context, 0);
        buffer->mark.leave_link(port_);
        base_place_ = static_cast<std::uint8_t>((base_place_ + 1) % limits::kWindowFrames);
        --in_flight_;
        return buffer;
    }
    PacketBuffer* buffer = first_;
    if (buffer != nullptr) {
        unlink(context, nullptr, buffer);
        buffer->mark.leave_link(port_);
    }
    return buffer;
}

} // namespace mesh
