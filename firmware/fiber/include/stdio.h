/* The C library's, and what POSIX has in it and newlib leaves out. Found before it by programs that
   `mesh build` makes. */
#include_next <stdio.h>

#if defined(__NEWLIB__) && !defined(__cplusplus) && __POSIX_VISIBLE >= 200809
extern __ssize_t getdelim(char**, size_t*, int, FILE*);
extern __ssize_t getline(char**, size_t*, FILE*);
#endif
