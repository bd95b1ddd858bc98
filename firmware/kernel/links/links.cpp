#include "kernel/links/links.hpp"

#include <algorithm>
#include <bit>

namespace mesh {

using wire::Kind;
using wire::LinkHeader;

bool is_intact(wire::Parse parse, Counters& counters) {
    switch (parse) {
    case wire::Parse::ok: return true;
    case wire::Parse::bad_crc: ++counters[Counter::drop_crc]; return false;
    case wire::Parse::too_short:
    case wire::Parse::not_ours:
    case wire::Parse::bad_length: break;
    }
    ++counters[Counter::drop_malformed];
    return false;
}

Links::Links(const Here& here, std::span<Link> links, const PacketPool& pool, const Cables& cables,
             const Admission& admission)
    : here_(here),
      links_(links),
      admission_(admission),
      context_{pool, cables} {
    if (here_.rules.answer_way != nullptr)
        context_.answer_ports = here_.out_ports();
    for (unsigned port = 0; port < count(); ++port)
        links_[port].attach(context_, port, here_.identity.start);
}

// Hello: which node is there ----------------------------------------------------------------------

namespace {
std::uint16_t network_word(Network network) {
    return static_cast<std::uint16_t>((static_cast<unsigned>(network.topology) << 8) | network.dim);
}
bool is_hello(const LinkHeader& header) {
    return header.kind == Kind::hello || header.kind == Kind::hello_answer;
}
} // namespace

void Links::say_hello() {
    bool all_up = true;
    // Where links carry one way, a node that starts again tells the nodes that send to it.
    const std::uint32_t out = here_.out_ports();
    const bool anew = here_.identity.life() != wire::Identity::kFirstLife;
    const std::uint32_t told = anew ? out | here_.in_ports() : out;
    for (unsigned number = 0; number < count(); ++number) {
        if (((told >> number) & 1u) == 0 || links_[number].up())
            continue;
        Link& link = touch(port_at(number));
        if (((out >> number) & 1u) != 0)
            link.say_hello();
        else
            link.answer_hello(context_);
        all_up = false;
    }
    if (here_.identity.start != 0 && !all_up && in_vain_ < limits::kHellosMax)
        if (++in_vain_ == limits::kHellosMax)
            give_up_silent(out);
    hello_at_ = all_up ? wire::kNever : next_hello();
    if (ready_told_) // at boot all are wanted soon
        hellos_ = static_cast<std::uint8_t>(std::min(hellos_ + 1u, limits::kPauseDoublings));
}

// At boot all nodes are there in the end. Later a node may be dead, and packets that wait for it
// would fill the pool.
void Links::give_up_silent(PortSet out) {
    for (; out != 0; out &= out - 1) {
        const Port port = port_at(static_cast<unsigned>(std::countr_zero(out)));
        if (at(port).up() || at(port).dead())
            continue;
        touch(port).give_up(context_);
        note_death(port);
    }
}

// Where links carry one way, a receiving end has nothing to lose with its cable.
void Links::on_cables(PortSet changed, PortSet connected) {
    changed &= here_.out_ports();
    for (unsigned number = 0; number < count(); ++number) {
        const Port port = port_at(number);
        const bool plugged = (connected & bit_of(port)) != 0;
        if ((changed & bit_of(port)) == 0 || plugged == at(port).up())
            continue;
        if (plugged)
            touch(port).say_hello();
        else
            touch(port).give_up(context_);
        note_death(port);
    }
}

std::uint64_t Links::next_hello() const { return context_.time.ask_at(hellos_, limits::kHelloUs); }

// The ways by which answers left may depend on how long neighbours took to boot.
void Links::on_new_time() {
    for (Link& link : links_)
        link.reset_answers(context_);
    if (hello_at_ != wire::kNever)
        hello_at_ = next_hello();
}

// Keeps the set of dead ports right.
void Links::note_death(Port port) {
    const PortSet bit = 1u << index(port);
    const bool dead = at(port).dead();
    if (dead == ((dead_ & bit) != 0))
        return;
    dead_ ^= bit;
    changed_ = true;
    if (dead) {
        hellos_ = 0;
        hello_at_ = next_hello();
    }
}

// A hello came in by `port`, or an answer to a hello: it says which node is at the other end.
[[gnu::noinline]] Links::Arrived Links::on_hello(Port port, const LinkHeader& header,
                                                 bool right_port) {
    const PortSet bit = 1u << index(port);
    const wire::Hello hello{header};
    if (right_port && hello.network() == network_word(here_.network()) &&
        hello.node() == index(here_.neighbor(port))) {
        ready_.ports_good |= bit;
        touch(port).on_hello(context_, header);
        note_death(port);
        return {};
    }
    if (ready_.ports_miswired == 0) {
        ready_.miswired_port = index(port);
        ready_.found_node = hello.node();
        ready_.found_port = static_cast<std::uint16_t>(index(header.port));
    }
    ready_.ports_miswired |= bit;
    return {};
}

[[gnu::noinline]] bool Links::complete_ready(wire::Ready& ready) {
    const std::uint32_t plugged = here_.out_ports() | here_.in_ports();
    ready_told_ = ready_.ports_good == plugged || ready_.ports_miswired != 0;
    ready = ready_;
    ready.start = here_.identity.start;
    return ready_told_;
}

// Frames in ---------------------------------------------------------------------------------------

Links::Arrived Links::on_frame(Port port, const LinkHeader& header, PacketBuffer* buffer) {
    if (index(port) >= count() || header.kind < Kind::hello || header.kind > Kind::ack) {
        ++context_.counters[Counter::drop_malformed];
        return {};
    }
    if (header.port != port && !is_hello(header)) {
        ++context_.counters[Counter::drop_wrong_port];
        return {};
    }
    if (header.kind == Kind::data)
        return on_data(port, header, buffer);
    const Port link = header.kind == Kind::hello ? port : answered_link(port, header);
    if (link == kNoPort)
        return {};
    if (is_hello(header))
        return on_hello(link, header, header.port == port);
    if (!at(link).is_current(wire::Ack{header}.session())) {
        ++context_.counters[Counter::drop_old_session];
        return {};
    }
    links_[index(link)].on_acknowledgement(context_, header);
    touch_if_able(link);
    return {.freed = true};
}

// The link that an answer (ack, hello_answer) is for. kNoPort if the answer is on its way to
// another node, and is passed on, or has lost its way.
[[gnu::noinline]] Port Links::answered_link(Port port, const LinkHeader& header) {
    if (here_.rules.answer_way == nullptr)
        return port;
    const AnswerWay way = here_.rules.answer_way(here_.network(), here_.node(), port, header);
    if (way.arrived)
        return way.port;
    if (way.port == kNoPort) {
        ++context_.counters[Counter::drop_wrong_port];
        return kNoPort;
    }
    passing_.emplace(header);
    passing_->port = way.port;
    ++passing_->hops;
    context_.counters[Counter::acks_sent] += is_hello(header) ? 0 : 1;
    return kNoPort;
}

// Notes in the buffer since when the packet, or its external packet, is here.
inline void Links::book_arrival(Link& link, wire::ModelTime time, PacketBuffer* buffer) {
    buffer->ready = time;
    if (buffer->header.is_timeless())
        return;
    if (!buffer->header.is_part())
        link.unit_ready() = clock_.receive(time, clock_.duration(buffer->header.moved_bytes()));
    buffer->ready = link.unit_ready();
}

// True if the link accepts the packet; it is booked then.
inline bool Links::judge(Port port, const LinkHeader& header, PacketBuffer* buffer) {
    Link& link = links_[index(port)];
    const unsigned way_out = admission_.way_out(buffer->header);
    const bool too_far = way_out != 0 && header.hops > way_out;
    const unsigned left = header.hops < way_out ? way_out - header.hops : 0;
    buffer->hops = header.hops;
    buffer->arrival = port;
    buffer->remaining = static_cast<std::uint16_t>(left + admission_.way_back(buffer->header));
    switch (
        link.on_data(context_, header, admission_.admits(buffer->remaining), buffer->remaining)) {
    case Link::Verdict::refuse:
        starved_ = true;
        ++context_.counters[Counter::drop_no_buffer];
        return false;
    case Link::Verdict::duplicate: ++context_.counters[Counter::drop_duplicate]; return false;
    case Link::Verdict::gap: ++context_.counters[Counter::drop_out_of_order]; return false;
    case Link::Verdict::accept: break;
    }
    if (too_far) { // it would break the bound that keeps forwarding free of deadlock
        ++context_.counters[Counter::drop_too_far];
        return false;
    }
    book_arrival(link, header.model_time, buffer);
    return true;
}

Links::Arrived Links::on_data(Port port, const LinkHeader& header, PacketBuffer* buffer) {
    context_.time.come_to(header.model_time);
    if (!at(port).is_current(header.flags)) {
        touch(port).on_old_session(context_);
        return {};
    }
    const Arrived arrived = take_data(port, header, buffer);
    touch_if_able(port);
    return arrived;
}

inline Links::Arrived Links::take_data(Port port, const LinkHeader& header, PacketBuffer* buffer) {
    Link& link = links_[index(port)];
    const unsigned used = context_.pool.used();
    link.on_acknowledgement(context_, header);
    const bool freed = context_.pool.used() != used;
    const wire::Parse parse = wire::check_packet(
        std::span{buffer->bytes}.first(header.packet_bytes), !context_.cables.checked);
    if (!is_intact(parse, context_.counters)) {
        if (parse == wire::Parse::bad_crc)
            link.on_damaged(header);
        return {.freed = freed};
    }
    const bool accepted = judge(port, header, buffer);
    const PortSet bit = 1u << index(port);
    owing_ |= bit;
    asked_ |= (header.flags & wire::link_flag::kAsks) != 0 ? bit : 0;
    if (context_.time.lockstep())
        link.flush_acknowledgement();
    return {accepted, freed, static_cast<std::uint8_t>(header.flags >> wire::link_flag::kTagShift)};
}

// Frames out --------------------------------------------------------------------------------------

bool Links::send(Port port, PacketBuffer* buffer) {
    MESH_EXPECT(buffer->references != 0);
    Link& link = touch(port);
    if (link.dead())
        return false;
    context_.pool.share(buffer);
    timed_ |= 1u << index(port);
    const bool behind_held = buffer->header.is_part() && link.holds();
    const wire::ModelTime start = behind_held ? link.held_start() : appointed(port, buffer);
    if (behind_held || context_.time.must_hold(start))
        link.hold(context_, buffer, start);
    else
        start_on(link, buffer, start);
    return true;
}

void Links::start_on(Link& link, PacketBuffer* buffer, wire::ModelTime earliest) {
    wire::ModelTime arrival = buffer->ready;
    if (buffer->header.is_part())
        arrival = link.busy_until();
    else if (!buffer->header.is_timeless())
        arrival = clock_.send(std::max(buffer->ready, earliest), link.busy_until(),
                              clock_.duration(buffer->header.moved_bytes()));
    link.enqueue(context_, buffer, arrival);
}

wire::ModelTime Links::appointed(Port port, const PacketBuffer* buffer) const {
    const TreeRules* const trees = here_.rules.trees;
    if (buffer->header.rule == Rule::unicast || trees == nullptr || trees->appointment == nullptr)
        return 0;
    return trees->appointment(here_.network(), clock_, here_.node(), port, *buffer);
}

// Ports have their turn one after the other. Not so in lockstep: where answers leave by the ports
// of other links, the order on a cable would depend on which ports were busy.
bool Links::next_frame(LinkHeader& header, PacketBuffer*& packet, PortSet ready) {
    if (passing() && (ready & bit_of(passing_->port)) != 0) {
        header = *passing_;
        packet = nullptr;
        passing_.reset();
        return true;
    }
    if (context_.time.lockstep())
        next_port_ = 0;
    while (PortSet able = touched_ & ready) { // from the port after the last one that sent
        if (const PortSet ahead = able >> next_port_ << next_port_; ahead != 0)
            able = ahead;
        const auto port = static_cast<unsigned>(std::countr_zero(able));
        if ((ready >> index(links_[port].leaves_by()) & 1u) == 0) {
            ready &= ~(1u << port);
            continue;
        }
        if (links_[port].next_frame(context_, header, packet)) {
            next_port_ = static_cast<std::uint8_t>(port + 1);
            if (!links_[port].may_send())
                touched_ &= ~(1u << port);
            if (is_hello(header)) {
                wire::Hello{header}.node() = index(here_.node());
                wire::Hello{header}.network() = network_word(here_.network());
                wire::Hello{header}.say_life(here_.identity.life());
                return true;
            }
            owing_ &= ~(1u << port);
            return true;
        }
        touched_ &= ~(1u << port);
    }
    return false;
}

bool Links::next_behind(Port port, std::size_t room, LinkHeader& header, PacketBuffer*& packet) {
    Link& link = links_[index(port)];
    if (context_.time.lockstep() || !link.packet_follows(context_, room))
        return false;
    static_cast<void>(link.next_frame(context_, header, packet));
    if (!link.may_send())
        touched_ &= ~(1u << index(port));
    return true;
}

void Links::acknowledge(bool at_once) {
    const std::uint64_t now = context_.time.now();
    PortSet due = at_once || now >= acknowledge_at_ ? owing_ : owing_ & asked_;
    asked_ = 0;
    owing_ &= ~due;
    touched_ |= due;
    for (; due != 0; due &= due - 1)
        links_[static_cast<unsigned>(std::countr_zero(due))].flush_acknowledgement();
    if (owing_ == 0)
        acknowledge_at_ = wire::kNever;
    else if (acknowledge_at_ == wire::kNever)
        acknowledge_at_ = now + context_.rto_min_us / limits::kAcknowledgeShare;
}

void Links::tell_of_buffers() {
    starved_ = false;
    for (unsigned port = 0; port < count(); ++port) {
        if (!links_[port].starved())
            continue;
        touch(port_at(port)).on_buffers_free(context_.pool.room());
        if (links_[port].starved())
            starved_ = true;
    }
}

// Time --------------------------------------------------------------------------------------------

void Links::on_time() {
    const std::uint64_t now = context_.time.now();
    for (std::uint32_t timed = timed_; timed != 0; timed &= timed - 1) {
        const Port port = port_at(static_cast<unsigned>(std::countr_zero(timed)));
        if (at(port).pending() == 0)
            timed_ &= ~(1u << index(port));
        if (at(port).next_deadline(context_) > now)
            continue;
        Link& link = touch(port);
        link.on_timer(context_);
        note_death(port);
        while (PacketBuffer* buffer = link.take_due(context_))
            start_on(link, buffer, now);
    }
}

std::uint64_t Links::next_deadline() const {
    std::uint64_t earliest =
        context_.time.lockstep() ? wire::kNever : std::min(hello_at_, acknowledge_at_);
    for (std::uint32_t timed = timed_; timed != 0; timed &= timed - 1) {
        const Link& link = links_[static_cast<unsigned>(std::countr_zero(timed))];
        earliest = std::min(earliest, link.next_deadline(context_));
    }
    return earliest;
}

PacketBuffer* Links::take_undeliverable(Port& port) {
    for (PortSet dead = dead_; dead != 0; dead &= dead - 1) {
        port = port_at(static_cast<unsigned>(std::countr_zero(dead)));
        if (PacketBuffer* buffer = links_[index(port)].take_undeliverable(context_);
            buffer != nullptr)
            return buffer;
    }
    return nullptr;
}

unsigned Links::pending() const {
    unsigned total = 0;
    for (const Link& link : links_)
        total += link.dead() ? 0 : link.pending();
    return total;
}

} // namespace mesh
