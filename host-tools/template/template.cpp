// An object for LD_PRELOAD that makes a template of a stock QEMU: an emulator that makes its
// machine once, and then forks for each node. QEMU's own code is not changed.
//
// QEMU is started with -S. When its main thread polls its monitor and nothing comes for a moment,
// the machine is made. Then the main thread parks each other thread in a signal handler, which
// keeps all that the thread was about to do, and waits for requests of the host tool instead of
// polling. For each it forks by the system call itself, so that no handler of QEMU or of the C
// library takes the threads for gone; the new process is a child of the tool (CLONE_PARENT). There
// the main thread puts the node's descriptors and address in, starts the parked threads again, each
// on its own stack and thread-local memory, begins the sandbox that the template has only noted,
// and returns from its poll. No instruction of an image runs before: the machine still waits for
// the monitor's "cont".
//
// Between the fork and the start of the threads a child may not call what takes a lock, as malloc()
// does: a parked thread may hold it. What is not as expected makes a template refuse, and the tool
// then starts emulators without one.
#include "protocol.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace {

using namespace mesh::host::fork_protocol;

constexpr timespec kMoment{0, 2'000'000};
constexpr unsigned kQuietMoments = 3;      // until the machine is taken for made
constexpr unsigned kQuietMomentsMax = 250; // the same if threads do not rest, or nothing tells it
constexpr unsigned kParkMomentsMax = 1000;
constexpr std::size_t kThreadsMax = 8; // beside the main thread
constexpr std::size_t kEventsMax = 32;
constexpr std::size_t kPlacesMax = 64;
constexpr std::size_t kStackBytes = 4096;
constexpr std::size_t kPageBytes = 4096;
#if defined(__x86_64__)
constexpr bool kKnown = true;
#else // the order of clone()'s words is another one, and nothing was tried
constexpr bool kKnown = false;
#endif
constexpr int kParkSignal = SIGFPE; // one that QEMU's threads do not block

/// A thread that waits in park(), and is to go on in each child.
struct Thread {
    int id = 0;
    std::array<void*, 5> place{}; // of __builtin_setjmp() in park()
    void* local = nullptr;        // its thread pointer
    int* id_at = nullptr;         // where the C library keeps its number
    std::atomic<bool> parked = false;
    alignas(16) std::array<std::byte, kStackBytes> stack{}; // until it is on its own again
};

struct Settings {
    int control = -1; // -1: this is no template
    int tool = 0;
    int monitor = -1;
    bool has_address = false;
    Address address{};
};

Settings settings;
int main_thread = 0;
unsigned quiet_moments = 0;
unsigned rest_moments = 0; // quiet ones in which all other threads rested, too
std::array<Thread, kThreadsMax> threads;
std::size_t thread_count = 0;
std::array<int, kEventsMax> events{}; // eventfd()s, of which each process needs its own
std::size_t event_count = 0;
std::array<std::uint8_t*, kPlacesMax> places{}; // where the machine keeps its address
std::size_t place_count = 0;
void* sandbox = nullptr; // QEMU's filter of system calls

void answer(AnswerKind kind, int value, std::string_view words = {}) {
    Answer said{kind, value, {}};
    std::copy_n(words.begin(), std::min(words.size(), kWordsBytes - 1), said.words.begin());
    static_cast<void>(send(settings.control, &said, sizeof said, MSG_NOSIGNAL));
}

[[noreturn]] void refuse(std::string_view why) {
    answer(AnswerKind::refused, 0, why);
    _exit(1);
}

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

[[gnu::constructor]] void take_settings() {
    const char* const text = std::getenv(kVariable);
    std::array<char, 13> digits{};
    if (text == nullptr || std::sscanf(text, "%d,%d,%d,%12s", &settings.control, &settings.tool,
                                       &settings.monitor, digits.data()) < 3)
        return;
    settings.has_address = std::strlen(digits.data()) == 12;
    for (std::size_t at = 0; settings.has_address && at < settings.address.size(); ++at) {
        const std::array<char, 3> byte{digits[2 * at], digits[2 * at + 1], 0};
        settings.address[at] = static_cast<std::uint8_t>(std::strtoul(byte.data(), nullptr, 16));
    }
    main_thread = gettid();
    if (!kKnown)
        refuse("templates are for x86-64 only");
}

