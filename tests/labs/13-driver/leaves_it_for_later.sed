# SAYS: did not come back within 5 s
# LOSES: frames of every length
/void on_interrupt() {/,/^    }/c\
    void on_interrupt() { pending_ = true; } // has_frame() does the rest
/bool has_frame() const/c\
    bool has_frame() {\
        if (std::exchange(pending_, false)) {\
            const Guard guard;\
            receive();\
            send();\
        }\
        return frames_ != 0;\
    }
s/drops_ = false;$/drops_ = false, pending_ = false;/
