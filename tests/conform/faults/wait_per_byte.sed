# boards/serial/serial_board.hpp
s/happened_ = happened_ || came || left;/happened_ = came || left || true;/
