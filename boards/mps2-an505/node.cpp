#include "boards/mps2-an505/node.hpp"

template class mesh::Node<mesh::board::Board>;
