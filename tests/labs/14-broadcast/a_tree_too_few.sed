# SAYS: right, but 12 steps
# LOSES: as fast as can be
s/number % node.ports()/number % (node.ports() - 1)/
