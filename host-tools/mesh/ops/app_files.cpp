#include "app_files.hpp"

#include "data.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "wire/app_parameters.hpp"
#include "wire/bytes.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <system_error>
#include <vector>

namespace mesh::host {

namespace {

namespace fs = std::filesystem;

/// By their paths in the folder, in their order.
std::vector<std::string> names_in(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
         at.increment(error))
        if (at->is_regular_file(error))
            names.push_back(at->path().lexically_relative(folder).string());
    if (error)
        refuse(Refusal::file, "--files '{}': {}", folder, error.message());
    if (names.empty())
        refuse(Refusal::file, "--files '{}': there is no file in it", folder);
    std::ranges::sort(names);
    return names;
}

Bytes read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file)
        refuse(Refusal::file, "--files: '{}' cannot be read", path.string());
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

} // namespace

AppFiles read_app_files(const std::string& folder) {
    const std::vector<std::string> names = names_in(folder);
    AppFiles all;
    for (const std::string& name : names)
        all.list_bytes += static_cast<std::uint32_t>(sizeof(wire::FileEntry) + name.size());
    Bytes data;
    const auto append = [](Bytes& to, std::span<const std::byte> more) {
        to.insert(to.end(), more.begin(), more.end());
    };
    for (const std::string& name : names) {
        const Bytes file = read_file(fs::path(folder) / name);
        const std::size_t position = wire::kFilesAt + all.list_bytes + data.size();
        append(data, file);
        if (data.size() > static_cast<std::size_t>(kInputBytesMax))
            refuse("--files '{}': more than the {} bytes that are allowed", folder, kInputBytesMax);
        const wire::FileEntry entry{static_cast<std::uint32_t>(position),
                                    static_cast<std::uint32_t>(file.size()),
                                    static_cast<std::uint32_t>(name.size())};
        append(all.bytes, wire::bytes_of(entry));
        append(all.bytes, std::as_bytes(std::span(name)));
    }
    append(all.bytes, data);
    return all;
}

} // namespace mesh::host
