// The number of a channel is not any number.
// EXPECT: class template argument deduction failed
#include "kernel/api/channel.hpp"

#ifdef MESH_COMPILES
mesh::ChannelOut out{mesh::NodeId{1}, mesh::ChannelNumber{3}};
#else
mesh::ChannelOut out{mesh::NodeId{1}, 3};
#endif
