// One-sided operations, without the types of library/window.hpp: a node opens a window, which is a
// span of its memory, and other nodes read and change it while its program does something else.
//
// An operation is one message to the process that serves the window, and that process has the
// message in its hands until the operation has taken effect. The kernel's promise does the rest: a
// message is taken at most once, whatever cables lose or double, and its sender is told when it has
// been consumed. So a put needs no answer of its own. What reads has one: a message too, which the
// process sends before it lets go of the request.
//
//   origin                                       target: the process that serves
//     | request: what, where, and the data ------->|  judges it; changes the memory
//     |<------- answer, if it reads or is refused  |
//     |  taken ----------------------------------->|
//     |<-------------------------- request: taken  |  the next request
//
// Both have labels of their own, so that no receive() of a program takes them. A request bears the
// label of a call of the window's tag that is under way for as long as the window is open; so the
// kernel itself refuses what comes to a closed window. An answer bears the label of a call of the
// origin's, which ends with the operation; so the kernel refuses an answer for which nobody waits
// any more, and the process that serves never waits for an origin that has gone on.
#pragma once

#include "kernel/node/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh {

/// Number of a window, the same at its node and at those that use it: 0 .. kWindowsMax - 1.
enum class WindowNumber : std::uint16_t {};
inline constexpr unsigned kWindowsMax = 128;

/// The library's tags for windows: a tag for the requests to each, and one for the answers of each
/// operation that a node may have under way.
inline constexpr Tag kWindowTag = 0x7C00;
inline constexpr Tag kWindowAnswerTag = kWindowTag + kWindowsMax;

namespace detail {

enum class AccessKind : std::uint8_t { put, add, get, fetch_add, compare_swap };
constexpr bool is_reading(AccessKind kind) { return kind >= AccessKind::get; }

/// The type of a window's elements, for both ends.
struct ElementType {
    std::uint32_t name = 0; // a number for it, the same at both ends
    std::uint32_t bytes = 1;
    /// Adds `operand` to `element`; nullptr: these elements are not added.
    void (*add)(std::span<std::byte> element, std::span<const std::byte> operand) = nullptr;
};
/// Bytes of an element that fetch_add() and compare_swap() take at most.
inline constexpr std::size_t kWordBytesMax = 16;

/// One operation, as its origin wants it.
struct Access {
    AccessKind kind;
    NodeId target;
    WindowNumber window;
    ElementType type;
    std::uint32_t first;             // element
    std::uint32_t count;             // elements
    std::span<const std::byte> data; // for the target
    std::span<std::byte> room = {};  // for what is read
};

/// Does it. See put() in library/window.hpp for the statuses.
Task<Status> access(Kernel& kernel, Access wanted);

struct WindowRecord;

/// A window of this node, as long as this lives.
class OpenWindow {
public:
    OpenWindow(Kernel& kernel, WindowNumber number, ElementType type, std::span<std::byte> memory);
    OpenWindow(const OpenWindow&) = delete;
    OpenWindow& operator=(const OpenWindow&) = delete;
    ~OpenWindow() { close(); }

    Status status() const { return status_; }
    /// Ends it, if it has not ended. Nobody touches the memory any more.
    void close();

private:
    Kernel& kernel_;
    WindowRecord* record_ = nullptr; // nullptr: closed
    Status status_ = Status::ok;
};

} // namespace detail

} // namespace mesh
