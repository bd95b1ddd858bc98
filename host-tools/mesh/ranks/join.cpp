#include "join.hpp"

#include "host-tools/mesh/common/cores.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "host-tools/mesh/common/version.hpp"
#include "host-tools/mpi/mpi.hpp"
#include "socket_uplink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <string>
#include <string_view>
#include <sys/random.h>
#include <sys/socket.h>
#include <type_traits>
#include <unistd.h>
#include <utility>

namespace mesh::host {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// How long a rank may take to connect, and to try one of the addresses of rank 0.
constexpr std::chrono::milliseconds kJoinTimeout = 20s;
constexpr std::chrono::milliseconds kAddressTimeout = 3s;
constexpr std::size_t kAddressesMax = 16;
constexpr std::size_t kNameBytes = 64;
constexpr const char* kApart = "apart";
constexpr const char* kVariable = "MESH_RANKS";

/// A rank in words of its own, for all others. Zeroes behind all texts.
struct Card {
    std::array<char, kNameBytes> version{};
    std::array<char, kNameBytes> host{};
    std::array<char, kNameBytes> machine{}; // as the kernel has named it when it began
    std::uint32_t cores = 1;
};

/// How rank 0 is reached.
struct Door {
    std::array<std::uint8_t, 16> secret{};                // of those who may come in
    std::array<std::uint8_t, 16> answer{};                // of rank 0
    std::array<std::uint32_t, kAddressesMax> addresses{}; // IPv4, as on the network; 0: no more
    std::uint16_t port = 0;                               // as on the network
};

/// The first bytes by a socket: who comes, and that he was told where.
struct Knock {
    std::array<std::uint8_t, 16> secret{};
    std::uint32_t rank = 0;
};
static_assert(std::is_trivially_copyable_v<Card> && std::is_trivially_copyable_v<Door>);

void put(std::array<char, kNameBytes>& to, std::string_view text) {
    std::copy_n(text.begin(), std::min(text.size(), to.size() - 1), to.begin());
}

[[noreturn]] void fail(std::string_view what) {
    throw RunError(fmt::format("{}: {}", what, std::strerror(errno)));
}

std::optional<unsigned> number_of(const char* variable) {
    const char* const value = std::getenv(variable);
    return value == nullptr ? std::nullopt : number_in<unsigned>(value);
}

/// The functions of the object.
struct Mpi {
    decltype(&mesh_mpi_begin) begin;
    decltype(&mesh_mpi_share) share;
    decltype(&mesh_mpi_end) end;

