# On the host these names of the C and the C++ library are the host tool's own. A program, and
# firmware/libc, get other names for them, which mean the node: defined in firmware/libc and
# boards/host/stop.cpp. Included by the Makefile.
APP_NAMES := printf vprintf fprintf vfprintf sprintf vsprintf snprintf vsnprintf puts fputs \
  putchar fputc putc fwrite fflush setvbuf setbuf strtod strtof atof \
  sscanf vsscanf __isoc99_sscanf __isoc99_vsscanf \
  __isoc23_sscanf __isoc23_vsscanf perror strerror abort exit __assert_fail __cxa_atexit \
  __stack_chk_fail \
  __ubsan_handle_divrem_overflow_abort __ubsan_handle_out_of_bounds_abort \
  __ubsan_handle_type_mismatch_v1_abort
# A program that calls these ends its node.
APP_NAMES += _exit _Exit quick_exit _ZSt9terminatev __cxa_pure_virtual \
  _ZSt21__glibcxx_assert_failPKciS0_S0_ _ZSt24__throw_out_of_range_fmtPKcz \
  _ZSt20__throw_out_of_rangePKc _ZSt20__throw_length_errorPKc _ZSt19__throw_logic_errorPKc \
  _ZSt24__throw_invalid_argumentPKc _ZSt17__throw_bad_allocv \
  _ZSt28__throw_bad_array_new_lengthv _ZSt25__throw_bad_function_callv system popen fork vfork \
  execl execlp execle execv execvp execve posix_spawn posix_spawnp
APP_RENAMED := $(foreach n,$(APP_NAMES),--redefine-sym $n=mesh_app_$(n:__%=%))
APP_OUTPUT := objcopy $(APP_RENAMED)