/// Calls `visit` with each number that is the name of a file in the folder. Without opendir(),
/// which allocates.
template <class Visit>
void each_number_in(const char* folder, Visit visit) {
    struct Entry { // linux_dirent64
        std::uint64_t inode;
        std::int64_t offset;
        unsigned short bytes;
        unsigned char type;
        char name[1];
    };
    alignas(Entry) std::array<char, 2048> buffer;
    const int open_folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (long got; (got = syscall(SYS_getdents64, open_folder, buffer.data(), buffer.size())) > 0;)
        for (long at = 0; at < got;) {
            const auto* const entry = reinterpret_cast<const Entry*>(buffer.data() + at);
            const int number = std::atoi(entry->name);
            if (entry->name[0] != '.' && number != open_folder)
                visit(number);
            at += entry->bytes;
        }
    close(open_folder);
}

// ---- threads ----

/// The handler in which a thread of the template waits for ever, and from which its copy in a child
/// returns to what it was about to do.
[[gnu::noinline]] void park(int) {
    const int error = errno;
    const int id = gettid();
    auto* const self = std::find_if(threads.begin(), threads.end(),
                                    [id](const Thread& thread) { return thread.id == id; });
    if (self == threads.end())
        return;
    self->local = __builtin_thread_pointer();
    prctl(PR_GET_TID_ADDRESS, &self->id_at);
    if (__builtin_setjmp(self->place.data()) == 0) {
        self->parked = true;
        for (;;)
            syscall(SYS_ppoll, nullptr, 0, nullptr, nullptr);
    }
    errno = error;
}

/// The first function of a thread in a child, on a stack that it leaves at once.
[[gnu::noinline]] int go_on(void* thread) {
    __builtin_longjmp(static_cast<Thread*>(thread)->place.data(), 1);
}

/// True if each other thread waits to be woken. QEMU's thread that frees what nobody reads any more
/// gathers it for 50 ms first. What it has not freed before the fork, two thirds of all pages, is
/// copied to each child, which frees it once more.
bool threads_rest() {
    bool all_rest = true;
    each_number_in("/proc/self/task", [&](int id) {
        if (id == main_thread)
            return;
        std::array<char, 64> name;
        std::array<char, 16> call{};
        std::snprintf(name.data(), name.size(), "/proc/self/task/%d/syscall", id);
        const int file = open(name.data(), O_RDONLY | O_CLOEXEC);
        const ssize_t got = read(file, call.data(), call.size() - 1);
        close(file);
        all_rest = all_rest && got > 0 && std::atoi(call.data()) == SYS_futex;
    });
    return all_rest;
}

std::size_t other_threads() {
    std::size_t count = 0;
    each_number_in("/proc/self/task", [&](int id) { count += id != main_thread ? 1 : 0; });
    return count;
}

void park_threads() {
    each_number_in("/proc/self/task", [](int id) {
        if (id == main_thread)
            return;
        if (thread_count == kThreadsMax)
            refuse("the emulator has more threads than the tool knows");
        threads[thread_count++].id = id;
    });
    struct sigaction parking = {};
    struct sigaction before = {};
    parking.sa_handler = park;
    parking.sa_flags = SA_RESTART;
    sigfillset(&parking.sa_mask);
    sigaction(kParkSignal, &parking, &before);
    for (std::size_t at = 0; at < thread_count; ++at)
        syscall(SYS_tgkill, getpid(), threads[at].id, kParkSignal);
    const auto are_parked = [] {
        return std::all_of(threads.begin(), threads.begin() + thread_count,
                           [](const Thread& thread) { return thread.parked.load(); });
    };
    for (unsigned moment = 0; !are_parked(); ++moment) {
        if (moment == kParkMomentsMax)
            refuse("a thread of the emulator does not stop");
        nanosleep(&kMoment, nullptr);
    }
    sigaction(kParkSignal, &before, nullptr);
    if (thread_count == 0 || other_threads() != thread_count)
        refuse("the emulator does not have the threads that the tool knows");
}

/// Called with all signals blocked: a thread takes its own mask back when it is on its own stack.
bool start_threads() {
    constexpr int kFlags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                           CLONE_SYSVSEM | CLONE_SETTLS;
    for (std::size_t at = 0; at < thread_count; ++at) {
        Thread& thread = threads[at];
        const int known = thread.id_at != nullptr ? CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID : 0;
        if (clone(go_on, thread.stack.data() + kStackBytes, kFlags | known, &thread, nullptr,
                  thread.local, thread.id_at) < 0)
            return false;
    }
    return true;
}

// ---- what each node has for itself ----

