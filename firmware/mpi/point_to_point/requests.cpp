// Point to point: calls that do not wait for their message, and calls that wait or look for
// requests.
#include "mpi/buffers/claims.hpp"
#include "mpi/engine/under_way.hpp"
#include "mpi/point_to_point/generalized.hpp"
#include "mpi/point_to_point/status.hpp"

#include "fiber/fiber.hpp"
#include "wire/crc32.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace mesh::mpi {

namespace {

/// An array of handles of requests, some of which may be null.
using Handles = std::span<MPI_Request>;

Handles handles(int count, MPI_Request* requests) {
    return {requests, static_cast<std::size_t>(std::max(count, 0))};
}

Request* request_of(MPI_Request handle) { return find_object<Request>(handle); }

/// The request of a handle, if it is active; else nullptr.
Request* active(MPI_Request handle) {
    Request* const request = request_of(handle);
    return request != nullptr && request->is_active ? request : nullptr;
}

#if MESH_NOTES

/// The buffer of a request, as it was when that began.
struct Buffer {
    Buffer* next;
    const Request* request;
    std::uint32_t sum;
};
Queue<Buffer> buffers;

/// The program may not change what is sent, nor look at what is received, until the request ends.
void claim_buffer(const Request& request) {
    if (request.peer != MPI_PROC_NULL)
        claim(&request, request.data, request.count, *request.type,
              request.kind == Request::Kind::send ? Leave::loads : Leave::nothing);
}

std::uint32_t sum_of(const Request& request) {
    if (request.type->is_dense())
        return wire::crc32({request.data, static_cast<std::size_t>(request.count) *
                                              static_cast<std::size_t>(request.type->extent)});
    std::uint32_t sum = 0;
    for (int element = 0; element < request.count; ++element)
        for (const Run& run : request.type->all_runs()) {
            const std::byte* const bytes = at(request.data, element, *request.type) + run.offset;
            sum = wire::crc32({bytes, run.bytes}, sum);
        }
    return sum;
}

/// Notes the buffer of a request that has begun, to see later whether the program has changed it.
void note_buffer(const Request& request) {
    if (request.mode != Request::Mode::buffered)
        claim_buffer(request);
    const bool has_message = request.is_done || request.source != MPI_PROC_NULL;
    if (request.mode == Request::Mode::buffered ||
        (request.kind == Request::Kind::receive && has_message))
        return;
    if (auto* const noted = make<Buffer>(nullptr, &request, sum_of(request)); noted != nullptr)
        buffers.push(*noted);
}

#else

void note_buffer(const Request& /*request*/) {}
void tell_changed(const Request& /*request*/) {}

#endif

/// Checks that handles are null, or of requests that the program has.
class RequestChecks : public Checks {
public:
    RequestChecks(const char* call, Handles requests) : Checks(call) {
        if (!requests.empty() && result(requests.data()).bad())
            return;
        for (const MPI_Request request : requests)
            if (request != MPI_REQUEST_NULL)
                object<Request>(request);
    }
    RequestChecks(const char* call, MPI_Request* request)
        : RequestChecks(call, Handles{request, 1}) {}
};

/// The outcome of a call that ends requests. The first error is told, to the error handler of its
/// communicator.
class Outcome {
public:
    explicit Outcome(const char* call) : call_(call) {}
    /// The outcome of a call for several. If there is an error, `statuses` tell each.
    Outcome(const char* call, MPI_Status* statuses)
        : call_(call),
          statuses_(statuses),
          for_several_(true) {}

