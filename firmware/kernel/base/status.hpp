// How calls into the outside world end. Bugs of our own are CHECKs instead (hal/check.hpp).
#pragma once

#include <cstdint>
#include <string_view>

namespace mesh {

/// The outcome of a call: each function says which of these it gives, and why. The compiler warns
/// of one that is ignored.
enum class [[nodiscard]] Status : std::uint8_t;
enum class Status : std::uint8_t {
    ok,
    no_memory,    // process arena or packet pool too small for what was asked
    unreachable,  // every way to the destination lies behind a dead link
    bad_argument, // node, tag, size or rule out of range
    truncated,    // the message was longer than the buffer; the rest was discarded
    failed,       // an application's own verdict
    timed_out,    // given up before it began, or before anything came
    no_verdict,   // a process ended without co_return
    tag_in_use,   // another collective with this tag is under way on this node
    in_doubt,     // given up in the midst: it may have taken effect or not
};

/// Its name.
constexpr std::string_view words_of(Status status) {
    switch (status) {
    case Status::ok: return "ok";
    case Status::no_memory: return "no memory";
    case Status::unreachable: return "unreachable";
    case Status::bad_argument: return "bad argument";
    case Status::truncated: return "truncated";
    case Status::failed: return "failed";
    case Status::timed_out: return "timed out";
    case Status::no_verdict: return "ended without co_return";
    case Status::tag_in_use: return "tag in use";
    case Status::in_doubt: return "in doubt";
    }
    return "?";
}

} // namespace mesh
