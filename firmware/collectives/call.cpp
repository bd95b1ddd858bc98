#include "collectives/call.hpp"

#include "collectives/tree_flow.hpp"

namespace mesh {

Call::Call(Kernel& kernel, Tag tag, bool of_group)
    : kernel_(kernel),
      record_(kernel.calls().find(tag, of_group)) {
    if (record_ == nullptr) {
        record_ = kernel.make<CallRecord>(tag);
        if (record_ == nullptr) {
            status_ = Status::no_memory;
            return;
        }
        record_->of_group = of_group;
        kernel.calls().add(*record_);
    }
    if (record_->under_way)
        status_ = Status::tag_in_use;
    else
        kernel.begin_call(*record_);
}

Call::~Call() {
    if (status_ != Status::ok)
        return;
    ++record_->calls;
    if (!record_->counted)
        record_->add(1);
    kernel_.end_call(*record_);
}

CallLabel Call::label() const {
    return CallLabel::of(record_->tag, 2u * record_->number + (record_->of_group ? 1u : 0u));
}

bool Call::must_meet() const {
    return record_->calls >= kCallsAhead || record_->packets > TreeFlow::half_window(kernel_);
}

Task<Status> as_call(Kernel& kernel, Tag tag, Task<Status> collective) {
    const Call call{kernel, tag};
    Status status = call.status();
    if (status == Status::ok && call.must_meet()) {
        const Gate gate{.label = call.label(), .up = true, .down = true, .packets = Gate::kAlways};
        status = co_await pass(kernel, gate);
        if (status == Status::unreachable)
            status = Status::ok; // it is unknown which nodes have begun: the living go on
    }
    if (status == Status::ok)
        status = co_await collective;
    co_return status;
}

} // namespace mesh
