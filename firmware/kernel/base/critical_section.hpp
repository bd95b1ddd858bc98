// Critical sections of processes: while a process is in one, the links do not interrupt it.
//
// Plain counting is enough. An interrupt finds the depth at 0, or does nothing; and before the
// process goes on it has brought the depth back to what it was. Entering takes less code than a
// call, so all of it is inline.
#pragma once

#include <cstdint>

namespace mesh {

/// How many critical sections are open: they nest.
class CriticalDepth {
public:
    /// True while a critical section is open: an interrupt that finds it so does nothing.
    bool inside() const { return count_ != 0; }
    /// Opens one; the compiler moves no access to memory over it. To be followed by leave().
    [[gnu::always_inline]] void enter() {
        count_ = count_ + 1;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    }
    /// Closes the one that was opened last.
    [[gnu::always_inline]] void leave() {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        count_ = count_ - 1;
    }

private:
    std::uint32_t count_ = 1; // the kernel's own: only processes run without it
};

/// One critical section, which lasts as long as the object: for what a process does with data that
/// the links use too.
class CriticalSection {
public:
    /// Opens the section. `depth` must outlive it.
    [[gnu::always_inline]] explicit CriticalSection(CriticalDepth& depth) : depth_(depth) {
        depth_.enter();
    }
    CriticalSection(const CriticalSection&) = delete;
    CriticalSection& operator=(const CriticalSection&) = delete;
    [[gnu::always_inline]] ~CriticalSection() { depth_.leave(); }

private:
    CriticalDepth& depth_;
};

} // namespace mesh
