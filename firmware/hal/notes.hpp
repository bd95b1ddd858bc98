// The notes of a simulation about the programs that it runs, to tell mistakes that no node can see
// by itself: calls that differ from those of other nodes, messages of another type. The board of
// the host hands the notes on; images have no code for them.
#pragma once

#include "hal/check.hpp"

#include <cstdint>
#include <string_view>

/// Decided by the machine and not by an option, so that programs and kernel always agree.
#define MESH_NOTES (__SIZEOF_POINTER__ == 8)
/// For a function that notes where its caller has called it.
#if MESH_NOTES
#define MESH_NOTED_INLINE [[gnu::always_inline]] inline
#else
#define MESH_NOTED_INLINE
#endif
/// The place in the program as the last parameter of a function, and as its argument: of a call in
/// what the program calls itself, and in what has been given a place. In images there is none.
#if MESH_NOTES
#define MESH_PLACE , const void* place
#define MESH_HERE , ::mesh::detail::here()
#define MESH_THERE , place
#else
#define MESH_PLACE
#define MESH_HERE
#define MESH_THERE
#endif

namespace mesh {
class Kernel;
}

namespace mesh::detail {

/// A call of a collective as a person names it: "reduction", " to node ", 3.
struct CallNote {
    std::string_view name;      // empty: nobody compares this call with those of other nodes
    std::string_view to_root{}; // before the root's number; empty: it has no root
    std::uint32_t root = 0;
};

/// The type of a value that is sent, or that is to be filled.
struct TypeNote {
    std::string_view name;
    std::uint32_t word; // equal for types that may stand for one another; 0: for any type
};

/// Glances that a program takes at what has come, without a wait.
enum class Glance : std::uint8_t { alt, probe };

#if MESH_NOTES

/// The receiver of notes. All nodes of a run have one of these.
class Notes {
public:
    /// A node begins call `number` under `tag`, at `place` in the code of its program.
    virtual void begins(std::uint32_t node, std::uint32_t tag, unsigned number,
                        const CallNote& note, const void* place) = 0;
    /// A node sends a message, which has a name of its own among those to that node.
    virtual void sends(std::uint32_t node, std::uint32_t to, std::uint32_t message,
                       const TypeNote& type) = 0;
    /// The type of the value in that message, which has been taken; nullptr: it is not known.
    virtual const TypeNote* takes(std::uint32_t source, std::uint32_t node,
                                  std::uint32_t message) = 0;
    /// A node waited for a message of a program, and `source` sends none any more.
    virtual void waits_in_vain(std::uint32_t node, std::uint32_t source, std::uint32_t tag) = 0;
    /// So many messages of the node's program went with the outbox in which they lay.
    virtual void gives_up(std::uint32_t node, unsigned messages) = 0;

protected:
    ~Notes() = default;
};

/// The receiver of notes at present; nullptr: there is none. Defined by the board of the host.
Notes* notes();
/// Where the running program has called what led here, behind that call; nullptr: no program has.
const void* place_in_program();
/// The place of this call, behind it.
[[gnu::noinline]] inline const void* here() { return __builtin_return_address(0); }

/// The next note of the running node, which is `node`, follows at once: it is of a call at `place`
/// in the program.
void note_place(const Kernel& node, const void* place);

/// CHECK `id` at `place`, and the names of both types on the console: a value that came may be
/// taken as what was `wanted`. `came`: nullptr if its type is not known.
void check_type(const TypeNote* came, const TypeNote& wanted, CheckId id, const void* place);

/// A program takes a glance, at `place`. Many of them without a wait are told as the cause of a
/// loop that has no end.
void note_glance(Glance what, const void* place);
/// A process of the running node waits: glances are counted anew.
void note_wait();

#else // an image notes nothing

constexpr void note_place(const Kernel& /*node*/) {}
constexpr void note_glance(Glance /*what*/) {}

#endif

} // namespace mesh::detail
