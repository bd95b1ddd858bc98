// What a packet carries in the simulation that runs: as much as on the board that it stands for.
#include "wire/frame.hpp"

std::uint16_t mesh::wire::simulated_payload_bytes_max = mesh::wire::kPayloadBytesMost;