    /// Tells the program of the end of a request, which is done, and takes it from the program
    /// unless it is persistent.
    void end(Request& request, MPI_Request& handle, MPI_Status* status) {
        end_claims(&request);
        tell_changed(request);
        take_clock(request);
        tell(request, status);
        if (!request.is_persistent) {
            request.handles = 0; // also for a function of the program's own
            handle = MPI_REQUEST_NULL;
        }
        if (request.kind == Request::Kind::generalized)
            request.error = end_generalized(request, status);
        request.is_active = false;
        note(request);
        if (!request.is_persistent)
            leave_to_engine(request);
    }
    /// The same for a handle that may be null or of an inactive request.
    void end_any(MPI_Request& handle, MPI_Status* status) {
        if (Request* const request = active(handle); request != nullptr)
            return end(*request, handle, status);
        tell_nothing(status);
        ++told_; // without an error
    }
    int code() const { return code_; }

private:
    /// Counts a request. From the first error on each status has the error of its request.
    void note(const Request& request) {
        if (request.error != MPI_SUCCESS && code_ == MPI_SUCCESS) {
            for (std::size_t at = 0; at < told_; ++at)
                tell_error(at, MPI_SUCCESS);
            code_ = code_for(request);
        }
        if (code_ != MPI_SUCCESS)
            tell_error(told_, request.error);
        ++told_;
    }
    void tell_error(std::size_t at, int error) {
        if (statuses_ != MPI_STATUSES_IGNORE)
            statuses_[at].MPI_ERROR = error;
    }
    int code_for(const Request& request) const {
        const int code = for_several_ ? int{MPI_ERR_IN_STATUS} : request.error;
        if (request.kind == Request::Kind::collective && !request.owns_comm)
            return code; // the collective has told it
        const bool has_message = request.kind != Request::Kind::generalized;
        return fail(request.owns_comm ? request.comm : nullptr, code, call_,
                    for_several_ && has_message && request.error == MPI_ERR_TRUNCATE
                        ? "a message was truncated"
                        : nullptr);
    }

    const char* call_;
    MPI_Status* statuses_ = MPI_STATUSES_IGNORE;
    bool for_several_ = false;
    std::size_t told_ = 0; // statuses
    int code_ = MPI_SUCCESS;
};

int end_one(const char* call, MPI_Request& request, MPI_Status* status) {
    Outcome outcome(call);
    outcome.end_any(request, status);
    return outcome.code();
}

bool all_done(Handles requests) {
    return std::ranges::all_of(requests, [](MPI_Request handle) {
        const Request* const request = active(handle);
        return request == nullptr || request->is_done;
    });
}

/// The place of the first request that is done, or the end of the array.
std::size_t first_done(Handles requests) {
    const auto found = std::ranges::find_if(requests, [](MPI_Request handle) {
        const Request* const request = active(handle);
        return request != nullptr && request->is_done;
    });
    return static_cast<std::size_t>(found - requests.begin());
}

bool none_active(Handles requests) {
    return std::ranges::all_of(requests,
                               [](MPI_Request handle) { return active(handle) == nullptr; });
}

MPI_Status* status_at(MPI_Status* statuses, std::size_t at) {
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + at;
}

int end_all(const char* call, Handles requests, MPI_Status* statuses) {
    Outcome outcome(call, statuses);
    for (std::size_t at = 0; at < requests.size(); ++at)
        outcome.end_any(requests[at], status_at(statuses, at));
    return outcome.code();
}

/// Makes a request for a message; nullptr: `checks` say why not.
Request* new_request(Checks& checks, Request::Kind kind, Request::Mode mode, const void* data,
                     int count, MPI_Datatype type, Rank peer, int tag) {
    auto* const request = make<Request>(asked(kind, data, count, type, peer, tag, checks.comm()));
    if (request == nullptr) {
        checks.refuse(MPI_ERR_NO_MEM, nullptr);
        return nullptr;
    }
    request->mode = mode;
    hold(request->type);
    request->owns_comm = true;
    ++request->comm->owners;
    return request;
}

int begin_new(Checks& checks, Request::Kind kind, Request::Mode mode, const void* data, int count,
              MPI_Datatype type, Rank peer, int tag, MPI_Request* handle) {
    Request* const request = new_request(checks, kind, mode, data, count, type, peer, tag);
    if (request == nullptr)
        return checks.code();
    *handle = give_handle(*request);
    begin(*request);
    note_buffer(*request);
    return MPI_SUCCESS;
}

void make_persistent(Checks& checks, Request::Kind kind, Request::Mode mode, const void* data,
                     int count, MPI_Datatype type, Rank peer, int tag, MPI_Request* handle) {
    Request* const request = new_request(checks, kind, mode, data, count, type, peer, tag);
    if (request == nullptr)
        return;
    request->is_persistent = true;
    request->is_active = false;
    *handle = give_handle(*request);
}

/// The engine has a copy, so the program may go on with its buffer.
int bsend(Checks& checks, const void* data, int count, MPI_Datatype type, Rank to, int tag) {
    Request* const request = new_request(checks, Request::Kind::send, Request::Mode::buffered, data,
                                         count, type, to, tag);
    if (request == nullptr)
        return checks.code();
    begin(*request);
    leave_to_engine(*request);
    return MPI_SUCCESS;
}

/// Sends and receives. The data that is sent is copied, so that the request is that of the receive.
int isendrecv(Checks& checks, const void* out, int out_count, MPI_Datatype out_type, Rank to,
              int out_tag, void* in, int in_count, MPI_Datatype in_type, Rank from, int in_tag,
              MPI_Request* handle) {
    const int code = bsend(checks, out, out_count, out_type, to, out_tag);
    return code != MPI_SUCCESS ? code
                               : begin_new(checks, Request::Kind::receive, Request::Mode::standard,
                                           in, in_count, in_type, from, in_tag, handle);
}

int isendrecv_replace(Checks& checks, void* data, int count, MPI_Datatype type, Rank to,
                      int out_tag, Rank from, int in_tag, MPI_Request* handle) {
    return isendrecv(checks, data, count, type, to, out_tag, data, count, type, from, in_tag,
                     handle);
}

void act(Request& request, bool begins) {
    auto& collective = static_cast<Collective&>(request);
    collective.act(collective, begins);
}

} // namespace

