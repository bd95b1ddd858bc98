# SAYS: bytes of noise two frames came
# LOSES: after noise
/last_ - first_ == kRingBytes/,/drop();/s|drop();|return; // until a frame is taken|
