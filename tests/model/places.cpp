// Writes the places that packets of some kinds can be in, for admission.m.
//
//   places TOPOLOGY DIM BUFFERS RESERVE PACKETS KIND...
//
// BUFFERS: of each node, RESERVE: those of them that are set aside for offers, PACKETS: what is in
// the network at most when another one begins. Kinds:
//   RULE[:ROOT]           single packets; of every node, or of the root's trees
//   unicast               to every other node
//   ask[:FROM:TO]         a question and its answer; of all to all others
//   message[:FROM:TO[:N]] an offer and N (1) fragments, each of which is answered by `taken`
//   word[:FROM:TO]        a word for which nobody waits
// Where packets go is asked of the routing functions that the firmware runs.
#include "core/network.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int kGone = -1;

/// A copy that has still to leave: the place it comes to, the links it may cross from there, and
/// the longest way back of what it becomes.
struct Copy {
    unsigned node = 0; // where that is
    int place = kGone;
    unsigned links = 0;
    unsigned back = 0;

    auto operator<=>(const Copy&) const = default;
};

/// The contents of a place, and the thing that it waits for beside its copies.
enum class Waits : std::uint8_t {
    nothing, // for its copies alone
    kernel,  // a packet, for the kernel, who turns it
    prompt,  // a packet, for a process that takes it in any case
    patient, // a packet, for the kernel, who puts it into the reserve or sends it away
    reserve, // a packet in the reserve, for a process, which may leave it there
    start,   // no packet, until it may start
    call,    // no packet: a bit, until there is room in the reserve and the call may start
};
constexpr const char* kWaits = "nothing_else, for_kernel, for_prompt, for_room, for_process, "
                               "for_start, for_call";

/// Packets for which the same is still to come are in the same place.
struct Place {
    unsigned node = 0;
    bool reserved = false;
    std::vector<Copy> copies = {}; // ascending
    Waits waits = Waits::nothing;
    int next = kGone;   // what it becomes then
    int away = kGone;   // what it becomes if there is no room for it
    unsigned bound = 0; // of a packet where it starts, or of the one that is to start; else 0

    auto operator<=>(const Place&) const = default;
    bool gone() const { return waits == Waits::nothing && copies.empty(); }
    Place without(std::size_t copy) const {
        Place rest = *this;
        rest.bound = 0;
        rest.copies.erase(rest.copies.begin() + static_cast<std::ptrdiff_t>(copy));
        return rest;
    }
    Place consumed() const {
        Place rest = *this;
        rest.bound = 0;
        rest.waits = Waits::nothing;
        rest.next = kGone;
        return rest;
    }
};

/// The place of a packet where it is delivered, without its node and its copies.
using Goal = Place;

class Places {
public:
    explicit Places(mesh::Network network)
        : network_(network),
          longest_(mesh::height(network, mesh::Rule::unicast)) {}

    /// Packets that stand for themselves; processes take them.
    void single(const mesh::Envelope& envelope) {
        const unsigned height = mesh::height(network_, envelope.rule);
        const Goal goal{.waits = Waits::prompt};
        const int place =
            arrive(mesh::index(envelope.source), mesh::kNoPort, envelope, height, 0, goal);
        if (place == kGone)
            return;
        begins_.insert(place);
        places_[static_cast<std::size_t>(place)].bound = height;
    }
    /// A word for which nobody waits.
    void word(unsigned from, unsigned to) { begins_.insert(leaves(from, to, 0, {})); }
    void ask(unsigned from, unsigned to) {
        const int answer = leaves(to, from, 0, {});
        const int question = leaves(from, to, longest_, {.waits = Waits::kernel, .next = answer});
        begins_.insert(state(from, Waits::start, question, 2 * longest_));
    }
    /// An offer, which may be sent away and called again, then fragments.
    void message(unsigned from, unsigned to, unsigned fragments) {
        int rest = kGone;
        for (unsigned number = 0; number < fragments; ++number) {
            const int taken = leaves(to, from, 0, read_at(rest));
            const int fragment =
                leaves(from, to, longest_, {.waits = Waits::prompt, .next = taken});
            rest = state(from, Waits::start, fragment, 2 * longest_);
        }
        const int wanted = state(from, Waits::start, kGone, 2 * longest_);
        const int call = leaves(to, from, 0, read_at(wanted));
        const int away = state(to, Waits::call, call, longest_);
        const int taken = leaves(to, from, 0, read_at(rest), true);
        const int kept =
            number({.node = to, .reserved = true, .waits = Waits::reserve, .next = taken});
        places_[static_cast<std::size_t>(wanted)].next =
            leaves(from, to, longest_, {.waits = Waits::patient, .next = kept, .away = away});
        begins_.insert(wanted);
    }
    void print(unsigned buffers, unsigned reserve, unsigned packets) const;

private:
    /// The kernel reads a word when it comes: nothing is left but what that brings about.
    static Goal read_at(int next) { return {.next = next}; }

