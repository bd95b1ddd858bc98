# SAYS: wait() ended
# LOSES: a wait ends for frames
/void on_interrupt() {/,/^    }/s/^        send();/&\
        happened_ = true;/
