# SAYS: and that is wrong
# LOSES: the sum at each of 8 nodes
s/Sendrecv(&number/Sendrecv(\&sum/
/number = theirs;/d
s/sum += number/sum += theirs/
