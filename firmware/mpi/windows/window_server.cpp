// The strand that serves the windows of a node.
#include "mpi/windows/windows.hpp"

#include "fiber/fiber.hpp"
#include "fiber/strand.hpp"
#include "mpi/collectives/operations.hpp"
#include "mpi/engine/envelope.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace mesh::mpi {

Queue<Window> windows;

namespace {

constexpr std::size_t kServerStackBytes = 4096 * sizeof(void*);
bool is_started = false;

MPI_Op op_asked(const Ask& ask) {
    return std::bit_cast<MPI_Op>(static_cast<std::uintptr_t>(ask.op));
}

/// Does right = left op right for `count` operands of one basic type.
void combine(const Ask& ask, const std::byte* left, std::byte* right, std::size_t count) {
    Type type;
    type.size = type.unit = ask.unit;
    type.extent = ask.unit;
    type.element = static_cast<Element>(ask.element);
    Operation(*op_of(op_asked(ask)), type, MPI_DATATYPE_NULL)
        .combine(const_cast<std::byte*>(left), right, static_cast<int>(count));
}

/// The same for one pair with a hole in memory, where only its data is written. `left` is packed.
void combine_pair(const Ask& ask, const Type& pair, const std::byte* left, std::byte* memory) {
    using Widest = ValueAndIndex<long double>;
    alignas(Widest) std::array<std::byte, sizeof(Widest)> ours{};
    alignas(Widest) std::array<std::byte, sizeof(Widest)> theirs{};
    std::array<std::byte, sizeof(Widest)> packed;
    unpack(pair, 1, left, pair.size, ours.data());
    pack(pair, 1, memory, packed.data());
    unpack(pair, 1, packed.data(), pair.size, theirs.data());
    combine(ask, ours.data(), theirs.data(), 1);
    pack(pair, 1, theirs.data(), packed.data());
    unpack(pair, 1, packed.data(), pair.size, memory);
}

/// A question of a rank, as it came.
class Arrived {
public:
    Arrived(Window& window, Rank from, std::byte* bytes) : window_(window), from_(from) {
        std::memcpy(&ask_, bytes, sizeof ask_);
        runs_ = reinterpret_cast<const Run*>(bytes + sizeof ask_);
        data_ = reinterpret_cast<std::byte*>(bytes) + sizeof ask_ + ask_.run_count * sizeof(Run);
        if (!is_plain(op_asked(ask_)))
            pair_ = pair_with_hole(static_cast<Element>(ask_.element));
    }

    void serve() {
        if (window_.flavor == MPI_WIN_FLAVOR_DYNAMIC && !is_attached())
            return refuse();
        switch (ask_.what) {
        case Ask::What::put:
            return each_run([](std::byte* memory, std::byte* data, std::size_t bytes) {
                std::copy_n(data, bytes, memory);
            });
        case Ask::What::get: return answer_what_is_there();
        case Ask::What::fetch: answer_what_is_there(); return change();
        case Ask::What::accumulate: return change();
        case Ask::What::compare: return swap_if_equal();
        case Ask::What::flush: return answer_how_it_went();
        case Ask::What::lock: return lock();
        case Ask::What::unlock: return unlock();
        }
    }

private:
    void answer(Rank to, int tag) { send_room(window_, Traffic::collectives, {}, 0, to, tag); }
    /// Answers whether all questions since the last such answer went well: then there is no data in
    /// it.
    void answer_how_it_went() {
        bool& has_strayed = window_.targets[static_cast<std::size_t>(from_)].has_strayed;
        if (!std::exchange(has_strayed, false))
            return answer(from_, ask_.answer);
        constexpr int kCode = MPI_ERR_RMA_RANGE;
        Room room(sizeof kCode);
        std::memcpy(room.data(), &kCode, sizeof kCode);
        send_room(window_, Traffic::collectives, std::move(room), sizeof kCode, from_, ask_.answer);
    }

    /// All runs of the question lie in memory that is attached.
    bool is_attached() const {
        for (std::uint32_t at = 0; at < ask_.run_count; ++at)
            if (!is_attached(runs_[at]))
                return false;
        return true;
    }
    bool is_attached(const Run& run) const {
        const auto begin = static_cast<std::uintptr_t>(run.offset);
        const std::uintptr_t end =
            begin + (pair_ != nullptr ? static_cast<std::uintptr_t>(pair_->runs_end()) : run.bytes);
        if (end < begin)
            return false;             // it is no memory
        std::uintptr_t place = begin; // what is before it is attached
        while (place < end) {
            const Attached* const one = *window_.attached.find([place](const Attached& other) {
                return place >= other.begin && place < other.end;
            });
            if (one == nullptr)
                return false;
            place = one->end;
        }
        return true;
    }
    /// Notes that the question was refused, for the next answer without data. If it has an answer
    /// with data, that has none.
    void refuse() {
        window_.targets[static_cast<std::size_t>(from_)].has_strayed = true;
        if (ask_.what != Ask::What::put && ask_.what != Ask::What::accumulate)
            answer(from_, ask_.answer);
    }

