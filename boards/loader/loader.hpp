// The loader of a node: takes a load from its parent, passes it on to its children while it comes,
// checks it, and ends when its image is to be started. See wire/load.hpp.
//
// It knows only messages since its reset: after a reset it says by all ports that it has nothing,
// and gets the load again from its parent, the only node that heeds that. So a reset at any moment
// makes no circle of nodes that are each other's parents: who a child is, only the tree says.
//
// On a board with flash it keeps an image there that has a version, and boots it when no parent
// says a word. An image is kept from the moment on at which the word to start comes, so it is kept
// everywhere or, if a node refuses it, nowhere; a power cut at that moment may leave some nodes
// with the image of before.
#pragma once

#include "hal/flash.hpp"
#include "onecable/image_store.hpp"
#include "wire/load.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace mesh::board {

/// `Ports`: as those of boards/loader/KIND. `Flash`: hal::NullFlash if the board has none.
template <class Ports, hal::HasFlash Flash>
class Loader {
public:
    /// `room`: where a load goes. An image begins kLoadNodesMax behind its beginning, with the tree
    /// in front of it. `ports`: what those are made of.
    template <class... Parts>
    explicit Loader(std::span<std::byte> room, Parts&&... ports)
        : ports_(std::forward<Parts>(ports)...),
          room_(room) {
        for (unsigned port = 0; port < kPorts; ++port)
            (void)send(port_at(port), {});
    }
    /// Until there is an image to start: one that came, and this part of the tree knows, or the one
    /// in flash.
    void run() {
        while (!look())
            ports_.wait();
    }
    /// Takes what has come, and sends what is due. True: there is an image to start.
    bool look();

private:
    static constexpr unsigned kPorts = Ports::kPorts;
    static constexpr bool kHasFlash = !std::same_as<Flash, hal::NullFlash>;
    /// The wait after a parent's last message, which the parent repeats if the answer was lost.
    static constexpr std::uint32_t kLingerUs = 10 * wire::kStartAgainUs;

    /// The record of the child at a port.
    struct Child {
        std::uint16_t place = wire::kNoPlace;     // in the tree; kNoPlace: there is none
        std::uint16_t waits_for = wire::kNoPlace; // of its part of the tree
        std::uint8_t depth = 0;                   // of that
        bool goes_on = true;                      // since something was sent to it
        std::uint32_t has = 0;                    // bytes
        std::uint32_t sent_at_us = 0;
    };

    bool has_tree() const { return load_.nodes != 0 && have_ >= load_.nodes; }
    bool whole() const {
        return load_.image_bytes != 0 && have_ == load_.nodes + load_.image_bytes;
    }
    bool refuses() const { return refuser_ != wire::kNoPlace; }
    /// Its parent is silent. The loader then stops answering its children, so they become orphans
    /// as well, and the whole subtree of a load that was broken off accepts another one.
    bool is_orphan() const {
        return parent_ == kNoPort || ports_.now_us() - heard_at_us_ >= wire::kLoadOrphanUs;
    }
    StoredImage image() const { return {load_.image_bytes, load_.image_crc, load_.version}; }
    /// The bytes of the load that is known.
    std::span<std::byte> bytes() const {
        return room_.subspan(wire::kLoadNodesMax - load_.nodes, load_.nodes + load_.image_bytes);
    }
    bool find_children();
    void look_at_children();

    void on_message(Port port, std::span<const std::byte> message);
    void on_block(Port port, const wire::LoadHeader& header, std::span<const std::byte> block);
    void take(std::span<const std::byte> block);
    void on_answer(Child& child, const wire::LoadHeader& header);
    void begin_load();
    void begin_start();

    bool boots();
    void begin_to_keep();
    void refuse(std::uint32_t why);

    /// Forgets the messages of a child from before its reset, or about another load or earlier
    /// work.
    static void forget(Child& child) { child = {.place = child.place, .waits_for = child.place}; }
    void send_all();
    bool due(const Child& child) const;
    void send_to(unsigned port);
    bool send(Port port, wire::LoadHeader header, std::span<const std::byte> block = {});

    Ports ports_;
    Flash flash_;
    ImageStore<Flash> store_{flash_};
    std::span<std::byte> room_;
    Port parent_ = kNoPort;
    std::uint16_t place_ = wire::kNoPlace;
    wire::Load load_;
    std::uint32_t have_ = 0;                   // bytes of it
    bool keeps_ = false;                       // its image goes to flash while it comes
    std::uint16_t refuser_ = wire::kNoPlace;   // it does not keep the image
    std::uint32_t refusal_ = 0;                // see LoadTag::refused
    std::uint16_t waits_for_ = wire::kNoPlace; // of this part of the tree
    std::uint8_t depth_ = 0;                   // of that
    bool answers_ = false;                     // to the parent, as soon as that port is ready
    bool starting_ = false;
    std::uint32_t told_at_us_ = 0;  // to start, by the parent
    std::uint32_t heard_at_us_ = 0; // the last word of the parent
    std::array<Child, kPorts> children_{};
};

