// Writes the places that packets of some rules can be in, for admission.m.
//
//   places TOPOLOGY DIM BUFFERS PACKETS RULE[:ROOT]...
//
// BUFFERS: of each node, PACKETS: in the network at most when another starts. A rule without a root
// has packets of every node; `unicast` goes to every other node. Where packets go is asked of the
// routing functions that the firmware runs.
#include "core/network.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <compare>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// A copy that has still to leave: the place it comes to, and the links it may cross from there.
struct Copy {
    int place = 0;
    unsigned remaining = 0;

    auto operator<=>(const Copy&) const = default;
};

/// Packets for which the same is still to come are in the same place.
struct Place {
    unsigned node = 0;
    bool for_process = false;
    std::vector<Copy> copies; // ascending

    auto operator<=>(const Place&) const = default;
    bool gone() const { return !for_process && copies.empty(); }
    Place without(std::size_t copy) const {
        Place rest = *this;
        rest.copies.erase(rest.copies.begin() + static_cast<std::ptrdiff_t>(copy));
        return rest;
    }
    Place consumed() const {
        Place rest = *this;
        rest.for_process = false;
        return rest;
    }
};

constexpr int kGone = -1;

class Places {
public:
    explicit Places(mesh::Network network) : network_(network) {}

    void start(const mesh::Envelope& envelope) {
        const unsigned height = mesh::height(network_, envelope.rule);
        const int place = arrive(mesh::index(envelope.source), mesh::kNoPort, envelope, height);
        if (place != kGone)
            heights_[place] = height;
    }
    void print(unsigned buffers, unsigned packets) const;

private:
    int arrive(unsigned node, mesh::Port port, mesh::Envelope envelope, unsigned remaining) {
        const mesh::Route route = mesh::route(network_, mesh::node_at(node), port, envelope);
        Place place{node, route.deliver, {}};
        for (mesh::PortSequence ports = route.ports; !ports.empty();) {
            const mesh::Port out = ports.pop();
            if (remaining == 0)
                throw std::logic_error("a packet crosses more links than its rule is high");
            envelope.tag = route.tags.at(out);
            const mesh::NodeId next = mesh::neighbor(network_, mesh::node_at(node), out);
            place.copies.push_back(
                {arrive(mesh::index(next), out, envelope, remaining - 1), remaining - 1});
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
        if (place.for_process)
            number(place.consumed());
        const auto [found, is_new] = numbers_.try_emplace(place, static_cast<int>(places_.size()));
        if (is_new)
            places_.push_back(place);
        return found->second;
    }
    std::string name(const Place& place) const {
        return place.gone() ? "GONE" : fmt::format("{}", numbers_.at(place));
    }

    mesh::Network network_;
    std::vector<Place> places_;
    std::map<Place, int> numbers_;
    std::map<int, unsigned> heights_; // of the rules of packets that start there
};

/// A function of 0 .. count-1, as a switch.
template <class Value>
void print_function(std::string_view head, std::size_t count, Value value) {
    fmt::print("function {};\nbegin\n  switch x\n", head);
    for (std::size_t x = 0; x < count; ++x)
        fmt::print("  case {}: return {};\n", x, value(x));
    fmt::print("  end;\nend;\n");
}

void Places::print(unsigned buffers, unsigned packets) const {
    struct Leaving {
        std::size_t from;
        std::size_t copy;
    };
    std::vector<Leaving> copies;
    for (std::size_t place = 0; place < places_.size(); ++place)
        for (std::size_t copy = 0; copy < places_[place].copies.size(); ++copy)
            copies.push_back({place, copy});
    unsigned longest = 0;
    for (const auto& [place, height] : heights_)
        longest = std::max(longest, height);
    fmt::print("const NODES: {}; BUFFERS: {}; PACKETS: {}; LONGEST: {}; GONE: {};\n"
               "type node: 0 .. NODES - 1; place: 0 .. GONE - 1; place_or_gone: 0 .. GONE;\n"
               "  copy: 0 .. {}; links: 0 .. LONGEST; buffers: 0 .. BUFFERS;\n",
               mesh::node_count(network_), buffers, packets, longest, places_.size(),
               copies.size() - 1);
    const auto height = [&](std::size_t place) {
        const auto found = heights_.find(static_cast<int>(place));
        return found == heights_.end() ? 0 : found->second;
    };
    const auto of = [&](std::size_t copy) {
        return places_[copies[copy].from].copies[copies[copy].copy];
    };
    const std::size_t count = places_.size();
    print_function("at(x: place): node", count, [&](std::size_t p) { return places_[p].node; });
    print_function("starts(x: place): boolean", count,
                   [&](std::size_t p) { return height(p) != 0; });
    print_function("height(x: place): links", count, height);
    print_function("is_for_process(x: place): boolean", count,
                   [&](std::size_t p) { return places_[p].for_process; });
    print_function("consumed(x: place): place_or_gone", count,
                   [&](std::size_t p) { return name(places_[p].consumed()); });
    print_function("waits_in(x: copy): place", copies.size(),
                   [&](std::size_t c) { return copies[c].from; });
    print_function("arrival(x: copy): place", copies.size(),
                   [&](std::size_t c) { return of(c).place; });
    print_function("remaining(x: copy): links", copies.size(),
                   [&](std::size_t c) { return of(c).remaining; });
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

void start_all(Places& places, mesh::Network network, std::string_view word) {
    const std::size_t colon = word.find(':');
    const std::string_view name = word.substr(0, colon);
    const auto rule =
        name == "unicast" ? mesh::Rule::unicast : mesh::rule_by_name(network.topology, name);
    if (!rule || mesh::height(network, *rule) == 0)
        throw std::invalid_argument(fmt::format("'{}': the network has no such rule", word));
    const unsigned nodes = mesh::node_count(network);
    const bool one_root = colon != word.npos;
    const unsigned first = one_root ? number_of(word.substr(colon + 1)) : 0;
    for (unsigned root = first; root < (one_root ? first + 1 : nodes); ++root) {
        mesh::Envelope envelope{.rule = *rule, .source = mesh::node_at(root)};
        if (*rule == mesh::Rule::unicast) {
            for (unsigned to = 0; to < nodes; ++to) {
                envelope.destination = mesh::node_at(to);
                places.start(envelope);
            }
            continue;
        }
        for (unsigned tree = 0; tree < mesh::subtree_count(network, *rule); ++tree) {
            envelope.subtree =
                static_cast<std::uint8_t>(mesh::first_subtree(network, *rule) + tree);
            places.start(envelope);
        }
    }
}

} // namespace

int main(int count, char** words) {
    if (count < 6) {
        fmt::print(stderr, "places TOPOLOGY DIM BUFFERS PACKETS RULE[:ROOT]...\n");
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
        for (int word = 5; word < count; ++word)
            start_all(places, network, words[word]);
        places.print(number_of(words[3]), number_of(words[4]));
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "places: {}\n", error.what());
        return 2;
    }
}
