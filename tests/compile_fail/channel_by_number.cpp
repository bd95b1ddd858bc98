// The number of a channel is not any number.
// EXPECT: cannot convert
#include "kernel/api/channel.hpp"

#ifdef MESH_COMPILES
mesh::ChannelOut out{mesh::NodeId{1}, mesh::ChannelNumber{3}};
#else
mesh::ChannelOut out{mesh::NodeId{1}, 3};
#endif
