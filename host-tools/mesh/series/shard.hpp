// A part of the runs of a series or a matrix, for several machines that share them: --shard 2/8
// does the second run, the tenth, the eighteenth and so on. `mesh merge` puts the reports together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mesh::host {

struct Shard {
    std::uint32_t number = 1; // from 1 to `of`
    std::uint32_t of = 1;

    bool is_all() const { return of == 1; }
    /// It does the run with this number, from 0.
    bool takes(std::uint64_t place) const { return place % of == number - 1; }
    /// As shard_of() reads it.
    std::string text() const;
};

/// "2/8"; nothing if it is no shard.
std::optional<Shard> shard_of(std::string_view text);
/// The same of an option's value; "": all runs. UsageError.
Shard shard_given(std::string_view text);
/// UsageError if some shard of these `runs` would have none.
void check_shard(const Shard& shard, std::uint64_t runs);

} // namespace mesh::host
