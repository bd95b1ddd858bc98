// Prints the words that it was given; its verdict is bad on the node whose number the first one is.
#include "meshputer.hpp"

#include <cstdio>

mesh::Process app_main(mesh::Kernel& node) {
    for (const std::string_view word : node.arguments())
        printf("%.*s\n", static_cast<int>(word.size()), word.data());
    const bool bad = !node.arguments().empty() &&
                     node.arguments()[0][0] == static_cast<char>('0' + mesh::index(node.id()));
    co_return bad ? mesh::Status::unreachable : mesh::Status::ok;
}
