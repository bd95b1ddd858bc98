# SAYS: and that is wrong
# LOSES: 8 numbers in six other orders
s/rising = (me & size) == 0/rising = 1/
