// resets: one node resets itself in its first life, before a barrier of all. Words: which node,
// then "may" if its program may begin again, "on" if it does so in each life.
#include "meshputer.hpp"

using namespace mesh;

Process app_main(Kernel& node) {
    const std::string_view how = node.arguments().size() > 1 ? node.arguments()[1] : "";
    if (!how.empty())
        may_begin_again(node);
    if (index(node.id()) == word(node, 0, 0u) && (node.starts() == 0 || how == "on")) {
        co_await node.sleep(50 * wire::kTicksPerUnit);
        print("I go\n");
        reset_node();
    }
    co_return co_await barrier(node);
}
