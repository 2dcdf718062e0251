# The agent as it goes to a router: bare and stripped. mikroscope-agent.symbols is the same program with its names.
target_compile_definitions(mikroscope_options INTERFACE MIKROSCOPE_ROUTER_AGENT=1)
if(MIKROSCOPE_AGENT_LIBC STREQUAL "musl")
  # agent/rt_*.cpp stand in for the C library's start and its calls of the kernel; of musl there remain memcpy() and the
  # like. One symbol of each file is named, so that it is taken from the archive in time.
  set(clock clock_gettime)
  if(MIKROSCOPE_AGENT_ARCH MATCHES "^armv")
    set(clock __clock_gettime64)  # musl's name for the one with times of 64 bits
  endif()
  target_compile_definitions(mikroscope_options INTERFACE MIKROSCOPE_OWN_START=1)
  set_source_files_properties(agent/rt_start.cpp PROPERTIES COMPILE_OPTIONS -fno-lto)
  target_link_options(mikroscope-agent PRIVATE -Wl,-u,_start,-u,read,-u,${clock})
endif()
# Smaller still, where no tick passes.
foreach(cold address capabilities captures config http json machine program reply sandbox server service)
  set_source_files_properties(agent/${cold}.cpp PROPERTIES COMPILE_OPTIONS -Oz)
endforeach()
foreach(cold base/names proc/kernel_path proc/ndjson proc/registry proc/schema proc/sources/kmsg proc/sources/kmsg_record
    proc/sources/mtd proc/sources/numbered_entries proc/sources/self proc/sources/slabinfo proc/sources/thermal)
  set_source_files_properties(${cold}.cpp PROPERTIES COMPILE_OPTIONS -Oz)
endforeach()
set(CMAKE_CXX_IMPLICIT_LINK_LIBRARIES "")  # agent/rt.cpp stands in for libstdc++
set_target_properties(mikroscope-agent PROPERTIES LINKER_LANGUAGE C)
# The C driver takes the standard libraries of C.
set(CMAKE_C_STANDARD_LIBRARIES "${CMAKE_CXX_STANDARD_LIBRARIES}" CACHE STRING "" FORCE)
add_custom_command(TARGET mikroscope-agent POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:mikroscope-agent> $<TARGET_FILE:mikroscope-agent>.symbols
  COMMAND ${CMAKE_STRIP} --strip-all --remove-section=.comment $<TARGET_FILE:mikroscope-agent>
  VERBATIM)
