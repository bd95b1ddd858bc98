// Goes through the states of whole kernels (../soak/world.hpp) that storm each other: whatever
// order frames arrive in, nodes come to rest in and processes go on in. No time passes while
// anything else can happen. A state that was seen before is not gone into again; of each that is
// remembered, 64 bits are kept. A state in which nothing but time can go on, and a share of the
// others, must lead to the end of all programs, with every message taken once and whole.
//
//   explore_nodes [--network NAME:DIM] [--goals FROM:TO,...] [--buffers N] [--states N]
//                 [--rest-of N]
//
// Prints what was seen; a broken promise with the events that lead to it. Exit status: 0 none was
// broken, 1 one was, 2 a bad argument.
//
// All that a world has lies in one region of memory (Region), which is saved and put back.
#include "kernel/api/message.hpp"
#include "seen.hpp"
#include "tests/verify/soak/network_words.hpp"
#include "tests/verify/soak/world.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>

namespace mesh::model {
namespace {

// Memory of a world ---------------------------------------------------------------------------

/// While it is open, allocations come out of one region of memory, and so does their record. A slab
/// that is given back is for the next allocation of its size.
class Region {
public:
    static constexpr std::size_t kBytes = std::size_t{64} << 20;
    static constexpr std::size_t kUnit = 16, kUnitsMax = 512; // of slabs that are used again
    static inline bool open = false;

    static bool has(const void* slab) {
        const auto* const at = static_cast<const std::byte*>(slab);
        return base_ != nullptr && at >= base_ && at < base_ + kBytes;
    }
    static void* get(std::size_t bytes, std::size_t alignment) {
        const std::size_t units = (bytes + kUnit - 1) / kUnit;
        if (alignment <= kUnit && units < kUnitsMax && book().free[units] != nullptr) {
            Free* const slab = book().free[units];
            book().free[units] = slab->next;
            return slab;
        }
        std::size_t& used = book().used;
        const std::size_t at = (used + sizeof(Head) + alignment - 1) / alignment * alignment;
        used = at + units * kUnit;
        if (used > kBytes)
            std::abort();
        new (base_ + at - sizeof(Head)) Head{alignment <= kUnit ? units : kUnitsMax};
        return base_ + at;
    }
    static void put(void* slab) {
        const std::size_t units = (static_cast<Head*>(slab) - 1)->units;
        if (units >= kUnitsMax)
            return; // large ones live as long as the world
        book().free[units] = new (slab) Free{book().free[units]};
    }
    static std::span<std::byte> used() {
        if (base_ == nullptr) {
            void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (memory == MAP_FAILED)
                std::abort();
            base_ = static_cast<std::byte*>(memory);
            (new (base_) Book)->used = (sizeof(Book) + 63) / 64 * 64;
        }
        return {base_, book().used};
    }

private:
    struct Free {
        Free* next;
    };
    struct alignas(kUnit) Head {
        std::size_t units;
    };
    struct Book {
        std::size_t used = 0;
        std::array<Free*, kUnitsMax> free{};
    };
    static Book& book() { return *reinterpret_cast<Book*>(base_); }
    static inline std::byte* base_ = nullptr;
};

// Programs of the nodes -----------------------------------------------------------------------

struct Goal {
    unsigned from, to;
};

struct Options {
    Network network{Topology::cube, 2};
    std::vector<Goal> goals{{0, 3}, {0, 3}, {1, 3}, {1, 3}, {3, 0}, {3, 1}};
    std::size_t buffers = 0; // 0: as few as a node of this network may have
    std::size_t states = 20'000;
    unsigned rest_of = 256; // of so many states one is let come to the end
};
const Options* options = nullptr;

/// The progress of the goals, in the region.
struct Tale {
    unsigned open = 0; // processes that are to end
    std::vector<std::uint8_t> taken;
    bool wrong = false; // a message came twice, or not whole, or was said not to have come
};
Tale* tale = nullptr;

constexpr std::size_t kMessageBytes = 12;
constexpr std::uint16_t kPacketBytes = 8; // so a message is an offer and a fragment

std::byte byte_of(std::size_t goal, std::size_t at) { return std::byte(goal * 16 + at); }

Process sends(Kernel& node, std::size_t goal) {
    std::array<std::byte, kMessageBytes> message;
    for (std::size_t at = 0; at < message.size(); ++at)
        message[at] = byte_of(goal, at);
    const Status status = co_await send(node, node_at(options->goals[goal].to),
                                        {.packet_bytes = kPacketBytes}, message);
    tale->wrong = tale->wrong || status != Status::ok;
    --tale->open;
    co_return status;
}

Process takes(Kernel& node, soak::World& world, unsigned messages) {
    for (; messages != 0; --messages) {
        const soak::Gate& gate = world.close_gate(node.id(), 0);
        co_await node.wait_until([&gate] { return gate.open; });
        std::array<std::byte, kMessageBytes> message{};
        const Received got = co_await receive(node, message);
        const std::size_t goal = static_cast<std::size_t>(message[0]) / 16;
        bool right = got.status == Status::ok && got.bytes == message.size() &&
                     goal < options->goals.size() && options->goals[goal].to == index(node.id()) &&
                     options->goals[goal].from == index(got.source) && ++tale->taken[goal] == 1;
        for (std::size_t at = 0; right && at < message.size(); ++at)
            right = message[at] == byte_of(goal, at);
        tale->wrong = tale->wrong || !right;
    }
    --tale->open;
    co_return Status::ok;
}

soak::World* the_world = nullptr;

Process storms(Kernel& node) {
    unsigned coming = 0;
    bool room = true;
    for (std::size_t goal = 0; goal < options->goals.size(); ++goal) {
        coming += options->goals[goal].to == index(node.id()) ? 1 : 0;
        if (options->goals[goal].from != index(node.id()))
            continue;
        ++tale->open;
        room = room && node.spawn(sends(node, goal));
    }
    if (coming != 0) {
        ++tale->open;
        room = room && node.spawn(takes(node, *the_world, coming));
    }
    tale->wrong = tale->wrong || !room;
    co_return Status::ok;
}

// States --------------------------------------------------------------------------------------

class Hash {
public:
    void add(std::span<const std::byte> bytes) {
        for (; bytes.size() >= sizeof(std::uint64_t); bytes = bytes.subspan(sizeof(std::uint64_t)))
            add(wire::load<std::uint64_t>(bytes, 0));
        for (const std::byte byte : bytes)
            add(static_cast<std::uint64_t>(byte) + 1);
    }
    void add(std::uint64_t word) {
        sum_ = (sum_ ^ word) * 0x9E37'79B9'7F4A'7C15;
        sum_ ^= sum_ >> 32;
    }
    std::uint64_t sum() const { return sum_; }

private:
    std::uint64_t sum_ = 0xBF58'476D'1CE4'E5B9;
};

class Explorer {
public:
    Explorer() : seen_(options->states) {
        static_cast<void>(Region::used());
        Region::open = true;
        tale = new Tale;
        tale->taken.resize(options->goals.size());
        std::size_t buffers = options->buffers;
        if (buffers == 0)
            buffers = limits::pool_buffers_min(height(options->network, Rule::unicast),
                                               height(options->network, Rule::disjoint), 1);
        constexpr std::size_t kArenaBytes = 12 * 1024;
        world_ = the_world =
            new soak::World(options->network, storms, {1, buffers, kArenaBytes}, 0, 0);
        world_->start();
        Region::open = false;
    }

