#include "link_world.hpp"

#include "tests/kernel/audit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace mesh {
namespace model {

namespace {

constexpr std::uint16_t kPayloadBytes = 16;
constexpr std::size_t kPacketFrameBytes =
    wire::kHeadBytes + wire::kPacketHeaderBytes + kPayloadBytes;

bool is_hello(const wire::LinkHeader& header) {
    return header.kind == wire::Kind::hello || header.kind == wire::Kind::hello_answer;
}
/// All numbers behind `of` count alike, however far behind they are.
std::uint32_t ahead(std::uint16_t number, std::uint16_t of) {
    return static_cast<std::uint32_t>(std::max<int>(static_cast<std::int16_t>(number - of), -1) +
                                      1);
}

} // namespace

std::string words_of(const Action& action) {
    constexpr std::array<const char*, static_cast<std::size_t>(Action::Kind::kCount)> kNames{
        "sends a frame",
        "gets a frame",
        "loses a frame",
        "gets a frame later again",
        "gets frames swapped",
        "gets it damaged",
        "is offered a packet",
        "consumes one",
        "rests",
        "has a timer",
        "gives the link up",
        "says hello",
        "begins anew"};
    return fmt::format("{} {}", action.end == 0 ? "left" : "right",
                       kNames.at(static_cast<std::size_t>(action.kind)));
}

LinkWorld::End::End(const Limits& limits)
    : context{.pool{std::span{buffers}.first(limits.buffers),
                    std::span{slots}.first(limits.buffers), 1},
              .cables{.window_bytes = limits.window * kPacketFrameBytes}} {
    link.attach(context, 0, 0);
}

LinkWorld::LinkWorld(const Limits& limits) : limits_(limits), ends_{End{limits}, End{limits}} {
    for (End& end : ends_) {
        for (unsigned buffer = 0; buffer < limits.buffers; ++buffer) {
            end.buffers[buffer] = {};
            add_region(&end.buffers[buffer],
                       offsetof(PacketBuffer, bytes) + sizeof(wire::PacketHeader));
        }
        add_region(&end.slots, limits.buffers * sizeof(PortSlot));
        add_region(&end.context.pool, sizeof end.context.pool);
        add_region(&end.context.time, sizeof end.context.time);
        add_region(&end.link, sizeof end.link);
        add_region(static_cast<Books*>(&end), sizeof(Books));
    }
    for (Cable& cable : cables_) {
        add_region(&cable.count, sizeof cable.count);
        add_region(&cable.frames, limits.frames * sizeof(Frame));
    }
}

void LinkWorld::add_region(void* from, std::size_t bytes) {
    regions_.push_back({static_cast<std::byte*>(from), bytes});
    snapshot_bytes_ += bytes;
}

void LinkWorld::save(std::byte* to) const {
    for (const Region& region : regions_) {
        std::memcpy(to, region.from, region.bytes);
        to += region.bytes;
    }
}

void LinkWorld::restore(const std::byte* from) {
    for (const Region& region : regions_) {
        std::memcpy(region.from, from, region.bytes);
        from += region.bytes;
    }
}

// Actions -----------------------------------------------------------------------------------------

bool LinkWorld::possible(const Action& action) const {
    const End& end = ends_[action.end];
    const Cable& cable = cables_[action.end];
    const bool room = cable.count < limits_.frames;
    switch (action.kind) {
    case Action::Kind::send: return cables_[1 - action.end].count < limits_.frames;
    case Action::Kind::deliver:
    case Action::Kind::drop: return cable.count != 0;
    case Action::Kind::twice: return cable.count != 0 && room;
    case Action::Kind::swap: return cable.count > 1;
    case Action::Kind::corrupt:
        return cable.count != 0 && cable.frames[0].header.kind == wire::Kind::data;
    case Action::Kind::offer:
        return end.context.pool.free() > 1 && end.link.up() &&
               (action.end == 0 || !limits_.one_way);
    case Action::Kind::consume: return end.held_count != 0;
    case Action::Kind::rest: return true;
    case Action::Kind::timer: return end.link.deadline() != wire::kNever;
    case Action::Kind::death:
        return limits_.lives && end.link.deadline() != wire::kNever &&
               LinkState::in_flight(end.link) != 0;
    case Action::Kind::hello: return !end.link.up();
    case Action::Kind::restart: return limits_.lives;
    case Action::Kind::kCount: break;
    }
    return false;
}

const char* LinkWorld::act(const Action& action) {
    Cable& cable = cables_[action.end];
    const auto begin = cable.frames.begin();
    const Frame first = cable.frames[0];
    const auto remove_first = [&] {
        std::copy(begin + 1, begin + cable.count, begin);
        cable.frames[--cable.count] = {};
    };
    const char* wrong = nullptr;
    switch (action.kind) {
    case Action::Kind::send: send(action.end); break;
    case Action::Kind::deliver:
    case Action::Kind::corrupt:
        remove_first();
        wrong = take(action.end, first, action.kind == Action::Kind::corrupt);
        break;
    case Action::Kind::drop: remove_first(); break;
    case Action::Kind::twice: cable.frames[cable.count++] = first; break;
    case Action::Kind::swap: std::rotate(begin, begin + 1, begin + cable.count); break;
    case Action::Kind::offer: offer(action.end); break;
    case Action::Kind::consume: consume(action.end); break;
    case Action::Kind::rest:
        ends_[action.end].link.on_buffers_free(ends_[action.end].context.pool.free());
        ends_[action.end].link.flush_acknowledgement();
        break;
    case Action::Kind::timer: fire(action.end, false); break;
    case Action::Kind::death: fire(action.end, true); break;
    case Action::Kind::hello: ends_[action.end].link.say_hello(); break;
    case Action::Kind::restart: restart(action.end); break;
    case Action::Kind::kCount: break;
    }
    for (unsigned end = 0; end < 2 && wrong == nullptr; ++end) {
        if (ends_[end].link.dead())
            give_up(end);
        wrong = check(end);
    }
    return wrong;
}

void LinkWorld::send(unsigned end) {
    Frame frame{};
    PacketBuffer* packet = nullptr;
    if (!ends_[end].link.next_frame(ends_[end].context, frame.header, packet))
        return;
    frame.number = packet != nullptr ? packet->header.message : 0;
    Cable& cable = cables_[1 - end];
    cable.frames[cable.count++] = frame;
}

// As kernel/links/links.cpp does it.
const char* LinkWorld::take(unsigned number, const Frame& frame, bool damaged) {
    End& end = ends_[number];
    if (is_hello(frame.header)) {
        end.link.on_hello(end.context, frame.header);
        return nullptr;
    }
    const bool data = frame.header.kind == wire::Kind::data;
    if (!LinkState::is_of_peer(end.link, frame.header)) {
        if (data)
            end.link.on_old_session(end.context);
        return nullptr;
    }
    std::array<std::uint32_t, kBuffersMax> before{};
    unsigned count = 0;
    LinkState::each_packet(end.link, end.context,
                           [&](std::uint32_t packet) { before[count++] = packet; });
    end.link.on_acknowledgement(end.context, frame.header);
    for (unsigned place = 0; place < count; ++place)
        if (!has_outstanding(number, before[place]) && before[place] > ends_[1 - number].accepted)
            return "the sender was told of a packet that has not arrived";
    if (!data)
        return nullptr;
    if (damaged) {
        end.link.on_damaged(frame.header);
        return nullptr;
    }
    const bool has_buffer = end.context.pool.free() > 0;
    if (end.link.on_data(end.context, frame.header, has_buffer, 0) != Link::Verdict::accept)
        return nullptr;
    return accept(number, frame.number);
}

const char* LinkWorld::accept(unsigned number, std::uint32_t packet) {
    End& end = ends_[number];
    if (packet <= end.accepted)
        return "a packet was accepted again, or after a later one";
    for (std::uint32_t skipped = end.accepted + 1; skipped < packet; ++skipped)
        if (has_outstanding(1 - number, skipped))
            return "a packet was accepted before an earlier one";
    end.accepted = packet;
    PacketBuffer* buffer = end.context.pool.allocate();
    if (buffer == nullptr)
        return "a packet was accepted without a buffer";
    buffer->header.message = packet;
    end.held[end.held_count++] = buffer;
    return nullptr;
}

void LinkWorld::offer(unsigned number) {
    End& end = ends_[number];
    PacketBuffer* buffer = end.context.pool.allocate();
    buffer->header = {.payload_bytes = kPayloadBytes, .message = ++end.offered};
    buffer->remaining = 1;
    end.link.enqueue(end.context, buffer, 0);
}

void LinkWorld::consume(unsigned number) {
    End& end = ends_[number];
    end.context.pool.release(end.held[0]);
    std::copy(end.held.begin() + 1, end.held.begin() + end.held_count, end.held.begin());
    end.held[--end.held_count] = nullptr;
}

void LinkWorld::restart(unsigned number) {
    End& end = ends_[number];
    give_up(number);
    while (end.held_count != 0)
        consume(number);
    std::memset(static_cast<void*>(&end.link), 0, sizeof end.link);
    new (&end.link) Link{};
    end.link.attach(end.context, 0, ++end.starts);
}

void LinkWorld::fire(unsigned number, bool last) {
    End& end = ends_[number];
    end.context.time.set_clock(std::max(end.context.time.now(), end.link.deadline()));
    LinkState::set_retries(end.link, last);
    end.link.on_timer(end.context);
    LinkState::set_retries(end.link, false);
    LinkState::bound_probes(end.link);
}

void LinkWorld::give_up(unsigned number) {
    End& end = ends_[number];
    while (PacketBuffer* buffer = end.link.take_undeliverable(end.context))
        end.context.pool.release(buffer);
}

// Promises that must hold -------------------------------------------------------------------------

bool LinkWorld::has_outstanding(unsigned number, std::uint32_t packet) const {
    bool found = false;
    LinkState::each_packet(ends_[number].link, ends_[number].context,
                           [&](std::uint32_t one) { found = found || one == packet; });
    return found;
}

const char* LinkWorld::check(unsigned number) const {
    const End& end = ends_[number];
    unsigned kept = end.held_count;
    const PacketMemory memory{end.buffers, end.slots, 1};
    const char* const wrong =
        LinkState::audit(end.link, memory, 0, [&](const PacketBuffer*) { ++kept; });
    if (wrong != nullptr)
        return wrong;
    unsigned references = 0;
    for (const PacketBuffer& buffer : std::span{end.buffers}.first(limits_.buffers))
        references += buffer.references;
    if (kept != end.context.pool.used() || kept != references)
        return "a buffer was lost, or is used twice";
    const unsigned in_flight = LinkState::in_flight(end.link);
    if (in_flight > std::max(limits_.window, 1u))
        return "more frames are in flight than the window has room for";
    return nullptr;
}

const char* LinkWorld::come_to_rest() {
    constexpr unsigned kRoundsMax = 200;
    for (unsigned round = 0; round < kRoundsMax; ++round) {
        if (const char* wrong = settle(); wrong != nullptr)
            return wrong;
        bool timers = false;
        for (unsigned number = 0; number < 2; ++number) {
            Link& link = ends_[number].link;
            if (!link.up())
                link.say_hello();
            timers = timers || !link.up();
            if (link.deadline() == wire::kNever)
                continue;
            fire(number, false);
            timers = true;
        }
        if (!timers)
            return ends_[0].context.pool.used() + ends_[1].context.pool.used() == 0
                       ? nullptr
                       : "a packet waits for ever, and no timer is set";
    }
    return "timers go off for ever";
}

// Frames go to and fro, and processes take what they get, until there is nothing more to do.
const char* LinkWorld::settle() {
    constexpr unsigned kTurnsMax = 200;
    const char* wrong = nullptr;
    for (unsigned turn = 0; turn < kTurnsMax; ++turn) {
        bool moved = false;
        for (std::uint8_t end = 0; end < 2; ++end) {
            for (; cables_[end].count != 0 && wrong == nullptr; moved = true)
                wrong = act({Action::Kind::deliver, end});
            while (ends_[end].held_count != 0)
                consume(end);
            send(end);
            moved = moved || cables_[1 - end].count != 0;
        }
        for (std::uint8_t end = 0; end < 2 && !moved && wrong == nullptr; ++end) {
            wrong = act({Action::Kind::rest, end});
            send(end);
            moved = cables_[1 - end].count != 0;
        }
        if (!moved || wrong != nullptr)
            return wrong;
    }
    return "frames go to and fro for ever";
}

// The state ---------------------------------------------------------------------------------------

const std::vector<std::uint32_t>& LinkWorld::state() {
    words_.clear();
    for (unsigned end = 0; end < 2; ++end)
        write_end(end);
    for (unsigned to = 0; to < 2; ++to) {
        words_.push_back(cables_[to].count);
        for (unsigned frame = 0; frame < cables_[to].count; ++frame)
            write_frame(to, cables_[to].frames[frame]);
    }
    return words_;
}

void LinkWorld::write_end(unsigned number) {
    const End& end = ends_[number];
    const End& other = ends_[1 - number];
    const bool together = LinkState::hears(other.link, end.link);
    const auto expected = static_cast<std::uint16_t>(
        together ? LinkState::expected(other.link) - LinkState::base(end.link) : 0);
    const std::uint32_t fates = LinkState::refused(other.link) & ((1u << (expected & 31u)) - 1);
    words_.push_back(LinkState::flags(end.link));
    words_.push_back(end.held_count << 24 | LinkState::in_flight(end.link) << 16 |
                     LinkState::place_of_taken_back(end.link, end.context) << 8 |
                     (together ? 1u : 0u));
    words_.push_back(std::uint32_t{expected} << 16 | fates);
    // How the other end knows this one, as the order of their numbers.
    const std::uint16_t known = LinkState::theirs(other.link);
    words_.push_back(known == wire::kNoNumber ? 2u : known == LinkState::mine(end.link) ? 1u : 0u);
    rank_packets(number);
    LinkState::each_packet(end.link, end.context,
                           [&](std::uint32_t packet) { words_.push_back(rank(number, packet)); });
    words_.push_back(rank(number, other.accepted));
}

// Of the packets of one end only their order matters.
void LinkWorld::rank_packets(unsigned number) {
    const End& end = ends_[number];
    ranked_[number].clear();
    LinkState::each_packet(end.link, end.context,
                           [&](std::uint32_t packet) { ranked_[number].push_back(packet); });
    const Cable& cable = cables_[1 - number];
    for (unsigned place = 0; place < cable.count; ++place)
        if (may_be_accepted(1 - number, cable.frames[place]))
            ranked_[number].push_back(cable.frames[place].number);
    std::ranges::sort(ranked_[number]);
}

std::uint32_t LinkWorld::rank(unsigned number, std::uint32_t packet) const {
    std::uint32_t rank = 0;
    std::uint32_t last = 0;
    for (const std::uint32_t one : ranked_[number])
        if (one <= packet && one != last) {
            ++rank;
            last = one;
        }
    return rank;
}

bool LinkWorld::may_be_accepted(unsigned to, const Frame& frame) const {
    const Link& sender = ends_[1 - to].link;
    const Link& receiver = ends_[to].link;
    if (frame.header.kind != wire::Kind::data)
        return false;
    if (LinkState::is_of_peer(receiver, frame.header))
        return ahead(frame.header.sequence, LinkState::expected(receiver)) != 0;
    return LinkState::is_of(sender, frame.header);
}

void LinkWorld::write_frame(unsigned to, const Frame& frame) {
    const wire::LinkHeader& header = frame.header;
    const Link& sender = ends_[1 - to].link;
    const Link& receiver = ends_[to].link;
    const auto kind = static_cast<std::uint32_t>(header.kind);
    if (is_hello(header)) {
        const std::uint16_t mine = LinkState::mine(sender);
        const std::uint16_t theirs = LinkState::theirs(receiver);
        const bool knows_nobody = header.free_buffers == wire::kNoNumber;
        words_.push_back(kind << 8 | (header.acknowledged == mine ? 1u : 0u) |
                         (header.acknowledged == theirs ? 2u : 0u) |
                         (ahead(header.acknowledged, theirs) == 0 ? 4u : 0u) |
                         (header.free_buffers == LinkState::mine(receiver) ? 8u : 0u) |
                         (knows_nobody ? 16u : 0u));
        return;
    }
    const bool of_sender = LinkState::is_of(sender, header);
    const bool of_receiver = LinkState::is_of_peer(receiver, header);
    words_.push_back(kind << 8 | (of_sender ? 1u : 0u) | (of_receiver ? 2u : 0u));
    if (!of_sender && !of_receiver)
        return;
    const std::uint32_t acknowledged =
        of_receiver ? ahead(header.acknowledged, LinkState::base(receiver))
                    : 64 + ahead(header.acknowledged, LinkState::expected(sender));
    const std::uint32_t fates =
        of_receiver && acknowledged > 1 ? header.refused & ((1u << (acknowledged - 1)) - 1) : 0;
    const bool gap = (header.flags & wire::link_flag::kGap) != 0;
    words_.push_back(acknowledged << 16 | fates << 4 | (header.free_buffers != 0 ? 1u : 0u) |
                     (gap ? 2u : 0u));
    if (header.kind != wire::Kind::data)
        return;
    const std::uint32_t sequence = of_receiver
                                       ? ahead(header.sequence, LinkState::expected(receiver))
                                       : 64 + ahead(header.sequence, LinkState::base(sender));
    words_.push_back(sequence << 1 | (header.flags & wire::link_flag::kEpochMask));
    words_.push_back(may_be_accepted(to, frame) ? rank(1 - to, frame.number) : 0);
}

} // namespace model
} // namespace mesh