/// Notes each place of the template's address in pages from `begin` to `end` that were touched.
void find_address_in(std::uint8_t* begin, std::uint8_t* end) {
    while (begin < end) {
        auto* const found =
            static_cast<std::uint8_t*>(memmem(begin, static_cast<std::size_t>(end - begin),
                                              settings.address.data(), settings.address.size()));
        if (found == nullptr)
            return;
        if (place_count == kPlacesMax)
            refuse("the emulator keeps its address in too many places");
        places[place_count++] = found;
        begin = found + settings.address.size();
    }
}

/// Pages that were never touched stay so: each child would pay for their tables.
void find_address_in_touched(std::uint8_t* begin, std::uint8_t* end) {
    static std::array<unsigned char, 1024> resident;
    std::uint8_t* touched = begin; // from here to `page` all are
    for (std::uint8_t* block = begin; block < end;) {
        const std::size_t bytes =
            std::min(static_cast<std::size_t>(end - block), resident.size() * kPageBytes);
        if (mincore(block, bytes, resident.data()) != 0)
            return;
        for (std::size_t page = 0; page < bytes / kPageBytes; ++page) {
            if ((resident[page] & 1) != 0)
                continue;
            find_address_in(touched, block + page * kPageBytes);
            touched = block + (page + 1) * kPageBytes;
        }
        block += bytes;
    }
    find_address_in(touched, end);
}

/// Looks through the memory that no file is behind, but for the main thread's stack.
void find_address() {
    static std::array<char, 1 << 17> maps;
    std::size_t bytes = 0;
    const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    for (ssize_t got; bytes + 1 < maps.size() &&
                      (got = read(file, maps.data() + bytes, maps.size() - 1 - bytes)) > 0;)
        bytes += static_cast<std::size_t>(got);
    close(file);
    if (bytes + 1 == maps.size())
        refuse("the emulator has more parts of memory than the tool knows");
    maps[bytes] = 0;
    for (char* line = maps.data(); line != nullptr && *line != 0;) {
        char* const end_of_line = std::strchr(line, '\n');
        if (end_of_line != nullptr)
            *end_of_line = 0;
        std::uint8_t* begin = nullptr;
        std::uint8_t* end = nullptr;
        std::array<char, 5> rights{};
        void* ends[2] = {};
        if (std::sscanf(line, "%p-%p %4s", &ends[0], &ends[1], rights.data()) == 3 &&
            std::string_view(rights.data()) == "rw-p" && std::strchr(line, '/') == nullptr &&
            std::strstr(line, "[stack]") == nullptr) {
            begin = static_cast<std::uint8_t*>(ends[0]);
            end = static_cast<std::uint8_t*>(ends[1]);
            find_address_in_touched(begin, end);
        }
        line = end_of_line != nullptr ? end_of_line + 1 : nullptr;
    }
    if (place_count == 0)
        refuse("the emulator keeps its address nowhere");
}

void find_events() {
    each_number_in("/proc/self/fd", [](int number) {
        std::array<char, 64> name;
        std::array<char, 64> target{};
        std::snprintf(name.data(), name.size(), "/proc/self/fd/%d", number);
        if (readlink(name.data(), target.data(), target.size() - 1) < 0 ||
            std::string_view(target.data()) != "anon_inode:[eventfd]")
            return;
        if (event_count == kEventsMax)
            refuse("the emulator has too many events");
        events[event_count++] = number;
    });
}

/// Puts `file` in the place of `number`, with the flags that the emulator has set there.
bool put(int file, int number) {
    const int flags = fcntl(number, F_GETFL);
    const int close_on_exec = number < kFirstGivenFd ? 0 : O_CLOEXEC;
    const bool is_put = (number < kFirstGivenFd || fcntl(file, F_SETFL, flags) == 0) &&
                        dup3(file, number, close_on_exec) == number;
    close(file);
    return is_put;
}

bool put_files(const std::array<int, kFilesMax>& files, std::size_t count) {
    for (std::size_t at = 0; at < count; ++at)
        if (!put(files[at], static_cast<int>(at)))
            return false;
    for (std::size_t at = 0; at < event_count; ++at) {
        const int own = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        if (own < 0 || !put(own, events[at]))
            return false;
    }
    return true;
}

bool begin_sandbox() {
    if (sandbox == nullptr)
        return true;
    const int result = next<int(void*)>("seccomp_load")(sandbox);
    errno = -result;
    return result == 0;
}

/// The child's side. It ends with the tool, and Ctrl-C at the terminal does not reach it, as with
/// an emulator that the tool starts itself.
void become_node(const Request& request, const std::array<int, kFilesMax>& files,
                 std::size_t count) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != settings.tool)
        _exit(1);
    for (std::size_t at = 0; at < place_count; ++at)
        std::copy(request.address.begin(), request.address.end(), places[at]);
    if (!put_files(files, count) || !start_threads() || !begin_sandbox()) {
        answer(AnswerKind::started, errno);
        _exit(1);
    }
    answer(AnswerKind::started, 0);
    close(settings.control);
    settings.control = -1;
}

