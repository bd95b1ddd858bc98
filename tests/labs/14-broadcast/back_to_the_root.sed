# SAYS: nobody took a message of node
# LOSES: everybody has everything
s/serves \&\& to != kRoot/serves/