template <class Ports, hal::HasFlash Flash>
bool Loader<Ports, Flash>::look() {
    if (boots())
        return true;
    Port port = kNoPort;
    for (std::span<const std::byte> message; ports_.receive(port, message);)
        on_message(port, message);
    if (parent_ != kNoPort)
        send_all();
    return starting_ && waits_for_ == wire::kNoPlace && ports_.now_us() - told_at_us_ >= kLingerUs;
}

// --- flash ---

/// No parent has said a word for too long, and the image of the flash is in its place.
template <class Ports, hal::HasFlash Flash>
bool Loader<Ports, Flash>::boots() {
    if constexpr (kHasFlash) {
        const std::uint32_t silent_us =
            parent_ == kNoPort ? wire::kLoadBootUs : wire::kLoadGivesUpUs;
        return ports_.now_us() - heard_at_us_ >= silent_us &&
               store_.load(room_.subspan(wire::kLoadNodesMax));
    }
    return false;
}

/// Judges an image that is to be kept, and makes room for it.
template <class Ports, hal::HasFlash Flash>
void Loader<Ports, Flash>::begin_to_keep() {
    keeps_ = false;
    refuser_ = wire::kNoPlace;
    if (load_.version == 0)
        return;
    if constexpr (kHasFlash) {
        if (store_.keeps(image()))
            return;
        if (const auto newest = store_.newest();
            newest && newest->version > load_.version && load_.older == 0)
            return refuse(newest->version);
        keeps_ = store_.begin(load_.image_bytes);
    }
    if (!keeps_)
        refuse(wire::kLoadNoRoom);
}

template <class Ports, hal::HasFlash Flash>
void Loader<Ports, Flash>::refuse(std::uint32_t why) {
    keeps_ = false;
    refuser_ = place_;
    refusal_ = why;
}

// --- receiving ---

template <class Ports, hal::HasFlash Flash>
void Loader<Ports, Flash>::on_message(Port port, std::span<const std::byte> message) {
    if (message.size() < sizeof(wire::LoadHeader) || (index(port) >= kPorts && port != kHostPort))
        return;
    const auto header = wire::load<wire::LoadHeader>(message, 0);
    const auto block = message.subspan(sizeof header);
    if (header.checksum != wire::load_checksum(header, block))
        return;
    if (header.tag == wire::LoadTag::block) {
        on_block(port, header, block);
    } else if (header.tag == wire::LoadTag::start) {
        if (port == parent_ && header.load == load_)
            begin_start();
    } else if (header.tag >= wire::LoadTag::have && port != kHostPort &&
               children_[index(port)].place != wire::kNoPlace) {
        on_answer(children_[index(port)], header);
    }
    look_at_children();
}

template <class Ports, hal::HasFlash Flash>
void Loader<Ports, Flash>::on_block(Port port, const wire::LoadHeader& header,
                                    std::span<const std::byte> block) {
    const wire::Load& load = header.load;
    if (((parent_ != port || starting_) && !is_orphan()) || header.place >= load.nodes ||
        load.nodes > wire::kLoadNodesMax || load.image_bytes > room_.size() - wire::kLoadNodesMax ||
        block.size() > load.nodes + load.image_bytes ||
        header.position > load.nodes + load.image_bytes - block.size())
        return;
    if (starting_ || port != parent_ || header.place != place_ || load != load_) {
        parent_ = port;
        place_ = header.place;
        load_ = load;
        begin_load();
    }
    answers_ = true;
    heard_at_us_ = ports_.now_us();
    if (!refuses() && header.position == have_ && !block.empty())
        take(block);
}

template <class Ports, hal::HasFlash Flash>
void Loader<Ports, Flash>::begin_load() {
    have_ = 0;
    children_ = {};
    starting_ = false;
    begin_to_keep();
}

/// Takes the next block of the load.
template <class Ports, hal::HasFlash Flash>
void Loader<Ports, Flash>::take(std::span<const std::byte> block) {
    const bool had_tree = has_tree();
    std::copy(block.begin(), block.end(), &bytes()[have_]);
    have_ += block.size();
    if ((has_tree() && !had_tree && !find_children()) ||
        (whole() && wire::crc32(bytes()) != load_.crc))
        begin_load();
    else if (kHasFlash && keeps_ && had_tree &&
             (!store_.append(block) || (whole() && !store_.has_come(image()))))
        refuse(wire::kLoadFailed);
}