    /// Calls `act` with each run of the memory, and the data for it.
    template <class F>
    void each_run(F act) {
        std::byte* data = data_;
        for (std::uint32_t at = 0; at < ask_.run_count; ++at) {
            act(window_.base + runs_[at].offset, data, runs_[at].bytes);
            data += runs_[at].bytes;
        }
    }
    void answer_what_is_there() {
        Room room(ask_.bytes);
        std::byte* into = room.data();
        each_run([&](const std::byte* memory, std::byte*, std::size_t bytes) {
            if (pair_ != nullptr)
                pack(*pair_, 1, memory, into);
            else
                std::copy_n(memory, bytes, into);
            into += bytes;
        });
        send_room(window_, Traffic::collectives, std::move(room), ask_.bytes, from_, ask_.answer);
    }
    void change() {
        if (op_asked(ask_) == MPI_NO_OP)
            return;
        each_run([this](std::byte* memory, std::byte* data, std::size_t bytes) {
            if (op_asked(ask_) == MPI_REPLACE)
                std::copy_n(data, bytes, memory);
            else if (pair_ != nullptr)
                combine_pair(ask_, *pair_, data, memory);
            else
                combine(ask_, data, memory, bytes / ask_.unit);
        });
    }
    /// The data is the element with which memory is compared, then the one that is put there.
    void swap_if_equal() {
        answer_what_is_there();
        std::byte* const memory = window_.base + runs_[0].offset;
        if (std::equal(data_, data_ + ask_.unit, memory))
            std::copy_n(data_ + ask_.unit, ask_.unit, memory);
    }

    bool may_hold(int kind) const {
        return window_.held == 0 || (window_.held == MPI_LOCK_SHARED && kind == MPI_LOCK_SHARED);
    }
    void grant(Rank rank, int kind, int tag) {
        window_.held = kind;
        ++window_.holders;
        answer(rank, tag);
    }
    void lock() {
        const int kind = static_cast<int>(ask_.op);
        if (*window_.waiters.begin() == nullptr && may_hold(kind))
            return grant(from_, kind, ask_.answer);
        auto* const waiter = make<Waiter>(nullptr, from_, kind, ask_.answer);
        if (waiter == nullptr)
            end_run("no memory for a rank that waits for a lock", MPI_ERR_NO_MEM);
        window_.waiters.push(*waiter);
    }
    void unlock() {
        if (--window_.holders == 0)
            window_.held = 0;
        answer_how_it_went();
        Waiter** const first = window_.waiters.begin();
        while (*first != nullptr && may_hold((*first)->kind)) {
            Waiter* const next = window_.waiters.take(first);
            grant(next->rank, next->kind, next->answer);
            destroy(next);
        }
    }

    Window& window_;
    Rank from_;
    Ask ask_;
    const Type* pair_ = nullptr; // if each run is a pair with a hole
    const Run* runs_;
    std::byte* data_;
};

void serve_next() {
    Window* window = nullptr;
    Unexpected* message = nullptr;
    fiber::await(fiber::node().wait_until([&window, &message] {
        window = *windows.find([&message](const Window& one) {
            message = take_message(one, MPI_ANY_SOURCE, MPI_ANY_TAG);
            return message != nullptr;
        });
        return window != nullptr;
    }));
    const Room room(message->envelope.bytes);
    Request request =
        asked(Request::Kind::receive, room.data(), static_cast<int>(message->envelope.bytes),
              MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, *window);
    begin(request, message);
    wait(request);
    Arrived(*window, request.source, room.data()).serve();
}

void serve_all() {
    for (;;)
        serve_next();
}

Process serve(Kernel& kernel, void* stack) {
    fiber::Strand strand{{static_cast<std::byte*>(stack), kServerStackBytes}, serve_all};
    const Status status = co_await fiber::run(kernel, strand);
    co_return status;
}

} // namespace

void let_others_change() {
    constexpr unsigned kOften = 16;
    static unsigned times = 0;
    if (++times % kOften == 0)
        pass_time();
}

const Type* pair_with_hole(Element element) {
    const MPI_Datatype handle = element == Element::pair_short         ? MPI_SHORT_INT
                                : element == Element::pair_long        ? MPI_LONG_INT
                                : element == Element::pair_double      ? MPI_DOUBLE_INT
                                : element == Element::pair_long_double ? MPI_LONG_DOUBLE_INT
                                                                       : MPI_DATATYPE_NULL;
    const Type* const type = type_of(handle);
    return type == nullptr || type->is_dense() ? nullptr : type;
}

bool start_server() {
    if (is_started)
        return true;
    void* const stack = mesh_malloc(kServerStackBytes);
    if (stack == nullptr)
        return false;
    Kernel& node = fiber::node();
    is_started = node.spawn_alone(serve(node, stack));
    if (!is_started)
        mesh_free(stack);
    return is_started;
}

} // namespace mesh::mpi