    /// True if no promise was broken.
    bool run() {
        push();
        seen_.add(hash());
        while (depth_ != 0 && states_ < options->states) {
            Place& place = path_[depth_ - 1];
            restore(place.state);
            const std::optional<unsigned> actor = next_of(place);
            if (!actor)
                --depth_;
            else if (!go(*actor))
                return false;
        }
        fmt::print(
            "{} states, {} events, {} ways to the end, up to {} offers sent away; {} at most "
            "{} events deep\n",
            states_, events_, ends_, sent_away_, depth_ == 0 ? "all there are," : "the first ones,",
            path_.size());
        return true;
    }

private:
    struct Place {
        std::vector<std::byte> state;
        unsigned next = 0; // actor
        unsigned last = 0; // that led here
    };

    bool go(unsigned actor) {
        ++events_;
        act(actor);
        if (!check())
            return tell(actor, world_->wrong().empty() ? "a message went wrong" : world_->wrong());
        const std::uint64_t key = hash();
        if (!seen_.add(key))
            return true;
        ++states_;
        const bool at_rest = !any();
        push(actor);
        sent_away_ = std::max(sent_away_, world_->total(Counter::bounces));
        if (!at_rest && (key >> 8) % options->rest_of != 0)
            return true;
        ++ends_;
        if (!comes_to_the_end())
            return tell(actor, "the programs never end from here");
        return true;
    }

    /// All but time.
    std::optional<unsigned> any() const {
        for (unsigned actor = 0; actor < world_->clock_actor(); ++actor)
            if (world_->enabled(actor))
                return actor;
        return {};
    }
    std::optional<unsigned> next_of(Place& place) {
        for (; place.next < world_->clock_actor(); ++place.next)
            if (world_->enabled(place.next))
                return place.next++;
        return {};
    }
    void act(unsigned actor) {
        Region::open = true;
        world_->act(actor);
        Region::open = false;
    }
    bool check() const { return world_->wrong().empty() && !tale->wrong; }