    int state(unsigned node, Waits waits, int next, unsigned bound) {
        places_.push_back({.node = node, .waits = waits, .next = next, .bound = bound});
        return static_cast<int>(places_.size()) - 1;
    }
    /// A packet of the node `from`, in a buffer of its own or in that of what it answers.
    int leaves(unsigned from, unsigned to, unsigned back, const Goal& goal, bool reserved = false) {
        const mesh::Envelope envelope{.rule = mesh::Rule::unicast,
                                      .source = mesh::node_at(from),
                                      .destination = mesh::node_at(to)};
        const int place = arrive(from, mesh::kNoPort, envelope, longest_, back, goal, reserved);
        places_[static_cast<std::size_t>(place)].bound = longest_ + back;
        return place;
    }
    int arrive(unsigned node, mesh::Port port, mesh::Envelope envelope, unsigned links,
               unsigned back, const Goal& goal, bool reserved = false) {
        const mesh::Route route = mesh::route(network_, mesh::node_at(node), port, envelope);
        if (route.deliver && goal.waits == Waits::nothing)
            return goal.next;
        Place place;
        if (route.deliver)
            place = goal;
        place.node = node;
        place.reserved = reserved;
        for (mesh::PortSequence ports = route.ports; !ports.empty();) {
            const mesh::Port out = ports.pop();
            if (links == 0)
                throw std::logic_error("a packet crosses more links than its rule is high");
            envelope.tag = route.tags.at(out);
            const mesh::NodeId next = mesh::neighbor(network_, mesh::node_at(node), out);
            const int arrival = arrive(mesh::index(next), out, envelope, links - 1, back, goal);
            place.copies.push_back({mesh::index(next), arrival, links - 1, back});
        }
        std::sort(place.copies.begin(), place.copies.end());
        return number(place);
    }
    /// Numbers the place and those that follow from it here.
    int number(const Place& place) {
        if (place.gone())
            return kGone;
        for (std::size_t copy = 0; copy < place.copies.size(); ++copy)
            number(place.without(copy));
        if (place.waits == Waits::prompt && place.next == kGone)
            number(place.consumed());
        const auto [found, is_new] = numbers_.try_emplace(place, static_cast<int>(places_.size()));
        if (is_new)
            places_.push_back(place);
        return found->second;
    }
    std::string name(int place) const { return place == kGone ? "GONE" : fmt::format("{}", place); }
    std::string name(const Place& place) const {
        return name(place.gone() ? kGone : numbers_.at(place));
    }
    /// The name of the place that it becomes when its wait has ended.
    std::string name_of_next(const Place& place) const {
        return place.waits == Waits::prompt && place.next == kGone ? name(place.consumed())
                                                                   : name(place.next);
    }

    mesh::Network network_;
    unsigned longest_; // way of words, questions and messages
    std::vector<Place> places_;
    std::map<Place, int> numbers_;
    std::set<int> begins_;
};

/// A function of 0 .. count-1, as a switch.
template <class Value>
void print_function(std::string_view head, std::size_t count, Value value) {
    fmt::print("function {};\nbegin\n  switch x\n", head);
    for (std::size_t x = 0; x < count; ++x)
        fmt::print("  case {}: return {};\n", x, value(x));
    fmt::print("  end;\nend;\n");
}

void Places::print(unsigned buffers, unsigned reserve, unsigned packets) const {
    struct Leaving {
        std::size_t from;
        std::size_t copy;
    };
    std::vector<Leaving> copies;
    unsigned longest = 0;
    for (std::size_t place = 0; place < places_.size(); ++place) {
        longest = std::max(longest, places_[place].bound);
        for (std::size_t copy = 0; copy < places_[place].copies.size(); ++copy)
            copies.push_back({place, copy});
    }
    fmt::print("const NODES: {}; BUFFERS: {}; RESERVE: {}; PACKETS: {}; LONGEST: {}; GONE: {};\n"
               "type node: 0 .. NODES - 1; place: 0 .. GONE - 1; place_or_gone: 0 .. GONE;\n"
               "  copy: 0 .. {}; links: 0 .. LONGEST; buffers: 0 .. BUFFERS;\n"
               "  waiting: enum {{ {} }};\n",
               mesh::node_count(network_), buffers, reserve, packets, longest, places_.size(),
               copies.size() - 1, kWaits);
    std::vector<std::string_view> words;
    for (std::string_view rest = kWaits; !rest.empty();) {
        const std::size_t end = std::min(rest.find(", "), rest.size());
        words.push_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 2, rest.size()));
    }
    const auto of = [&](std::size_t copy) {
        return places_[copies[copy].from].copies[copies[copy].copy];
    };
    const auto is_state = [](const Place& place) {
        return place.waits == Waits::start || place.waits == Waits::call;
    };
    const std::size_t count = places_.size();
    print_function("at(x: place): node", count, [&](std::size_t p) { return places_[p].node; });
    print_function("is_packet(x: place): boolean", count,
                   [&](std::size_t p) { return !is_state(places_[p]); });
    print_function("is_reserved(x: place): boolean", count,
                   [&](std::size_t p) { return places_[p].reserved; });
    print_function("begins(x: place): boolean", count,
                   [&](std::size_t p) { return begins_.contains(static_cast<int>(p)); });
    print_function("waits(x: place): waiting", count, [&](std::size_t p) {
        return words.at(static_cast<std::size_t>(places_[p].waits));
    });
    print_function("bound(x: place): links", count,
                   [&](std::size_t p) { return places_[p].bound; });
    print_function("next(x: place): place_or_gone", count,
                   [&](std::size_t p) { return name_of_next(places_[p]); });
    print_function("away(x: place): place_or_gone", count,
                   [&](std::size_t p) { return name(places_[p].away); });
    print_function("waits_in(x: copy): place", copies.size(),
                   [&](std::size_t c) { return copies[c].from; });
    print_function("goes_to(x: copy): node", copies.size(),
                   [&](std::size_t c) { return of(c).node; });
    print_function("arrival(x: copy): place_or_gone", copies.size(),
                   [&](std::size_t c) { return name(of(c).place); });
    print_function("links_left(x: copy): links", copies.size(),
                   [&](std::size_t c) { return of(c).links; });
    print_function("way_back(x: copy): links", copies.size(),
                   [&](std::size_t c) { return of(c).back; });
    print_function("without(x: copy): place_or_gone", copies.size(), [&](std::size_t c) {
        return name(places_[copies[c].from].without(copies[c].copy));
    });
}

