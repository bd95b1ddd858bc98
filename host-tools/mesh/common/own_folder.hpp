// Folders whose files nobody else can have put there.
#pragma once

#include "child_process.hpp"

#include <filesystem>
#include <string>

namespace mesh::host {

/// Makes the folder, and those above it, for this user alone (rights 0700), if it is not there.
/// True if it is a folder, no link, of this user, that no other user can write: files in it can be
/// run. Another user who made a folder of that name before could have put anything into it.
bool make_own_folder(const std::filesystem::path& path);

/// The system's folder for temporary files. UsageError if what the environment names is none.
std::filesystem::path temporary_folder();

/// A new folder among the system's temporary ones, for this user alone, which goes with this
/// object. Where that was killed before, the next one of its name removes its folder.
class TemporaryFolder {
public:
    /// `name` is the beginning of its name, `where` the folder that it is in. UsageError.
    explicit TemporaryFolder(const std::string& name,
                             const std::filesystem::path& where = temporary_folder());
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();

    const std::filesystem::path& path() const { return path_; }
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
    Fd lock_; // while it lives
};

} // namespace mesh::host
