#include "collectives/call.hpp"

#include "collectives/tree_flow.hpp"

#include <utility>

namespace mesh {

Call::Call(Kernel& kernel, Tag tag, bool of_group, std::uint32_t* parted, std::uint32_t packets)
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
    if (status_ != Status::ok)
        return;
    record_->parted_set = parted;
    record_->set_share(packets);
}

Call::~Call() {
    if (status_ != Status::ok)
        return;
    record_->count();
    record_->parted_set = nullptr;
    kernel_.end_call(*record_);
}

CallLabel Call::label() const {
    return CallLabel::of(record_->tag, 2u * record_->number + (record_->of_group ? 1u : 0u));
}

bool Call::must_meet() const {
    return record_->calls >= kCallsAhead || record_->packets > TreeFlow::half_window(kernel_) ||
           !TreeFlow::may_be_early(kernel_, record_->tag);
}

#if MESH_NOTES
namespace {

Task<Status> run_call(Kernel& kernel, Tag tag, Task<Status> collective, std::uint32_t packets,
                      detail::CallNote note, const void* place) {
    const Call call{kernel, tag, false, nullptr, packets};
    Status status = call.status();
    if (status == Status::ok && place != nullptr && detail::notes() != nullptr)
        detail::notes()->begins(index(kernel.id()), tag, call.label().call / 2u, note, place);
#else
Task<Status> as_call(Kernel& kernel, Tag tag, Task<Status> collective, std::uint32_t packets) {
    const Call call{kernel, tag, false, nullptr, packets};
    Status status = call.status();
#endif
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

#if MESH_NOTES
} // namespace

detail::NotedKernel detail::noted(Kernel& kernel, const detail::CallNote& note) {
    return {kernel, note, detail::notes() != nullptr ? detail::place_in_program() : nullptr};
}

Task<Status> as_call(const detail::NotedKernel& noted, Tag tag, Task<Status> collective,
                     std::uint32_t packets) {
    return run_call(noted.kernel, tag, std::move(collective), packets, noted.note, noted.place);
}

Task<Status> as_call(Kernel& kernel, Tag tag, Task<Status> collective, std::uint32_t packets) {
    return run_call(kernel, tag, std::move(collective), packets, {}, nullptr);
}
#endif

} // namespace mesh
