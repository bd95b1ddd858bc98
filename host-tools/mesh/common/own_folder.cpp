#include "own_folder.hpp"

#include "errors.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

namespace mesh::host {

namespace fs = std::filesystem;

bool make_own_folder(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    mkdir(path.c_str(), S_IRWXU); // a folder that is there is checked like a new one
    struct stat there = {};
    return lstat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode) &&
           there.st_uid == geteuid() && (there.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
           access(path.c_str(), W_OK | X_OK) == 0;
}

fs::path temporary_folder() {
    const char* const named = std::getenv("TMPDIR");
    if (named != nullptr && *named == '\0') // as if it were not set
        return "/tmp";
    std::error_code error;
    fs::path folder = fs::temp_directory_path(error);
    if (error)
        refuse("TMPDIR={}: {}", named != nullptr ? named : "", error.message());
    return folder;
}

TemporaryFolder::TemporaryFolder(const std::string& name) {
    std::string made = (temporary_folder() / (name + "-XXXXXX")).string();
    if (mkdtemp(made.data()) == nullptr)
        refuse("{}: no folder can be made there", temporary_folder().string());
    path_ = made;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
}

} // namespace mesh::host