/// False: one of them is at a port that there is not.
template <class Ports, hal::HasFlash Flash>
bool Loader<Ports, Flash>::find_children() {
    const auto tree = bytes().first(load_.nodes);
    const unsigned depth = wire::load_depth(tree[place_]);
    for (unsigned place = place_ + 1u; place < tree.size() && wire::load_depth(tree[place]) > depth;
         ++place) {
        if (wire::load_depth(tree[place]) != depth + 1)
            continue;
        const unsigned port = wire::load_port(tree[place]);
        if (port >= kPorts)
            return false;
        children_[port].place = static_cast<std::uint16_t>(place);
        forget(children_[port]);
    }
    return true;
}

template <class Ports, hal::HasFlash Flash>
void Loader<Ports, Flash>::on_answer(Child& child, const wire::LoadHeader& header) {
    if (header.load != load_) {
        forget(child);
    } else if (header.tag == wire::LoadTag::refused) {
        refuser_ = header.place;
        refusal_ = header.position;
        answers_ = true;
    } else if ((header.tag == wire::LoadTag::started) == starting_) {
        child.goes_on = child.goes_on || child.has != header.position;
        child.has = header.position;
        child.waits_for = header.place;
        child.depth = header.depth;
    }
}

template <class Ports, hal::HasFlash Flash>
void Loader<Ports, Flash>::begin_start() {
    heard_at_us_ = ports_.now_us();
    if (!whole() || refuses())
        return;
    if (kHasFlash && std::exchange(keeps_, false) && !store_.finish(image()))
        return refuse(wire::kLoadFailed);
    if (!starting_)
        for (Child& child : children_)
            forget(child);
    starting_ = true;
    answers_ = true;
    told_at_us_ = ports_.now_us();
}

/// Finds the node of this part of the tree that is waited for; tells the parent if it is another
/// one.
template <class Ports, hal::HasFlash Flash>
void Loader<Ports, Flash>::look_at_children() {
    std::uint16_t waits_for = whole() ? wire::kNoPlace : place_;
    depth_ = 0;
    for (const Child& child : children_) {
        if (child.place == wire::kNoPlace)
            continue;
        depth_ = std::max<std::uint8_t>(depth_, child.depth + 1);
        if (whole() && child.waits_for != wire::kNoPlace)
            waits_for = child.waits_for;
    }
    answers_ = answers_ || waits_for != waits_for_;
    waits_for_ = waits_for;
}

// --- sending ---

template <class Ports, hal::HasFlash Flash>
void Loader<Ports, Flash>::send_all() {
    if (answers_ && refuses())
        answers_ = !send(parent_,
                         {.tag = wire::LoadTag::refused, .place = refuser_, .position = refusal_});
    if (answers_)
        answers_ = !send(parent_, {.tag = starting_ ? wire::LoadTag::started : wire::LoadTag::have,
                                   .depth = depth_,
                                   .place = waits_for_,
                                   .position = have_});
    for (unsigned port = 0; port < kPorts; ++port)
        if (due(children_[port]))
            send_to(port);
}

/// True if there is something new for the child, or it was sent nothing for some time. Never for
/// an orphan's.
template <class Ports, hal::HasFlash Flash>
bool Loader<Ports, Flash>::due(const Child& child) const {
    if (child.place == wire::kNoPlace || is_orphan())
        return false;
    const bool wants = starting_ ? child.waits_for != wire::kNoPlace : child.has < have_;
    const std::uint32_t again_us = starting_ ? wire::kStartAgainUs : wire::kLoadAgainUs;
    return (wants && child.goes_on) ||
           ((wants || !starting_) && ports_.now_us() - child.sent_at_us >= again_us);
}

template <class Ports, hal::HasFlash Flash>
void Loader<Ports, Flash>::send_to(unsigned port) {
    Child& child = children_[port];
    const std::uint32_t position = std::min(child.has, have_);
    std::span<const std::byte> block;
    if (!starting_)
        block = wire::load_block(bytes().first(have_), load_.nodes, position);
    if (!send(port_at(port),
              {.tag = starting_ ? wire::LoadTag::start : wire::LoadTag::block,
               .place = child.place,
               .position = position},
              block))
        return;
    child.goes_on = false;
    child.sent_at_us = ports_.now_us();
}

/// False: the port is not ready.
template <class Ports, hal::HasFlash Flash>
bool Loader<Ports, Flash>::send(Port port, wire::LoadHeader header,
                                std::span<const std::byte> block) {
    if (!ports_.ready(port))
        return false;
    header.load = load_;
    header.checksum = wire::load_checksum(header, block);
    ports_.send(port, header, block);
    return true;
}

} // namespace mesh::board
