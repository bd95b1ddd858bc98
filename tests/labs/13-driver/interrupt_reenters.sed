# SAYS: of them not as they had left
# LOSES: all ports at once
/void transmit(/,/^    }/{
/Guard guard/d
}