#if MESH_NOTES

void tell_changed(const Request& request) {
    Buffer* const noted =
        buffers.take_first([&request](const Buffer& other) { return other.request == &request; });
    std::array<char, 100> words;
    if (noted != nullptr && noted->sum != sum_of(request)) {
        std::snprintf(words.data(), words.size(),
                      "the program has changed the buffer of a %s with tag %d before its end",
                      request.kind == Request::Kind::send ? "send" : "receive", request.tag);
        tell_mistake(request, words.data());
    }
    destroy(noted);
}

#endif

/// The wait for one of several requests. Its name is known to kernel/api/waits.cpp.
struct OneDone {
    Handles requests;
    bool operator()() const { return first_done(requests) != requests.size(); }
};

namespace {

using Kind = Request::Kind;
using Mode = Request::Mode;

int start(Checks& checks, Request& request) {
    if (!request.is_persistent || request.is_active)
        return checks.refuse(MPI_ERR_REQUEST, request.is_active
                                                  ? "not a request to start: it has begun"
                                                  : "not a request to start: it is not persistent");
    if (request.kind == Kind::collective) {
        act(request, true);
        return MPI_SUCCESS;
    }
    begin(request);
    note_buffer(request);
    return MPI_SUCCESS;
}

void startall(Checks& checks, int count, MPI_Request* requests) {
    if (checks.count(count).bad() || (count != 0 && checks.result(requests).bad()))
        return;
    for (MPI_Request& request : handles(count, requests))
        if (auto* const one = checks.object<Request>(request);
            one == nullptr || start(checks, *one) != MPI_SUCCESS)
            return;
}

int request_free(Checks& checks, MPI_Request* handle) {
    auto* const request = checks.object<Request>(*handle);
    if (request == nullptr)
        return checks.code();
    const bool is_collective = request->kind == Kind::collective;
    if (is_collective && request->is_active)
        return checks.refuse(MPI_ERR_REQUEST, "a collective has not ended: MPI_Wait() it");
    if (is_collective)
        act(*request, false);
    if (!request->is_active)
        request->is_done = true;
    end_claims(request);
    tell_changed(*request);
    request->handles = 0;
    *handle = MPI_REQUEST_NULL;
    const bool is_generalized = request->kind == Kind::generalized;
    const int code = is_generalized ? free_generalized(checks.call(), *request) : 0;
    leave_to_engine(*request);
    return code;
}

int wait(RequestChecks& checks, MPI_Request* handle, MPI_Status* status) {
    if (Request* const request = active(*handle); request != nullptr)
        wait(*request);
    return end_one(checks.call(), *handle, status);
}

int waitall(RequestChecks& checks, Handles all, MPI_Status* statuses) {
    for (const MPI_Request handle : all)
        if (Request* const request = active(handle); request != nullptr)
            wait(*request);
    return end_all(checks.call(), all, statuses);
}

void wait_for_one(Handles all) { fiber::await(fiber::node().wait_until(OneDone{all})); }

// A look in vain takes a little time, in which a message may come.
void look_for_one(Handles all) {
    if (first_done(all) == all.size())
        pass_time();
}

/// Ends one request that is done after `look`, if there is one.
int end_any(RequestChecks& checks, void (*look)(Handles), Handles all, int* place, int* flag,
            MPI_Status* status) {
    *place = MPI_UNDEFINED;
    *flag = none_active(all);
    if (*flag != 0) {
        tell_nothing(status);
        return MPI_SUCCESS;
    }
    look(all);
    const std::size_t found = first_done(all);
    *flag = found != all.size();
    if (*flag == 0)
        return MPI_SUCCESS;
    *place = static_cast<int>(found);
    return end_one(checks.call(), all[found], status);
}

int waitany(RequestChecks& checks, Handles all, int* place, MPI_Status* status) {
    int flag = 0;
    return end_any(checks, wait_for_one, all, place, &flag, status);
}

/// Ends all requests that are done after `look`.
int end_some(RequestChecks& checks, void (*look)(Handles), Handles all, int* done, int* places,
             MPI_Status* statuses) {
    *done = none_active(all) ? int{MPI_UNDEFINED} : 0;
    if (*done == MPI_UNDEFINED)
        return MPI_SUCCESS;
    look(all);
    Outcome outcome(checks.call(), statuses);
    for (std::size_t at = 0; at < all.size(); ++at) {
        Request* const request = active(all[at]);
        if (request == nullptr || !request->is_done)
            continue;
        const auto number = static_cast<std::size_t>((*done)++);
        places[number] = static_cast<int>(at);
        outcome.end(*request, all[at], status_at(statuses, number));
    }
    return outcome.code();
}

int test(RequestChecks& checks, MPI_Request* handle, int* flag, MPI_Status* status) {
    const Request* const request = active(*handle);
    if (request != nullptr && !request->is_done)
        pass_time();
    *flag = request == nullptr || request->is_done;
    return *flag == 0 ? MPI_SUCCESS : end_one(checks.call(), *handle, status);
}

int testall(RequestChecks& checks, Handles all, int* flag, MPI_Status* statuses) {
    if (!all_done(all))
        pass_time();
    *flag = all_done(all);
    return *flag == 0 ? MPI_SUCCESS : end_all(checks.call(), all, statuses);
}

int request_get_status(const Checks& checks, MPI_Request handle, int* flag, MPI_Status* status) {
    Request* const request = active(handle);
    if (request != nullptr && !request->is_done)
        pass_time();
    *flag = request == nullptr || request->is_done;
    if (*flag == 0)
        return MPI_SUCCESS;
    if (request == nullptr) {
        tell_nothing(status);
        return MPI_SUCCESS;
    }
    end_claims(request); // the program may change it from now on
    tell_changed(*request);
    tell(*request, status);
    if (request->kind != Kind::generalized)
        return MPI_SUCCESS;
    return query_generalized(checks.call(), *request, status);
}

/// The buffer that the program has attached for buffered sends, and gets back as it was: the heap
/// is buffer enough.
void* attached = nullptr;
int attached_bytes = 0;

int buffer_attach(Checks& checks, void* buffer, int bytes) {
    if (attached != nullptr)
        return checks.refuse(MPI_ERR_BUFFER, "one is attached already");
    attached = buffer;
    attached_bytes = bytes;
    return MPI_SUCCESS;
}

void buffer_detach(Checks&, void* buffer, int* bytes) {
    *static_cast<void**>(buffer) = std::exchange(attached, nullptr);
    *bytes = std::exchange(attached_bytes, 0);
}

} // namespace

} // namespace mesh::mpi

#include "doors/requests.inc"
