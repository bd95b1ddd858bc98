# SAYS: bytes, and the ring has
# LOSES: what the windows promise
/return kRingBytes - /,/;$/c\
        return 3 * wire::cobs_bytes(wire::kFrameBytesMax) - kRingBytes; // wraps
