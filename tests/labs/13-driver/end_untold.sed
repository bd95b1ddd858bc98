# SAYS: is_ready() is true by now, and wait() did not end
# LOSES: a packet that leaves slowly
/^            else$/,/happened_ = true;/d
