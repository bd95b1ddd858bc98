#include "turns.hpp"

#include <utility>
#include <vector>

namespace mesh::host {

Turns::Turns(Order& order, std::function<void(NodeId)> wake)
    : order_(order),
      wake_(std::move(wake)) {}

bool Turns::holds(const Turn& turn) {
    if (!order_.has_begun())
        return false;
    if (going_ == turn) {
        going_.reset();
        return false;
    }
    ready_.insert(turn);
    return true;
}

// A process that was chosen and has ended meanwhile with the operation that it was part of is never
// asked for: its turn is over at once.
bool Turns::go_on() {
    going_.reset();
    if (ready_.empty())
        return false;
    const std::vector<Turn> ready(ready_.begin(), ready_.end());
    going_ = ready[order_.next_of(ready)];
    ready_.erase(*going_);
    last_ = going_->node;
    wake_(going_->node);
    return true;
}

} // namespace mesh::host