    bool comes_to_the_end() {
        constexpr unsigned kEventsMax = 100'000;
        for (unsigned event = 0; event < kEventsMax && check(); ++event) {
            std::optional<unsigned> actor = any();
            if (!actor && tale->open == 0)
                return true;
            if (!actor && world_->enabled(world_->clock_actor()))
                actor = world_->clock_actor();
            if (!actor)
                return false;
            act(*actor);
        }
        return false;
    }

    std::uint64_t hash() const {
        Hash hash;
        world_->state([&hash](std::span<const std::byte> part) { hash.add(part); });
        hash.add(std::as_bytes(std::span{tale->taken}));
        return hash.sum();
    }
    void push(unsigned last = 0) {
        if (depth_ == path_.size())
            path_.emplace_back();
        Place& place = path_[depth_++];
        const auto used = Region::used();
        place.state.assign(used.begin(), used.end());
        place.next = 0;
        place.last = last;
    }
    static void restore(const std::vector<std::byte>& state) {
        std::memcpy(Region::used().data(), state.data(), state.size());
    }

    /// Goes the way again, to name what happened.
    bool tell(unsigned last, const std::string& wrong) {
        fmt::print("BROKEN: {}\n", wrong);
        std::vector<unsigned> actors;
        for (std::size_t place = 1; place < depth_; ++place)
            actors.push_back(path_[place].last);
        if (actors.empty() || actors.back() != last)
            actors.push_back(last);
        restore(path_.front().state);
        for (const unsigned actor : actors) {
            fmt::print("  {}\n", world_->name(actor));
            act(actor);
        }
        for (unsigned node = 0; node < world_->nodes(); ++node)
            fmt::print("{}\n", world_->packets_of(node));
        return false;
    }

    soak::World* world_;
    Seen seen_;
    std::vector<Place> path_; // of which depth_ count; the others keep their memory
    std::size_t depth_ = 0, states_ = 1;
    std::uint64_t events_ = 0, ends_ = 0, sent_away_ = 0;
};

} // namespace
} // namespace mesh::model

// The region's own ----------------------------------------------------------------------------

using mesh::model::Region;

void* operator new(std::size_t bytes) {
    void* const slab = Region::open ? Region::get(bytes, Region::kUnit) : std::malloc(bytes);
    return slab != nullptr ? slab : throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    const auto align = static_cast<std::size_t>(alignment);
    void* const slab = Region::open
                           ? Region::get(bytes, align)
                           : std::aligned_alloc(align, (bytes + align - 1) / align * align);
    return slab != nullptr ? slab : throw std::bad_alloc();
}
void operator delete(void* slab) noexcept {
    if (Region::has(slab))
        Region::put(slab);
    else
        std::free(slab);
}
void operator delete(void* slab, std::size_t) noexcept { operator delete(slab); }
void operator delete(void* slab, std::align_val_t) noexcept { operator delete(slab); }
void operator delete(void* slab, std::size_t, std::align_val_t) noexcept { operator delete(slab); }

int main(int count, char** words) {
    using namespace mesh::model;
    CLI::App app{"Goes through the states of whole kernels that storm each other."};
    Options given;
    std::string network;
    std::vector<std::string> goals;
    app.add_option("--network", network, "NAME:DIM");
    app.add_option("--goals", goals, "FROM:TO of each message")->delimiter(',');
    app.add_option("--buffers", given.buffers, "of each node");
    app.add_option("--states", given.states, "at most");
    app.add_option("--rest-of", given.rest_of, "states of which one is let come to the end")
        ->check(CLI::PositiveNumber);
    try {
        app.parse(count, words);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    if (!network.empty() && !mesh::soak::read_network(network, given.network)) {
        fmt::print(stderr, "--network {}: cube, uhc or star and a dimension up to 4\n", network);
        return 2;
    }
    if (!goals.empty())
        given.goals.clear();
    for (const std::string& goal : goals) {
        Goal one{};
        char rest = 0;
        if (std::sscanf(goal.c_str(), "%u:%u%c", &one.from, &one.to, &rest) != 2 ||
            std::max(one.from, one.to) >= mesh::node_count(given.network)) {
            fmt::print(stderr, "--goals {}: FROM:TO, two nodes of the network\n", goal);
            return 2;
        }
        given.goals.push_back(one);
    }
    options = &given;
    return Explorer{}.run() ? 0 : 1;
}
