# SAYS: the receiver has overrun, and takes nothing
# LOSES: after noise
/if ((uart.events & kOverrun) != 0) {/,/}/d
