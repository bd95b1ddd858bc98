// Calls that do not wait: MPI's requests.
//
// A request is one of the node's processes (limits::kProcessesMax), and costs the arena its frame
// until it has been waited for. What it does begins before its constructor ends. So messages leave
// in the order of their requests, and of several receives that may take a message the one that was
// called first takes it, whether a process waits for it or a request does.
#pragma once

#include "collectives/await.hpp"
#include "core/base/order.hpp"
#include "hal/check.hpp"
#include "kernel/api/message.hpp"
#include "kernel/node/kernel.hpp"
#include "library/tether.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace mesh {

/// Something under way beside its process. `Request r{node, send(node, ...)}` begins it, and so
/// with receive(), receive_value() and collectives. It must be waited for, by one of the calls
/// below, once; what it sends, or receives into, must stay until then. In arrays:
/// `std::array<Request, 4> r; r[0] = Request{node, receive_value(node, ...)};`
class [[nodiscard]] Request {
public:
    /// Nothing is under way: it has been waited for.
    Request() = default;
    /// Begins `process`, until it first waits. Its verdict is no_memory if the node has no place
    /// for one more process.
    Request(Kernel& kernel, Process process) : kernel_(&kernel) { begin(std::move(process)); }
    /// The same for a receive, whose result received() gives then.
    Request(Kernel& kernel, Task<Received> task) : kernel_(&kernel) {
        begin(receive_beside(kernel, detail::Tether{*this}, std::move(task)));
    }
    Request(Request&& other) noexcept { take(other); }
    /// Precondition: this one has been waited for.
    Request& operator=(Request&& other) noexcept {
        MESH_CHECK(done_, request_lost);
        take(other);
        return *this;
    }
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;
    ~Request() {
        if (tether_ != nullptr)
            tether_->cut();
    }

    /// True if it has ended: waiting for it takes no time.
    bool ended() const { return !runs_ || kernel_->scheduler().ended(id_); }
    /// True if it has been waited for.
    bool done() const { return done_; }
    /// MPI's test: its verdict if it has ended, and it counts as waited for then; else nothing.
    /// Precondition: not done().
    [[nodiscard]] std::optional<Status> test() {
        MESH_CHECK(!done_, request_waited_twice);
        done_ = ended();
        if (!done_)
            return std::nullopt;
        wire::ModelTime end = 0;
        if (runs_)
            received_.status = kernel_->scheduler().join(id_, end);
        kernel_->advance_clock(end);
        return received_.status;
    }

    /// The verdict, of one that has been waited for.
    Status status() const { return received_.status; }
    /// The result of receive(), of one that has been waited for.
    const Received& received() const { return received_; }

private:
    friend class detail::Tether<Request>;
    friend Task<Status> wait(Kernel& kernel, Request& request);

    /// A wait that is given up is none: the request is to be waited for as before.
    struct Waited {
        Request* request;
        explicit Waited(Request& one) : request(&one) {}
        Waited(const Waited&) = delete;
        Waited& operator=(const Waited&) = delete;
        ~Waited() {
            if (request != nullptr)
                request->done_ = false;
        }
    };

    static Process receive_beside(Kernel&, detail::Tether<Request> request, Task<Received> task) {
        const Received received = co_await task;
        if (request.owner() != nullptr)
            request.owner()->received_ = received;
        co_return received.status;
    }

    void begin(Process process) {
        done_ = false;
        runs_ = kernel_->spawn(std::move(process), id_);
        if (runs_)
            kernel_->scheduler().start(id_);
        else
            received_.status = Status::no_memory;
    }
    void take(Request& other) {
        kernel_ = other.kernel_;
        id_ = other.id_;
        runs_ = other.runs_;
        done_ = std::exchange(other.done_, true);
        received_ = other.received_;
        tether_ = std::exchange(other.tether_, nullptr);
        if (tether_ != nullptr)
            tether_->move_to(*this);
    }

    Kernel* kernel_ = nullptr;
    ProcessId id_{};
    bool runs_ = false;
    bool done_ = true;
    Received received_{};
    detail::Tether<Request>* tether_ = nullptr;
};

/// Waits until it has ended and gives its verdict; no_memory: there was no room for it.
/// Precondition: not done().
inline Task<Status> wait(Kernel& kernel, Request& request) {
    MESH_CHECK(!std::exchange(request.done_, true), request_waited_twice);
    if (!request.runs_)
        co_return request.received_.status;
    Request::Waited waited{request};
    const Status verdict = co_await kernel.end_of(request.id_);
    waited.request = nullptr;
    request.received_.status = verdict;
    co_return verdict;
}

/// Waits for all of them that have not been waited for; the first verdict in their row that is not
/// ok. Each keeps its own: status(), received().
inline Task<Status> wait_all(Kernel& kernel, std::span<Request> requests) {
    Status all = Status::ok;
    for (Request& request : requests)
        if (!request.done()) {
            const Status verdict = co_await wait(kernel, request);
            all = first_failure(all, verdict);
        }
    co_return all;
}

namespace detail {
/// One of several requests has ended: the first of them is below `count`. Named, so that it can be
/// told (kernel/api/waits.cpp).
template <class First>
struct RequestEnded {
    First first;
    std::size_t count;
    bool operator()() const { return first() < count; }
};
template <class First>
RequestEnded(First, std::size_t) -> RequestEnded<First>;
} // namespace detail

/// `std::size_t i = co_await any_ended(node, requests)`: the first in their row that has ended and
/// has not been waited for; wait() then gives its verdict. Precondition: there is one that has not
/// been waited for.
inline auto any_ended(Kernel& kernel, std::span<const Request> requests) {
    MESH_CHECK(any_of(requests, [](const Request& request) { return !request.done(); }),
               waits_for_nothing);
    const auto first = [requests] {
        std::size_t at = 0;
        while (at < requests.size() && (requests[at].done() || !requests[at].ended()))
            ++at;
        return at;
    };
    return detail::wait(kernel, detail::RequestEnded{first, requests.size()}, first);
}

/// The result of wait_any(): the number of a request, and its verdict.
struct [[nodiscard]] AnyWaited {
    Status status = Status::ok;
    std::size_t which = 0;
};

/// `AnyWaited any = co_await wait_any(node, requests)`: waits for the first that ends, and for no
/// other; of several that have ended, for the first in their row. If all have been waited for, at
/// once: ok, and `which` is their count.
inline Task<AnyWaited> wait_any(Kernel& kernel, std::span<Request> requests) {
    AnyWaited any{.which = requests.size()};
    if (any_of(requests, [](const Request& request) { return !request.done(); })) {
        any.which = co_await any_ended(kernel, requests);
        any.status = co_await wait(kernel, requests[any.which]);
    }
    co_return any;
}

} // namespace mesh
