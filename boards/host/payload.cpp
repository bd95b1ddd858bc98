// The payload of a packet in the simulation that runs: as large as on the board that it stands for.
#include "wire/frame.hpp"

std::uint16_t mesh::wire::simulated_payload_bytes_max = mesh::wire::kPayloadBytesMost;
