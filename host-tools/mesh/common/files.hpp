// Files that a run leaves behind: whole or not at all.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// Refuses a path that cannot be written, and touches nothing. `option` is named in the error.
/// UsageError.
void check_writable(const std::string& path, std::string_view option);

/// Refuses a folder that has anything in it, and a file; touches nothing. UsageError.
void check_new_folder(const std::string& path, std::string_view option);

/// The bytes of a file, in spans that follow each other.
using ByteSpans = std::vector<std::span<const std::byte>>;

/// Writes the file under another name in its folder and renames it, so that the file that was there
/// before stays whole until then. A pipe or a device is written in place. RunError.
void write_whole(const std::string& path, const ByteSpans& spans, std::string_view option);
void write_whole(const std::string& path, std::span<const std::byte> bytes,
                 std::string_view option);

/// Writes all of it to an open file, however many calls that takes. 0, or errno of the one that
/// failed.
int write_all(int file, std::span<const std::byte> bytes);

} // namespace mesh::host
