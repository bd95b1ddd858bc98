# SAYS: in a second without a byte
# LOSES: a node that waits for nothing
s/kListens | (leaving_ ? kRoom : 0)/kListens | kRoom/
