#include "collectives/await.hpp"

namespace mesh {

bool Search::look_for_next(bool first) {
    Subject subject;
    look_.reset();
    if (!choose(first, subject))
        return false;
    look_.emplace(kernel_, subject.node, label_.match(), subject.path).ask_now();
    return true;
}

bool Search::go_on() {
    for (;;) {
        while (look_) {
            if (!look_->over())
                return false;
            found(look_->status());
            look_for_next(false);
        }
        if (is_over())
            return true;
        if (!std::exchange(listens_, true)) {
            heard_ = heard();
            watch_.listen();
        }
        if (heard_ == heard() && !watch_.over())
            return false;
        listens_ = false;
        if (watch_.tired())
            look_for_next(true);
    }
}

} // namespace mesh
