#include "boards/cortex-m/node.hpp"

template class mesh::Node<mesh::board::ImageBoard>;