unsigned number_of(std::string_view word) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size())
        throw std::invalid_argument(fmt::format("'{}' is not a number", word));
    return value;
}

std::vector<std::string_view> split(std::string_view word) {
    std::vector<std::string_view> parts;
    for (std::size_t end = 0; end != word.npos; word.remove_prefix(end + 1)) {
        end = word.find(':');
        parts.push_back(word.substr(0, end));
        if (end == word.npos)
            break;
    }
    return parts;
}

/// Those of one node to another; false if `parts` names another kind.
bool add_pairs(Places& places, unsigned nodes, const std::vector<std::string_view>& parts) {
    if (parts[0] != "ask" && parts[0] != "message" && parts[0] != "word")
        return false;
    for (unsigned from = 0; from < nodes; ++from) {
        for (unsigned to = 0; to < nodes; ++to) {
            const bool meant =
                parts.size() < 3 || (number_of(parts[1]) == from && number_of(parts[2]) == to);
            if (from == to || !meant)
                continue;
            if (parts[0] == "ask")
                places.ask(from, to);
            else if (parts[0] == "message")
                places.message(from, to, parts.size() < 4 ? 1 : number_of(parts[3]));
            else
                places.word(from, to);
        }
    }
    return true;
}

void add(Places& places, mesh::Network network, std::string_view word) {
    const unsigned nodes = mesh::node_count(network);
    const std::vector<std::string_view> parts = split(word);
    if (add_pairs(places, nodes, parts))
        return;
    const auto rule = parts[0] == "unicast" ? mesh::Rule::unicast
                                            : mesh::rule_by_name(network.topology, parts[0]);
    if (!rule || mesh::height(network, *rule) == 0)
        throw std::invalid_argument(fmt::format("'{}': the network has no such rule", word));
    const bool one_root = parts.size() > 1;
    const unsigned first = one_root ? number_of(parts[1]) : 0;
    for (unsigned root = first; root < (one_root ? first + 1 : nodes); ++root) {
        mesh::Envelope envelope{.rule = *rule, .source = mesh::node_at(root)};
        if (*rule == mesh::Rule::unicast) {
            for (unsigned to = 0; to < nodes; ++to) {
                envelope.destination = mesh::node_at(to);
                places.single(envelope);
            }
            continue;
        }
        for (unsigned tree = 0; tree < mesh::subtree_count(network, *rule); ++tree) {
            envelope.subtree =
                static_cast<std::uint8_t>(mesh::first_subtree(network, *rule) + tree);
            places.single(envelope);
        }
    }
}

} // namespace

int main(int count, char** words) {
    if (count < 7) {
        fmt::print(stderr, "places TOPOLOGY DIM BUFFERS RESERVE PACKETS KIND...\n");
        return 2;
    }
    try {
        const std::string_view topology = words[1];
        mesh::Network network;
        network.topology = topology == "star"  ? mesh::Topology::star
                           : topology == "uhc" ? mesh::Topology::uhc
                                               : mesh::Topology::cube;
        network.dim = static_cast<std::uint8_t>(number_of(words[2]));
        Places places(network);
        for (int word = 6; word < count; ++word)
            add(places, network, words[word]);
        places.print(number_of(words[3]), number_of(words[4]), number_of(words[5]));
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "places: {}\n", error.what());
        return 2;
    }
}
