# SAYS: were written to a transmitter that was full
# LOSES: frames of every length
s/while (leaving_ && .*/while (leaving_) {/
