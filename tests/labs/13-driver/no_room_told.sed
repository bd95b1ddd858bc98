# SAYS: is_ready() stays false; the transmitter has nothing to send
# LOSES: a packet that leaves slowly
s/kListens | (leaving_ ? kRoom : 0)/kListens/
