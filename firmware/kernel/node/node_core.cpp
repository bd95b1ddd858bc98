#include "kernel/node/node_core.hpp"

#include "wire/bytes.hpp"

#include <algorithm>

namespace mesh {

// Weak: it comes with programs that give up what they send (kernel/api/within.hpp).
[[gnu::weak]] void drop_withdrawn(Kernel& kernel);

using wire::HostTag;
using wire::Kind;

NodeCore::Taken NodeCore::on_frame(Port port, const wire::Head& head, std::size_t frame_bytes,
                                   PacketBuffer* buffer) {
    MESH_EXPECT(buffer->in_hand_alone());
    ++context().counters[Counter::frames_received];
    if (hung_ || !is_intact(wire::check_head(head, frame_bytes), context().counters))
        return {};
    const wire::LinkHeader& header = head.link;
    const bool from_host = header.kind == Kind::grant || header.kind == Kind::host;
    if (from_host && port != kHostPort) {
        ++context().counters[Counter::drop_wrong_port];
        return {};
    }
    if (header.kind == Kind::grant) {
        context().time.come_to(header.model_time);
        on_time();
        return {};
    }
    if (header.kind == Kind::host) {
        on_host_frame(header, buffer);
        return {};
    }
    const Links::Arrived arrived = links_.on_frame(port, header, buffer);
    if (arrived.freed)
        scheduler_.touch();
    if (arrived.packet) {
        hear(forwarder_.forward(buffer, port, arrived.tag));
        if (forwarder_.take_news())
            scheduler_.touch(); // a process may wait for what that node holds
    }
    return {.kept = arrived.packet, .of_link = true};
}

bool NodeCore::begin_preemptive_poll() {
    if (!may_poll_preemptively() || scheduler_.critical_depth().inside())
        return false;
    if (!std::exchange(polled_preemptively_, true))
        computing_since_us_ = static_cast<std::uint32_t>(context().time.now());
    in_preemptive_poll_ = true;
    if (TurnMeter* const meter = scheduler_.meter(); meter != nullptr)
        meter->goes_on(scheduler_.current());
    return true;
}

void NodeCore::on_host_frame(const wire::LinkHeader& header, PacketBuffer* buffer) {
    const auto packet = std::span{buffer->bytes}.first(header.packet_bytes);
    if (!is_intact(wire::check_packet(packet), context().counters))
        return;
    scheduler_.touch();
    const auto tag = static_cast<HostTag>(buffer->header.tag);
    switch (host_.on_packet(tag, buffer->payload())) {
    case HostPort::Order::none: return;
    case HostPort::Order::job: on_job(); return;
    case HostPort::Order::start: on_start(buffer->payload()); return;
    case HostPort::Order::ask_again: messages_.ask_again(kNoNode); [[fallthrough]];
    case HostPort::Order::report: report_due_ = true; return;
    case HostPort::Order::hang: hung_ = true; return;
    case HostPort::Order::no_carrier:
        return on_cables(wire::load<PortSet>(buffer->payload(), 0), 0);
    }
}

void NodeCore::start(const wire::Job& job) {
    host_.stand_alone(job);
    prepare();
    begin_program(0);
    scheduler_.touch();
}

void NodeCore::on_job() {
    prepare();
    host_.send(HostTag::accepted, {});
}

inline void NodeCore::prepare() {
    const wire::Job& given = job();
    if (given.lockstep != 0)
        context().time.begin_lockstep();
    else
        context().time.run_free();
    links_.set_rto_min(1000u * given.rto_min_ms);
    links_.on_new_time();
    forwarder_.set_audience(given.op == wire::Op::none ? Forwarder::Audience::nobody
                                                       : Forwarder::Audience::processes);
    links_.clock().configure(given.ports, given.tau_ticks, given.tc_ticks);
}

void NodeCore::on_start(std::span<const std::byte> payload) {
    wire::ModelTime begin = 0;
    if (payload.size() >= sizeof begin)
        begin = wire::load<wire::ModelTime>(payload, 0);
    begin_program(begin);
}

inline void NodeCore::begin_program(wire::ModelTime begin) {
    context().time.come_to(begin);
    scheduler_.clock() = begin;
    running_ = scheduler_.spawn(program_(*this), &program_id_);
    if (running_)
        return;
    scheduler_.stop();
    end_program(Status::no_memory);
}

void NodeCore::end_program(Status status) {
    running_ = false;
    done_ = true;
    status_ = status;
    report_due_ = true;
}

std::uint64_t NodeCore::rest() {
    links_.repeat_hello();
    links_.acknowledge(in_preemptive_poll_); // all at once: a poll comes late enough
    if (lockstep())
        return kNow;
    const std::uint64_t next = next_deadline();
    if (next > context().time.now())
        return more_frames() ? kNow : next;
    on_time();
    return kNow;
}

void NodeCore::on_time() {
    links_.on_time();
    if (in_preemptive_poll_)
        return;
    if (context().time.due(next_wake()))
        scheduler_.touch();
}

// The time at which a process wants to be asked, or to send a question.
[[gnu::noinline]] std::uint64_t NodeCore::next_wake() const {
    return std::min(scheduler_.next_wake(), messages_.next_ask());
}

void NodeCore::on_dead_links() {
    messages_.on_dead_links();
    scheduler_.touch();
}

// Sends what this node sends by itself: the answers to packets that cannot go on, and the calls to
// senders whose turn it is to offer.
void NodeCore::speak() {
    Port port = kNoPort;
    while (PacketBuffer* const buffer = links_.take_undeliverable(port)) {
        hear(forwarder_.give_up(buffer, port));
        scheduler_.touch(); // a buffer more
    }
    while (messages_.any_owed() && forwarder_.may_answer_late()) {
        const NodeId node = messages_.take_owed();
        if (node != kNoNode)
            hear(forwarder_.answer_late(node, messages_.holds(node)));
    }
    while (forwarder_.any_more()) {
        const NodeId node = forwarder_.next_call();
        if (node == kNoNode)
            return;
        hear(forwarder_.call(node));
    }
}

// All processes have ended: nobody takes packets that come now, nor offers that wait in the
// mailbox, those of calls that were never begun among them.
void NodeCore::close() {
    forwarder_.end_audience();
    drop_old_calls();
    speak();
}

// One turn of the processes, in which each has been asked whether it takes the offer that was in
// the overflow slot before, and what it waits for. True if another turn is due.
bool NodeCore::run_turn() {
    const PacketBuffer* const overflow = forwarder_.overflow();
    const bool again = forwarder_.may_pull() ? run_pulling_turn() : scheduler_.run_turn();
    if (overflow == nullptr || overflow != forwarder_.overflow() || scheduler_.in_turn())
        return again;
    forwarder_.send_overflow_away();
    scheduler_.touch(); // a buffer more
    return true;
}

bool NodeCore::run_pulling_turn() {
    Wants wants;
    forwarder_.collect(&wants);
    const bool again = scheduler_.run_turn();
    forwarder_.collect(nullptr);
    if (forwarder_.may_pull())
        hear(forwarder_.pull(wants, scheduler_.take_blocked()));
    return again;
}

void NodeCore::run() {
    if (links_.take_changed())
        on_dead_links();
    if (in_preemptive_poll_) {
        speak();
        links_.on_buffers_free();
        return;
    }
    wire::Ready ready;
    if (links_.take_ready(ready))
        host_.send(HostTag::ready, wire::bytes_of(ready));
    if (drop_withdrawn != nullptr)
        drop_withdrawn(*this);
    unsigned turns = 0;
    if (scheduler_.any_gives_way() && scheduler_.touched() &&
        context().time.due(scheduler_.moment()))
        scheduler_.end_ways();
    do {
        polled_preemptively_ = false;
        speak();
        if (arena_.failed())
            scheduler_.stop();
    } while (run_turn() && (lockstep() || (++turns < limits::kTurnsMax && !scheduler_.in_turn())));
    forwarder_.make_room();
    speak(); // a process may wait for a sender that was sent away
    links_.on_buffers_free();
    if (arena_.failed() && status_ == Status::ok)
        end_program(Status::no_memory);
    if (!scheduler_.take_ended())
        return;
    if (running_ && scheduler_.ended(program_id_))
        end_program(scheduler_.join(program_id_, finish_time_));
    if (done_ && forwarder_.audience() == Forwarder::Audience::processes && !scheduler_.any())
        close();
}

std::uint64_t NodeCore::next_deadline() const {
    const std::uint64_t next = std::min(next_wake(), links_.next_deadline());
    return lockstep() ? Timebase::told(next) : next;
}

// Reports the packets and offers that no process has taken.
void NodeCore::report_mailbox(wire::NodeReport& report) const {
    const PacketBuffer* const first = forwarder_.mailbox().first();
    for (const PacketBuffer* buffer = first; buffer != nullptr; buffer = buffer->next)
        ++report.untaken;
    const Forwarder::Refused& refused = forwarder_.refused();
    report.untaken += refused.offers;
    report.untaken_source = index(refused.source);
    report.untaken_tag = refused.tag;
    report.untaken_service = static_cast<std::uint16_t>(Service::message);
    if (first == nullptr)
        return;
    report.untaken_source = index(first->header.source);
    report.untaken_tag = first->header.tag;
    report.untaken_service = first->header.service;
}

void NodeCore::fill_report(wire::NodeReport& report) const {
    arena_.check_free_frames();
    report = {};
    static_cast<wire::Result&>(report) = result_;
    report.done = done_ ? 1 : 0;
    const Status verdict = status_ == Status::ok ? scheduler_.failure() : status_;
    report.status = static_cast<std::uint32_t>(verdict);
    report.finish_time = finish_time_;
    report.delivery_hash = forwarder_.delivery_hash();
    // A process that waits for the host or for a time is not done either, nor is one that computes.
    report.unacknowledged = links_.pending() + messages_.pending() + (host_.pulled() ? 0u : 1u) +
                            (scheduler_.next_wake() == wire::kNever ? 0u : 1u) +
                            (in_preemptive_poll_ ? 1u : 0u);
    if (in_preemptive_poll_)
        report.computing_ms =
            (static_cast<std::uint32_t>(context().time.now()) - computing_since_us_) / 1000;
    report.dead_ports = links_.dead_ports();
    report_mailbox(report);
    report.counters = context().counters.values();
    report.counters[static_cast<std::size_t>(Counter::buffers_used_max)] =
        context().pool.used_max();
    report.counters[static_cast<std::size_t>(Counter::arena_bytes_max)] =
        static_cast<std::uint32_t>(arena_.high_water_bytes());
    for (unsigned port = 0; port < ports() && port < report.link_packets.size(); ++port)
        report.link_packets[port] = links_.at(port_at(port)).packets_sent();
}

} // namespace mesh
