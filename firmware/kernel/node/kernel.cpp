#include "kernel/node/kernel.hpp"

#include "hal/check.hpp"

#include <algorithm>

namespace mesh {

namespace {
std::uint32_t nodes_of(const Here& here) { return here.rules.node_count(here.network()); }
} // namespace

ByteSource bytes_in(std::span<const std::byte> data) {
    const auto copy = [](const void* from, std::uint32_t position, std::span<std::byte> out) {
        std::copy_n(static_cast<const std::byte*>(from) + position, out.size(), out.begin());
    };
    return {copy, data.data()};
}

Arena& arena_of(Kernel& kernel) { return kernel.arena(); }

NodeParts::NodeParts(const wire::Identity& identity, const Memory& memory, const Cables& cables,
                     ToHost to_host)
    : here_{identity, rules_of(identity.network.topology)},
      workspace_(memory.workspace),
      scheduler_(memory.processes),
      links_(here_, memory.links,
             {memory.buffers, memory.slots, static_cast<unsigned>(memory.links.size()),
              memory.interleaving},
             cables, admission_),
      admission_(links_.context().pool, here_, cables.receivers),
      forwarder_(here_, links_.context().pool, links_.context().counters, links_, admission_,
                 memory.peers),
      messages_(forwarder_, links_.context().counters, scheduler_.critical_depth(),
                forwarder_.life()),
      host_(to_host, identity.node, links_.context().pool, arena_, links_.context().counters),
      arena_(memory.arena) {
    PacketPool& pool = links_.context().pool;
    pool.set_reserve(limits::offers_max(pool.capacity()) + 1); // and the overflow slot
    MESH_CHECK(memory.peers.size() >= nodes_of(here_), too_many_nodes);
}

NodeId Kernel::neighbor(Port port) const {
    MESH_CHECK(index(port) < ports(), no_such_port);
    return here_.neighbor(port);
}

// A packet that may start now must still be able to when start_packet() takes its buffer: the
// critical section that begins here ends there.
bool Kernel::may_start(const wire::PacketHeader& header) {
    scheduler_.critical_depth().enter();
    const bool may = admission_.may_start(header);
    if (!may)
        scheduler_.critical_depth().leave();
    return may;
}

PacketBuffer* Kernel::start_packet() {
    PacketBuffer* const buffer = links_.context().pool.allocate();
    scheduler_.critical_depth().leave();
    return buffer;
}

OutgoingPacket Kernel::new_packet(Rule rule) {
    OutgoingPacket packet{*this, start_packet()};
    packet.buffer_->mark.pass(PacketOwner::code, PacketOwner::process);
    packet.header() = {.rule = rule, .source = id()};
    return packet;
}

Kernel::Allocation::Allocation(Kernel& kernel, Rule rule)
    : Waiting(kernel.scheduler_, ask),
      kernel_(kernel),
      rule_(rule) {}

bool Kernel::Allocation::ask(Waiting& self) {
    const auto& allocation = static_cast<Allocation&>(self);
    return allocation.kernel_.may_start({.rule = allocation.rule_});
}

Kernel::Arrival::Arrival(Kernel& kernel, const Match& match)
    : Waiting(kernel.scheduler_, ask),
      kernel_(kernel),
      match_(match) {}

bool Kernel::Arrival::ask(Waiting& self) {
    const auto& arrival = static_cast<Arrival&>(self);
    return arrival.kernel_.has(arrival.match_);
}

Kernel::Posting::Posting(Kernel& kernel, const wire::PacketHeader& header, ByteSource source,
                         std::uint32_t position)
    : Waiting(kernel.scheduler_, ask),
      kernel_(kernel),
      header_(header),
      source_(source),
      position_(position) {}

bool Kernel::Posting::ask(Waiting& self) {
    const auto& posting = static_cast<Posting&>(self);
    return posting.kernel_.try_post(posting.header_, posting.source_, posting.position_,
                                    posting.kernel_.now());
}

Kernel::Posting Kernel::post(const wire::PacketHeader& header, ByteSource source,
                             std::uint32_t position) {
    return {*this, header, source, position};
}

// nullptr if the packet may not start now.
[[gnu::noinline]] PacketBuffer* Kernel::try_start(const wire::PacketHeader& header) {
    if (!may_start(header))
        return nullptr;
    PacketBuffer* const buffer = start_packet();
    buffer->header = header;
    if (header.source == kNoNode)
        buffer->header.source = id();
    return buffer;
}

bool Kernel::try_post(const wire::PacketHeader& header, ByteSource source, std::uint32_t position,
                      wire::ModelTime ready) {
    PacketBuffer* const buffer = try_start(header);
    if (buffer == nullptr)
        return false;
    if (header.payload_bytes != 0)
        source.fill(source.context, position, buffer->payload());
    inject(buffer, ready);
    return true;
}

void Kernel::inject(PacketBuffer* buffer, wire::ModelTime ready) {
    const CriticalSection section(scheduler_.critical_depth());
    buffer->ready = ready;
    hear(forwarder_.inject(buffer));
    scheduler_.touch();
}

// A look for which the pool has no room for long is one without an answer. Its node has been taken
// for dead, so nobody waits until it has taken the packets that fill its pool; and it waits for one
// that is lost.
bool Kernel::ask(Outgoing& outgoing) {
    const bool looks = outgoing.question == Service::look;
    while (!outgoing.unknown) {
        const bool have_left = send_questions(outgoing);
        if (!(have_left || looks) || !(outgoing.lost || due(outgoing.ask_at)))
            return true;
        const CriticalSection section(scheduler_.critical_depth());
        if (!messages_.next_question(outgoing, !links_.retrying()))
            break;
        if (looks)
            outgoing.ask_at = ask_time(outgoing.asked);
    }
    give_up(outgoing);
    return false;
}

// If `outgoing` is of a call: the two nodes do not wait for each other in that call any more.
void Kernel::give_up(const Outgoing& outgoing) {
    const CallLabel label = CallLabel::of_word(outgoing.label);
    const CriticalSection section(scheduler_.critical_depth());
    if (outgoing.question != Service::look)
        calls().part(label, outgoing.to);
    else if (Path::of_word(outgoing.about).rule == Rule::unicast)
        forwarder_.part(label, outgoing.to);
    drop_old_calls();
}

// True if no question waits for the pool.
bool Kernel::send_questions(Outgoing& outgoing) {
    if (!outgoing.is_asking())
        return true;
    const unsigned paths = here_.path_count();
    wire::PacketHeader question;
    while (messages_.write_question(outgoing, paths, question)) {
        const bool cut = !can_carry(question.rule, outgoing.question) ||
                         forwarder_.cut_off(outgoing.to, question.rule, question.subtree);
        if (!cut) {
            PacketBuffer* const buffer = try_start(question);
            if (buffer == nullptr)
                return false;
            inject(buffer, 0);
            ++counters()[Counter::asks];
        }
        Messages::sent_question(outgoing, paths, cut);
    }
    outgoing.asking = Outgoing::kAskedAll;
    outgoing.ask_at = ask_time(outgoing.asked);
    return true;
}

Packet Kernel::take(const Match& match) {
    Packet packet = take_control(match);
    advance_clock(packet.ready());
    return packet;
}

Packet Kernel::take_control(const Match& match) {
    const CriticalSection section(scheduler_.critical_depth());
    return {*this, forwarder_.take(match)};
}

void Kernel::release(PacketBuffer* buffer) {
    const CriticalSection section(scheduler_.critical_depth());
    buffer->mark.pass(PacketOwner::process, PacketOwner::code);
    if (buffer->acknowledges)
        hear(forwarder_.acknowledge(buffer));
    else
        links_.context().pool.release(buffer);
    scheduler_.touch();
}

void Kernel::acknowledge_at_end(PacketBuffer* buffer) {
    MESH_EXPECT(buffer->mark.is(PacketOwner::process));
    buffer->ready = now();
    buffer->acknowledges = true;
}

std::uint64_t Kernel::deadline_in(wire::ModelTime ticks) const {
    const CriticalSection section(scheduler_.critical_depth()); // time is two words
    return time().after(ticks);
}

bool Kernel::due(std::uint64_t deadline) const {
    const CriticalSection section(scheduler_.critical_depth());
    return time().due(deadline);
}

std::uint64_t Kernel::next_turn() const {
    const CriticalSection section(scheduler_.critical_depth());
    return time().next_turn();
}

std::uint64_t Kernel::ask_time(unsigned asked) const {
    const CriticalSection section(scheduler_.critical_depth());
    return time().ask_receiver_at(asked, links_.rto_min());
}

void Kernel::begin(Incoming& incoming) {
    const CriticalSection section(scheduler_.critical_depth());
    forwarder_.begin(incoming);
}

void Kernel::end(Incoming& incoming, bool taken) {
    const CriticalSection section(scheduler_.critical_depth());
    hear(forwarder_.end(incoming, taken));
}

void Kernel::begin_call(CallRecord& record) {
    const CriticalSection section(scheduler_.critical_depth());
    forwarder_.begin_call(record);
    drop_old_calls();
}

void Kernel::end_call(CallRecord& record) {
    const CriticalSection section(scheduler_.critical_depth());
    record.under_way = false;
    drop_old_calls();
}

void Kernel::drop_old_calls() {
    while (PacketBuffer* const old = forwarder_.find_old_call())
        hear(forwarder_.drop_old_call(old));
    scheduler_.touch();
}

void Kernel::host_send(wire::HostTag tag, std::span<const std::byte> first,
                       std::span<const std::byte> second) {
    const CriticalSection section(scheduler_.critical_depth());
    host_.send(tag, first, second);
}

void Kernel::print(std::span<const char> text) {
    const CriticalSection section(scheduler_.critical_depth());
    host_.print(text);
}

void Kernel::flush_print() {
    const CriticalSection section(scheduler_.critical_depth());
    host_.flush_print();
}

// Gives the moment to ask again.
std::uint64_t Kernel::start_pull(std::uint32_t position, std::span<std::byte> out) {
    const CriticalSection section(scheduler_.critical_depth());
    host_.pull(position, out);
    return time().pull_again_at();
}

bool Kernel::gone() const { return forwarder_.audience() == Forwarder::Audience::ended; }

// The answer to a question. Service::kCount: the question has done its work and needs no answer.
Service Kernel::answer_to(PacketBuffer& asked) {
    wire::PacketHeader& question = asked.header;
    const Service service = service_of(question);
    if (service == Service::call) {
        const bool lacks = forwarder_.lacks_password(question);
        return !lacks && (!forwarder_.hear_call(question) || messages_.on_call(asked))
                   ? Service::kCount
                   : Service::nothing;
    }
    forwarder_.note_wait(question.source);
    if (service == Service::probe) {
        const CallLabel label = CallLabel::of_word(question.total_bytes);
        const bool known = question.position != 0
                               ? messages_.is_under_way(question.source, question.position)
                               : messages_.is_under_way(label, question.source) ||
                                     !calls().is_over(label, question.source);
        return known && !gone() ? Service::alive : Service::unknown;
    }
    const bool over = calls().is_over(CallLabel::of_word(question.total_bytes));
    return over || gone() ? Service::gone : Service::here;
}

// An answer to a question of this node may be for this node again.
void Kernel::hear(PacketBuffer* come) {
    while (come != nullptr) {
        MESH_EXPECT(come->references != 0);
        scheduler_.touch();
        const Service service = service_of(come->header);
        if (is_carried(service))
            return; // it is in the mailbox
        if (service == Service::nothing) {
            come = forwarder_.on_nothing(come);
            continue;
        }
        Service answer = Service::kCount;
        if (is_question(service))
            answer = answer_to(*come);
        else
            messages_.hear(come->header, here_.path_count());
        if (answer == Service::kCount)
            return forwarder_.drop(come);
        const bool more = answer == Service::nothing && (come->header.position & kEnded) == 0 &&
                          messages_.holds(come->header.source);
        come = forwarder_.answer(come, answer, more);
    }
}

} // namespace mesh
