# boards/serial/serial_board.hpp
/::transmit(/,/^}/s/    const Guard guard;//