    template <class T>
    std::vector<T> shared(const T& mine, unsigned ranks) const {
        std::vector<T> all(ranks);
        share(&mine, all.data(), static_cast<int>(sizeof(T)));
        return all;
    }
};

Mpi load(const Launch& launch, const std::filesystem::path& object) {
    // The symbols of the object must be visible to the parts that an MPI loads later.
    void* const loaded = dlopen(object.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (loaded == nullptr)
        refuse("{} of mesh were started to share a run, and what that takes of MPI cannot be "
               "loaded ({}): install an MPI (openmpi-bin and libopenmpi-dev, or mpich and "
               "libmpich-dev) and build mesh again; to run each by itself: MESH_RANKS=apart",
               launch.ranks, dlerror());
    const auto function = [&]<class F>(F*& to, const char* name) {
        to = reinterpret_cast<F*>(dlsym(loaded, name));
        if (to == nullptr)
            refuse("{}: has no {}; it is not libmesh-mpi.so of this version", object.string(),
                   name);
    };
    Mpi mpi{};
    function(mpi.begin, "mesh_mpi_begin");
    function(mpi.share, "mesh_mpi_share");
    function(mpi.end, "mesh_mpi_end");
    return mpi;
}

/// A launcher binds a rank to one core, and its emulators would inherit that.
void unbind() {
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int core = 0; core < CPU_SETSIZE; ++core)
        CPU_SET(static_cast<std::size_t>(core), &all);
    static_cast<void>(sched_setaffinity(0, sizeof all, &all));
}

Card own_card() {
    Card card;
    put(card.version, kVersion);
    std::array<char, kNameBytes> name{};
    gethostname(name.data(), name.size() - 1);
    card.host = name;
    const Fd boot(open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
    std::array<char, kNameBytes> id{};
    if (boot.get() >= 0 && read(boot.get(), id.data(), 36) == 36)
        card.machine = id;
    card.cores = cores();
    return card;
}

void fill_with_chance(std::span<std::uint8_t> bytes) {
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        fail("getrandom");
}

void list_addresses(Door& door) {
    ifaddrs* all = nullptr;
    if (getifaddrs(&all) != 0)
        fail("getifaddrs");
    std::size_t count = 0;
    for (const ifaddrs* one = all; one != nullptr && count < kAddressesMax; one = one->ifa_next) {
        if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET ||
            (one->ifa_flags & IFF_UP) == 0 || (one->ifa_flags & IFF_LOOPBACK) != 0)
            continue;
        sockaddr_in address{};
        std::memcpy(&address, one->ifa_addr, sizeof address);
        door.addresses[count++] = address.sin_addr.s_addr;
    }
    freeifaddrs(all);
}

/// A socket that listens, on this machine alone if all ranks are here.
Fd open_door(Door& door, bool all_here) {
    Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(all_here ? INADDR_LOOPBACK : INADDR_ANY);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t bytes = sizeof address;
    if (socket.get() < 0 || bind(socket.get(), generic, bytes) != 0 ||
        listen(socket.get(), SOMAXCONN) != 0 || getsockname(socket.get(), generic, &bytes) != 0)
        fail("a socket for the other ranks");
    door.port = address.sin_port;
    fill_with_chance(door.secret);
    fill_with_chance(door.answer);
    if (!all_here)
        list_addresses(door);
    return socket;
}

bool ready(int socket, short events, Clock::time_point until) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    pollfd wanted{socket, events, 0};
    return left > 0ms && poll(&wanted, 1, static_cast<int>(left.count())) == 1;
}

