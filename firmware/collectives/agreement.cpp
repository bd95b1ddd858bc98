#include "collectives/agreement.hpp"

#include "collectives/await.hpp"

namespace mesh {

// Tags under way ----------------------------------------------------------------------------------

/// A tag of this node as long as this lives.
class TagInUse {
public:
    TagInUse(Kernel& kernel, Tag tag) : tag_(tag), first_(kernel.tags_in_use()), next_(first_) {
        for (const TagInUse* other = first_; other != nullptr; other = other->next_)
            refused_ = refused_ || other->tag_ == tag;
        first_ = this;
    }
    ~TagInUse() {
        TagInUse** at = &first_;
        while (*at != this)
            at = &(*at)->next_;
        *at = next_;
    }
    TagInUse(const TagInUse&) = delete;
    TagInUse& operator=(const TagInUse&) = delete;

    /// Another one has it already.
    bool refused() const { return refused_; }

private:
    Tag tag_;
    bool refused_ = false;
    TagInUse*& first_; // of the node
    TagInUse* next_;
};

Task<Status> alone(Kernel& kernel, Tag tag, Task<Status> collective) {
    const TagInUse use{kernel, tag};
    if (use.refused())
        co_return Status::tag_in_use;
    const Status status = co_await collective;
    co_return status;
}

// Plans -------------------------------------------------------------------------------------------

namespace {
/// Said by no other packet of a collective.
constexpr std::uint32_t kPlan = 0xFFFF'FFFD;
} // namespace

Agreement::Agreement(Kernel& kernel, Tag tag, std::uint32_t word, Status so_far)
    : Waiting(kernel.scheduler(),
              [](Waiting& self) { return static_cast<Agreement&>(self).go_on(); }),
      kernel_(kernel),
      header_{
          .tag = tag, .flags = wire::packet_flag::kTimeless, .message = kPlan, .total_bytes = word},
      status_(so_far) {
    if (so_far != Status::ok)
        header_.flags |= wire::packet_flag::kVoid;
}

bool Agreement::go_on() { return tell() && hear(); }

// False if the pool cannot start a word now.
bool Agreement::tell() {
    for (; told_ < kernel_.ports(); ++told_) {
        header_.destination = kernel_.neighbor(port_at(told_));
        if (!kernel_.try_post(header_, {}, 0, 0))
            return false;
    }
    return true;
}

// Takes the word of one neighbour after the other, and what had come of it before: that was of an
// earlier collective. Of one that says no word nothing is taken: a result may be there already.
bool Agreement::hear() {
    while (heard_ < kernel_.ports()) {
        const Match any{.tag = header_.tag, .source = kernel_.neighbor(port_at(heard_))};
        if (!wait_)
            wait_.emplace(kernel_, any.source,
                          Match{.tag = any.tag, .source = any.source, .message = kPlan});
        if (!wait_->over())
            return false;
        const bool there = wait_->status() == Status::ok;
        wait_.reset();
        if (!there) {
            absent_ |= 1u << heard_++;
            continue;
        }
        while (!judge(kernel_.take_control(any))) {
        }
    }
    return true;
}

// False: it is no word.
bool Agreement::judge(const Packet& word) {
    if (word.header().message != kPlan)
        return false;
    Status said = Status::ok;
    if ((word.header().flags & wire::packet_flag::kVoid) != 0)
        said = Status::unreachable;
    else if (word.header().total_bytes != header_.total_bytes)
        said = Status::bad_argument;
    if (said != Status::ok)
        absent_ |= 1u << heard_;
    status_ = worse(status_, said);
    ++heard_;
    return true;
}

} // namespace mesh
