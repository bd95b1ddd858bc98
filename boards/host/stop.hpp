// How a node of a simulation that cannot go on stops, while the others live in the same process.
#pragma once

#include "wire/host_messages.hpp"

#include <cstdint>

namespace mesh::board {

/// Takes the running node out of the simulation; must not return. `pc` of the record is a value of
/// code_offset().
using Stop = void (*)(void* context, const wire::CrashRecord& record);

/// The cause in a record that is none: the node has reset itself (hal/reset.hpp).
inline constexpr std::uint32_t kReset = 0xE000'0000;

/// From now on CHECKs, halt() and programs that give up call `stop`; nullptr: no node runs, and
/// they end the process.
void set_stop(Stop stop, void* context);

/// The node that runs has had its time: the next call of its program to the console does not
/// return. May be called by a signal handler; set_stop() forgets it.
void stop_at_next_call();

/// Behind the last call, of those that are under way, that a program has made of its library or of
/// this process; in a signal handler too, if it is ready for a fault: the stack may be overwritten.
/// In the library, or somewhere in this process, if no program has.
const void* last_call_of_program();

/// In a signal handler, as above, that has interrupted `pc`: a program has called a function of a
/// library there, as memset(), and nothing of this process.
bool in_library_of_program(std::uintptr_t pc);

/// To be called where a program has called this process and nothing is half done: stops the node
/// if stop_at_next_call() says so. The place of the record is the last one in the program's code.
void stop_if_asked();

/// A program with this number, from 1, is loaded at `base`, its code from `begin` to `end`, that of
/// its library from `library` on.
void add_code(unsigned number, std::uintptr_t base, std::uintptr_t begin, std::uintptr_t library,
              std::uintptr_t end);

/// The address is in the code of a program that was loaded, or of its library.
bool in_loaded_code(std::uintptr_t address);
/// It is in the code of the program itself.
bool in_program_code(std::uintptr_t address);

/// The address is in this process's own code, which is neither loaded nor of a library.
bool in_own_code(std::uintptr_t address);

/// An address as a record says it: the number of the loaded program times kCodeBytesMax, and the
/// offset in it; without the number, an offset in this program.
std::uint32_t code_offset(std::uintptr_t address);
inline constexpr std::uint32_t kCodeBytesMax = 1u << 27;
inline constexpr unsigned kLoadedMax = 16;

} // namespace mesh::board