// ---- requests ----

/// fork() without its handlers.
pid_t fork_beside() {
    int* id_at = nullptr;
    prctl(PR_GET_TID_ADDRESS, &id_at);
    const int known = id_at != nullptr ? CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID : 0;
    return static_cast<pid_t>(
        syscall(SYS_clone, CLONE_PARENT | SIGCHLD | known, nullptr, nullptr, id_at, nullptr));
}

/// The next request and its files; false at the end of them.
bool take(Request& request, std::array<int, kFilesMax>& files, std::size_t& count) {
    iovec data{&request, sizeof request};
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof files)> space;
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = space.data();
    message.msg_controllen = space.size();
    if (recvmsg(settings.control, &message, MSG_CMSG_CLOEXEC) != sizeof request)
        return false;
    const cmsghdr* const head = CMSG_FIRSTHDR(&message);
    if (head == nullptr || head->cmsg_type != SCM_RIGHTS || (message.msg_flags & MSG_CTRUNC) != 0)
        return false;
    count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    std::memcpy(files.data(), CMSG_DATA(head), count * sizeof(int));
    return true;
}

/// Forks for each request. Returns in each child; ends the template when there are no more.
void serve() {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    Request request;
    std::array<int, kFilesMax> files;
    std::size_t count = 0;
    while (take(request, files, count)) {
        const pid_t child = fork_beside();
        if (child == 0) {
            become_node(request, files, count);
            pthread_sigmask(SIG_SETMASK, &before, nullptr);
            return;
        }
        const int error = errno;
        for (std::size_t at = 0; at < count; ++at)
            close(files[at]);
        answer(AnswerKind::forked, child > 0 ? child : -error);
    }
    _exit(0);
}

/// The machine is made.
void become_template() {
    if (getppid() != settings.tool)
        refuse("another program started the emulator, not the tool");
    find_events();
    park_threads();
    if (settings.has_address)
        find_address();
    answer(AnswerKind::ready, sandbox != nullptr ? 1 : 0);
    serve();
}

bool polls_monitor(const pollfd* files, nfds_t count) {
    return std::any_of(files, files + count,
                       [](const pollfd& file) { return file.fd == settings.monitor; });
}

/// True if the poll waits for something to come.
bool waits(const timespec* timeout) {
    return timeout == nullptr || timeout->tv_sec != 0 || timeout->tv_nsec > kMoment.tv_nsec;
}

} // namespace

extern "C" {

/// QEMU's main loop. A template polls for a moment at a time until nothing has come for some.
int ppoll(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask) {
    static int (*real)(pollfd*, nfds_t, const timespec*, const sigset_t*) = nullptr;
    if (real == nullptr)
        real = next<int(pollfd*, nfds_t, const timespec*, const sigset_t*)>("ppoll");
    if (settings.control < 0 || gettid() != main_thread || !polls_monitor(files, count) ||
        !waits(timeout))
        return real(files, count, timeout, mask);
    const int ready = real(files, count, &kMoment, mask);
    quiet_moments = ready == 0 ? quiet_moments + 1 : 0;
    rest_moments = ready == 0 && threads_rest() ? rest_moments + 1 : 0;
    if (rest_moments == kQuietMoments || quiet_moments == kQuietMomentsMax)
        become_template();
    return ready;
}

/// The same, as programs call it that were compiled with checks.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
int __ppoll_chk(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask,
                std::size_t /*bytes*/) {
    return ppoll(files, count, timeout, mask);
}

/// QEMU keeps the memory of its machine from children, of which it knows only commands.
int madvise(void* memory, std::size_t bytes, int advice) {
    if (settings.control >= 0 && advice == MADV_DONTFORK)
        return 0;
    return next<int(void*, std::size_t, int)>("madvise")(memory, bytes, advice);
}

/// A template notes the filter, which would keep it from forking; each child loads it.
int seccomp_load(void* filter) {
    if (settings.control < 0)
        return next<int(void*)>("seccomp_load")(filter);
    if (sandbox != nullptr)
        refuse("the emulator has more than one sandbox");
    sandbox = filter;
    return 0;
}

void seccomp_release(void* filter) {
    if (settings.control < 0 || filter != sandbox)
        next<void(void*)>("seccomp_release")(filter);
}
}
