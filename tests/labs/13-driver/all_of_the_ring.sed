# SAYS: were there
# LOSES: what the windows promise
/static constexpr std::size_t window_bytes/,/^    }/c\
    static constexpr std::size_t window_bytes() { return kRingBytes; }
