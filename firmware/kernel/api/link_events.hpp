// Events of a node's own links, for processes that wait for them: one is down, its peer was reset,
// it is up again.
//
//   LinkEvents events{node};
//   for (;;) {
//       const LinkEvent event = co_await events.next();        // or on(events) in an alt(), then
//       ...                                                    // events.next(), which is there
//   }
//
// Nothing is noted for it: each event is told from what a link knows anyway, its own number in
// sessions and the life that its peer says in a hello (ARCHITECTURE, "Sessions"). So an image whose
// program has no LinkEvents has no instruction for it.
#pragma once

#include "kernel/links/links.hpp"
#include "kernel/node/kernel.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace mesh {

/// An event of a link. The events of a port are `down`, perhaps `began_anew`, `up`, and so on.
struct LinkEvent {
    /// The kind of an event.
    enum class What : std::uint8_t {
        down,       // its session has ended: what was under way is lost
        began_anew, // the node at the other end was reset, once or more: it has forgotten all
        up,         // packets cross it again
    };
    Port port;
    What what;
};

/// The events of all links by which the node sends, from when this is made: a link that is dead by
/// then, or that is given up before it ever was up, is told as down. One that waits for its first
/// hello tells nothing, so nodes may get power one after the other. Of two resets, or two ends of a
/// session, in a row, the second may not be told apart from the first. Told as down and up only: a
/// reset that nobody has counted (wire::Identity::start; each 64th), and the first one of a peer
/// that this node had not met when this was made, if no process ran between meeting and reset.
/// Several LinkEvents do not disturb each other. For processes; not for interrupts.
class LinkEvents {
public:
    /// Notes the session of each link as it is now. `node` must outlive it.
    explicit LinkEvents(Kernel& node);

    /// `LinkEvent event = co_await events.next()`: the next event, which may have happened before.
    /// Of several ports the lowest comes first. Costs no model time.
    auto next();
    /// True if next() would not wait.
    bool look();

private:
    /// The state of a port after the event that was last told.
    struct Told {
        std::uint16_t number = 0; // of this end
        std::uint16_t life = 0;   // of the peer
        bool known = false;       // the peer
        bool down = false;
    };
    static std::optional<LinkEvent::What> news(const Link& link, Told& told);
    LinkEvent take();

    Kernel& node_;
    std::array<Told, kPortsMax> told_;
    std::optional<LinkEvent> event_; // that comes next, if it is known
};

/// For alt(): ready when there is an event.
struct LinkGuard {
    LinkEvents* events;
    bool ready(Kernel& /*kernel*/) const { return events->look(); }
    std::uint64_t wake() const { return wire::kNever; }
    void chosen(Kernel& /*kernel*/) const {}
};
/// Ready when `events` has an event to take. `events` must outlive the guard.
inline LinkGuard on(LinkEvents& events) { return {&events}; }

namespace detail {
struct LinkNews {
    LinkEvents* events;
    bool operator()() const { return events->look(); }
};
} // namespace detail

inline auto LinkEvents::next() {
    return detail::wait(node_, detail::LinkNews{this}, [this] { return take(); });
}

} // namespace mesh
