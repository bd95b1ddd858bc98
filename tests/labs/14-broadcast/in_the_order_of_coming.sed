# SAYS: is not here, or not as it was told
# LOSES: over several trees
s/number = got.tag/number = count/
