// Every fault of a single frame: the same run again and again, and in each another frame is lost,
// doubled, behind the next one or damaged. One such fault, or two, must cost nothing: everything
// ends well and no link is given up.
#pragma once

namespace mesh::soak {

/// `single NAME:DIM collectives|messages`: every frame, every kind; `pairs` behind it: all pairs of
/// these; `FRAME:KIND` once or more: these only. Exit status as of the program.
int single_faults(int count, char** words);

} // namespace mesh::soak
