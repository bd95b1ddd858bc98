# SAYS: and that is wrong
# LOSES: running sums
s/Sendrecv(&whole/Sendrecv(\&mine/