template <class T>
bool receive(int socket, T& value, Clock::time_point until) {
    auto* const bytes = reinterpret_cast<std::byte*>(&value);
    for (std::size_t got = 0; got < sizeof value;) {
        if (!ready(socket, POLLIN, until))
            return false;
        const ssize_t more = recv(socket, bytes + got, sizeof value - got, MSG_DONTWAIT);
        if (more == 0 || (more < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        got += more > 0 ? static_cast<std::size_t>(more) : 0;
    }
    return true;
}

template <class T>
bool tell(int socket, const T& value) {
    return ::send(socket, &value, sizeof value, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof value);
}

void send_at_once(int socket) {
    const int yes = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

std::string list_of_hosts(const std::vector<RankFacts>& facts, const std::vector<Fd>& there) {
    std::string words;
    for (unsigned rank = 1; rank < facts.size(); ++rank)
        if (there[rank].get() < 0)
            words += fmt::format("{}rank {} on host {}", words.empty() ? "" : ", ", rank,
                                 facts[rank].host);
    return words;
}

/// Rank 0: lets in those who know the secret.
std::vector<Fd> let_in(const Fd& door_socket, const Door& door,
                       const std::vector<RankFacts>& facts) {
    std::vector<Fd> sockets(facts.size());
    const auto until = Clock::now() + kJoinTimeout;
    for (unsigned missing = static_cast<unsigned>(facts.size()) - 1; missing != 0;) {
        if (!ready(door_socket.get(), POLLIN, until))
            throw RunError(fmt::format("cannot be reached from: {}; is there a way for TCP to {}?",
                                       list_of_hosts(facts, sockets), facts[0].host));
        Fd socket(accept4(door_socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
        Knock knock;
        if (socket.get() < 0 ||
            !receive(socket.get(), knock, std::min(until, Clock::now() + kAddressTimeout)) ||
            knock.secret != door.secret || knock.rank == 0 || knock.rank >= facts.size() ||
            sockets[knock.rank].get() >= 0 || !tell(socket.get(), door.answer))
            continue;
        send_at_once(socket.get());
        sockets[knock.rank] = std::move(socket);
        --missing;
    }
    return sockets;
}

/// Connects to one address; no socket if nobody answers there as rank 0 does.
Fd knock_at(std::uint32_t address, const Door& door, unsigned rank) {
    const auto until = Clock::now() + kAddressTimeout;
    Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = address;
    to.sin_port = door.port;
    if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 &&
        errno != EINPROGRESS)
        return {};
    std::array<std::uint8_t, 16> answer{};
    if (!ready(socket.get(), POLLOUT, until) || !tell(socket.get(), Knock{door.secret, rank}) ||
        !receive(socket.get(), answer, until) || answer != door.answer)
        return {};
    send_at_once(socket.get());
    return socket;
}

Fd go_in(const Door& door, unsigned rank, const std::vector<RankFacts>& facts) {
    if (facts[rank].same_host) {
        if (Fd socket = knock_at(htonl(INADDR_LOOPBACK), door, rank); socket.get() >= 0)
            return socket;
    }
    for (const std::uint32_t address : door.addresses) {
        if (address == 0)
            break;
        if (Fd socket = knock_at(address, door, rank); socket.get() >= 0)
            return socket;
    }
    throw RunError(fmt::format("rank {} on host {} cannot reach host {} by TCP", rank,
                               facts[rank].host, facts[0].host));
}

} // namespace

std::optional<Launch> launch_from_environment() {
    if (const char* const how = std::getenv(kVariable); how != nullptr) {
        if (how != std::string_view(kApart))
            refuse("{}={}: allowed: {}", kVariable, how, kApart);
        return std::nullopt;
    }
    constexpr std::array<std::pair<const char*, const char*>, 3> kLaunchers{
        {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
         {"PMI_SIZE", "PMI_RANK"},
         {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}}};
    for (const auto& [size, rank] : kLaunchers)
        if (const auto ranks = number_of(size); ranks.value_or(1) > 1)
            return Launch{number_of(rank).value_or(0), *ranks};
    return std::nullopt;
}

void run_apart() { setenv(kVariable, kApart, 1); }

std::unique_ptr<Uplink> join_ranks(const Launch& launch, std::filesystem::path object,
                                   std::chrono::milliseconds silence) {
    if (const char* const other = std::getenv("MESH_MPI"))
        object = other;
    const Mpi mpi = load(launch, object);
    int rank = 0;
    int ranks = 1;
    mpi.begin(&rank, &ranks);
    if (static_cast<unsigned>(ranks) != launch.ranks)
        refuse("{} of mesh were started to share a run, and the MPI of {} sees {}: it is not the "
               "MPI of this launcher; build mesh with that one (MPICXX=), or MESH_MPI=FILE",
               launch.ranks, object.string(), ranks);
    unbind();
    const auto number = static_cast<unsigned>(rank);
    const std::vector<Card> cards = mpi.shared(own_card(), launch.ranks);
    std::vector<RankFacts> facts;
    for (const Card& card : cards)
        facts.push_back({card.host.data(), card.cores,
                         card.machine == cards[0].machine && card.host == cards[0].host});
    const bool all_here = std::ranges::all_of(facts, &RankFacts::same_host);
    Door door;
    Fd door_socket;
    if (number == 0)
        door_socket = open_door(door, all_here);
    door = mpi.shared(door, launch.ranks)[0];
    mpi.end();
    for (unsigned other = 0; other < facts.size(); ++other)
        if (cards[other].version != cards[0].version)
            refuse("rank {} on host {} is mesh {}, rank 0 is mesh {}", other, facts[other].host,
                   cards[other].version.data(), cards[0].version.data());
    std::vector<Fd> sockets(launch.ranks);
    if (number == 0)
        sockets = let_in(door_socket, door, facts);
    else
        sockets[0] = go_in(door, number, facts);
    return std::make_unique<SocketUplink>(number, std::move(facts), std::move(sockets), silence);
}

} // namespace mesh::host
