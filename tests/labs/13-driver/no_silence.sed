# SAYS: in the receiver's FIFO lie 7 bytes
# LOSES: frames of every length
s/kHalfFull | kSilence | /kHalfFull | /
