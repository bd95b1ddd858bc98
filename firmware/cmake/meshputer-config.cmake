# find_package(meshputer): the sources lie beside this file and are built with the flags of the
# project that asks for them (CMakeLists.txt of firmware/ says how they are used).
if(NOT TARGET meshputer::kernel)
  add_subdirectory(${CMAKE_CURRENT_LIST_DIR}/../firmware ${CMAKE_BINARY_DIR}/meshputer)
endif()
