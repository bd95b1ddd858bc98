// Commands that the host tool has and a page has not; they say where they are.
#include "host-tools/mesh/commands/dry_run.hpp"
#include "host-tools/mesh/commands/rank_run.hpp"
#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "host-tools/mesh/course/grade.hpp"
#include "host-tools/mesh/engines/engine.hpp"
#include "host-tools/mesh/engines/serial_line.hpp"
#include "host-tools/mesh/programs/build_command.hpp"
#include "host-tools/mesh/series/matrix.hpp"

#include <cerrno>
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

namespace mesh::host {

Fd& Fd::operator=(Fd&& other) noexcept {
    if (this != &other) {
        if (fd_ >= 0)
            close(fd_);
        fd_ = other.release();
    }
    return *this;
}
Fd::~Fd() {
    if (fd_ >= 0)
        close(fd_);
}
int Fd::release() { return std::exchange(fd_, -1); }

std::unique_ptr<Engine> make_qemu_engine(const RigPlan& /*plan*/) {
    refuse("--engine qemu: a page has the simulation alone; `mesh run` itself has QEMU");
}
std::unique_ptr<Engine> make_serial_engine(const RigPlan& /*plan*/) {
    refuse("--serial: a page has the simulation alone; `mesh run` itself has cables");
}
std::filesystem::path built_program(const std::string& /*source*/, const std::string& /*engine*/,
                                    const std::string& /*board*/,
                                    const std::vector<std::string>& /*defines*/) {
    refuse("a page has no compiler: `mesh run --app FILE.cpp` outside of it has one");
}
/// A page is alone.
std::unique_ptr<Uplink> join_for(const RunArguments& /*arguments*/) { return nullptr; }
void serve(Uplink& /*uplink*/, RunArguments /*arguments*/, const std::string& /*command*/) {}
void await_ranks(Uplink& /*uplink*/, const RigPlan& /*plan*/) {}
std::string find_program(const std::string& /*name*/) { return {}; }
std::vector<std::string> lines_of(const std::vector<std::string>& /*words*/,
                                  std::size_t /*count*/) {
    return {};
}
bool is_source(std::string_view /*file*/) { return false; }
void dry_run(const Operation& /*op*/) { refuse("--dry-run: a page has no emulators to start"); }
std::vector<unsigned> baud_rates() { return {}; }
std::string describe_check_keys() { return {}; }
std::string describe_matrix_keys() { return {}; }
std::size_t descriptors_for(std::size_t /*nodes*/, unsigned /*sockets*/) { return 0; }
std::size_t descriptors_max() { return 0; }

} // namespace mesh::host

extern "C" {
// The checksums of zlib, of which the host tool uses this one.
unsigned long crc32_z(unsigned long crc, const unsigned char* bytes, std::size_t count) {
    constexpr std::uint32_t kPolynomial = 0xEDB88320;
    std::uint32_t left = ~static_cast<std::uint32_t>(crc);
    for (std::size_t at = 0; at < count; ++at) {
        left ^= bytes[at];
        for (int bit = 0; bit < 8; ++bit)
            left = (left & 1u) != 0 ? (left >> 1) ^ kPolynomial : left >> 1;
    }
    return ~left & 0xFFFF'FFFFul;
}

/// Files without a name are for programs that a page does not load.
int memfd_create(const char* /*name*/, unsigned /*flags*/) {
    errno = ENOSYS;
    return -1;
}

void* __real_mmap(void* place, std::size_t bytes, int access, int flags, int file, off_t offset);
int __real_munmap(void* place, std::size_t bytes);

/// The memory of the nodes, of which most is never touched: new memory of a page is zero, and costs
/// nothing till then. emscripten's own mmap() writes zeroes into all of it. A module makes one run,
/// so this memory is not given back.
void* __wrap_mmap(void* place, std::size_t bytes, int access, int flags, int file, off_t offset) {
    if ((flags & MAP_ANONYMOUS) == 0)
        return __real_mmap(place, bytes, access, flags, file, offset);
    constexpr std::uintptr_t kPageBytes = 65536;
    const auto top = reinterpret_cast<std::uintptr_t>(sbrk(0));
    const std::uintptr_t gap = (kPageBytes - top % kPageBytes) % kPageBytes;
    void* const got = sbrk(static_cast<std::intptr_t>(gap + bytes));
    if (got == reinterpret_cast<void*>(-1))
        return MAP_FAILED;
    return static_cast<std::byte*>(got) + gap;
}
/// The real function knows nothing of the nodes' memory, either, and tells nobody.
int __wrap_munmap(void* place, std::size_t bytes) { return __real_munmap(place, bytes); }
}
