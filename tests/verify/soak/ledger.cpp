#include "ledger.hpp"

#include "core/network.hpp"

#include <algorithm>

namespace mesh::soak {

void Ledger::note_hit(unsigned node, unsigned port) {
    if (const auto peer = world_.peer(node, port))
        cables_hit_.insert(std::minmax(node, *peer));
}

bool Ledger::cut_off() const {
    const std::size_t hit = nodes_hit_.size() + cables_hit_.size();
    return hit >= path_count(world_.network()) || (slow_ && hit != 0);
}

bool Ledger::parted(NodeId one, NodeId other) const {
    return is_odd(one) || is_odd(other) || cut_off();
}

bool Ledger::disturbed() const {
    return ends_ != 0 || !nodes_hit_.empty() || !cables_hit_.empty() ||
           world_.total(Counter::links_dead) != 0;
}

void Ledger::begin_sending(unsigned part, NodeId node) {
    senders_.push_back({part, index(node), world_.life(index(node)), true});
}

void Ledger::end_sending(unsigned part, NodeId node) {
    for (Sender& sender : senders_)
        if (sender.part == part && sender.node == index(node) &&
            sender.life == world_.life(sender.node))
            sender.sends = false;
}

bool Ledger::settled(unsigned part) const {
    return std::ranges::none_of(senders_, [this, part](const Sender& sender) {
        return sender.part == part && sender.sends && world_.alive(sender.node) &&
               world_.life(sender.node) == sender.life;
    });
}

std::uint32_t Ledger::note_add_begun(NodeId target) {
    Adds& adds = adds_[index(target)];
    ++adds.begun;
    return adds.next;
}

bool Ledger::note_ticket(NodeId target, std::uint32_t ticket, std::uint32_t least) {
    Adds& adds = adds_[index(target)];
    ++adds.told;
    adds.next = std::max(adds.next, ticket + 1);
    return is_odd(target) || (tickets_.emplace(index(target), ticket).second && ticket >= least);
}

bool Ledger::counted(NodeId target, std::uint32_t count) const {
    const auto adds = adds_.find(index(target));
    return adds == adds_.end() ? count == 0
                               : adds->second.told <= count && count <= adds->second.begun;
}

// Parts of a mesh that do not reach each other agree on themselves; who dies may have known more.
bool Ledger::disagree() const {
    for (const Answer& one : agreed_)
        for (const Answer& other : agreed_)
            if (one.part == other.part && one.round == other.round && !cut_off() &&
                !is_odd(one.node) && !is_odd(other.node) &&
                (one.flags != other.flags || one.left != other.left))
                return true;
    return false;
}

} // namespace mesh::soak
