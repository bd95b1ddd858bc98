# SAYS: left, and not as it was sent
# LOSES: a packet that leaves slowly
/bool is_ready() const/s/!leaving_/(uart.state \& kTransmitterFull) == 0/
