#include "collectives/sort.hpp"

#include "collectives/await.hpp"
#include "wire/bytes.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace mesh {

namespace {

using Bytes = std::span<const std::byte>;

struct Numbers {
    static Bytes first(Bytes records) { return records.first(4); }
    static bool less(Bytes left, Bytes right) {
        return wire::load<std::int32_t>(left, 0) < wire::load<std::int32_t>(right, 0);
    }
};

struct Lines {
    static Bytes first(Bytes records) {
        const void* const end = std::memchr(records.data(), '\n', records.size());
        if (end == nullptr)
            return records;
        const auto length = static_cast<const std::byte*>(end) - records.data();
        return records.first(static_cast<std::size_t>(length) + 1);
    }
    static bool less(Bytes left, Bytes right) {
        const std::size_t both = std::min(left.size(), right.size()) - 1; // without the newline
        const int order = std::memcmp(left.data(), right.data(), both);
        return order < 0 || (order == 0 && left.size() < right.size());
    }
};

/// A sequence of records, and the first of them at hand.
template <class Kind>
class Reader {
public:
    explicit Reader(Bytes records) : rest_(records) { look(); }
    bool empty() const { return rest_.empty(); }
    Bytes first() const { return first_; }
    void next() {
        rest_ = rest_.subspan(first_.size());
        look();
    }
    /// The next `count` records, or all that are left.
    Bytes take(std::size_t count) {
        const std::byte* const begin = rest_.data();
        for (; count != 0 && !empty(); --count)
            next();
        return {begin, rest_.data()};
    }

private:
    void look() {
        if (!rest_.empty())
            first_ = Kind::first(rest_);
    }
    Bytes rest_;
    Bytes first_;
};

/// Merges two sorted sequences: puts records skip .. skip+count-1 of the result into `out`. Returns
/// their bytes; `lost` becomes true if they are more than fit.
template <class Kind>
std::size_t merge(Bytes left, Bytes right, std::size_t skip, std::size_t count,
                  std::span<std::byte> out, bool& lost) {
    Reader<Kind> lower{left};
    Reader<Kind> upper{right};
    std::size_t written = 0;
    for (std::size_t rank = 0; rank < skip + count && !(lower.empty() && upper.empty()); ++rank) {
        const bool from_upper =
            lower.empty() || (!upper.empty() && Kind::less(upper.first(), lower.first()));
        Reader<Kind>& source = from_upper ? upper : lower;
        const Bytes record = source.first();
        if (rank >= skip) {
            lost = lost || record.size() > out.size() - written;
            if (lost)
                break;
            std::memcpy(out.data() + written, record.data(), record.size());
            written += record.size();
        }
        source.next();
    }
    return written;
}

/// Sorts this node's block: merges runs of 1, 2, 4, .. records.
template <class Kind>
Task<Status> sort_block(Kernel& kernel, AscendBlock& block) {
    bool lost = false; // never: all records that are sorted were there
    bool sorted = false;
    for (std::size_t run = 1; !sorted; run *= 2) {
        Reader<Kind> records{block.value()};
        const auto out = block.spare();
        std::size_t written = 0;
        unsigned merges = 0;
        for (; !records.empty(); ++merges) {
            const Bytes left = records.take(run);
            const Bytes right = records.take(run);
            written += merge<Kind>(left, right, 0, 2 * run, out.subspan(written), lost);
        }
        block.take_spare(written);
        sorted = merges <= 1;
        co_await kernel.yield();
    }
    co_return Status::ok;
}

struct Stage {
    unsigned number = 0;
    std::size_t block_records = 0;
    bool* lost; // becomes true when records do not fit
};

/// The node's half of the records of the pair: the smaller ones as far as its block goes, or the
/// rest.
template <class Kind>
std::size_t compare_split(const void* context, const AscendOperands& pair,
                          std::span<std::byte> result) {
    const Stage& stage = *static_cast<const Stage*>(context);
    const bool smaller = bitonic_keeps_smaller(pair.node, stage.number, pair.dim);
    return merge<Kind>(pair.lower, pair.upper, smaller ? 0 : stage.block_records,
                       stage.block_records, result, *stage.lost);
}

template <class Kind>
Task<Status> sort(Kernel& kernel, const SortPlan& plan, AscendBlock& block) {
    Status status = co_await sort_block<Kind>(kernel, block);
    bool lost = false;
    Stage stage{0, plan.block_records, &lost};
    for (; stage.number < kernel.network().dim; ++stage.number) {
        const AscendPlan pass{
            {compare_split<Kind>, &stage}, plan.packet_bytes, plan.tag, stage.number + 1};
        status = first_failure(status, co_await descend(kernel, pass, block));
    }
    co_return status == Status::ok&& lost ? Status::truncated : status;
}

} // namespace

Task<Status> bitonic_sort(Kernel& kernel, const SortPlan& plan, AscendBlock& block) {
    if (plan.record == Record::line)
        return sort<Lines>(kernel, plan, block);
    return sort<Numbers>(kernel, plan, block);
}

} // namespace mesh
