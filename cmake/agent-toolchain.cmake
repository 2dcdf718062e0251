# Toolchain of the router's agent: Debian's g++ 12 (cross) with musl, or with the static glibc of the cross compiler.
# Every agent-* preset and the embedded agents of the CLI use it. Inputs (cache or -D):
#   MIKROSCOPE_AGENT_ARCH   amd64 | arm64 | armv7 | armv5
#   MIKROSCOPE_AGENT_LIBC   musl (default) | glibc
#   MIKROSCOPE_MUSL_ROOT    where cmake/fetch-musl.sh unpacked musl-dev
include(${CMAKE_CURRENT_LIST_DIR}/agent-arch.cmake)

if(NOT MIKROSCOPE_AGENT_LIBC)
  set(MIKROSCOPE_AGENT_LIBC musl)
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MIKROSCOPE_AGENT_ARCH MIKROSCOPE_AGENT_LIBC MIKROSCOPE_MUSL_ROOT)
mikroscope_describe_arch("${MIKROSCOPE_AGENT_ARCH}")

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${ARCH_PROCESSOR})
set(CMAKE_C_COMPILER ${ARCH_GNU}-gcc-12)
set(CMAKE_CXX_COMPILER ${ARCH_GNU}-g++-12)
set(CMAKE_ASM_COMPILER ${ARCH_GNU}-gcc-12)
set(CMAKE_AR ${ARCH_GNU}-gcc-ar-12)          # the plain ones cannot index LTO objects
set(CMAKE_RANLIB ${ARCH_GNU}-gcc-ranlib-12)
set(CMAKE_C_COMPILER_AR ${CMAKE_AR})
set(CMAKE_CXX_COMPILER_AR ${CMAKE_AR})
set(CMAKE_C_COMPILER_RANLIB ${CMAKE_RANLIB})
set(CMAKE_CXX_COMPILER_RANLIB ${CMAKE_RANLIB})
set(CMAKE_STRIP ${ARCH_GNU}-strip)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_CROSSCOMPILING_EMULATOR ${ARCH_EMULATOR})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE NEVER)

# Small and bare. No stack protector: its canary needs libc set-up that a nostdlib link does not promise.
set(flags "-Os -flto -flto-partition=one -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables -fno-unwind-tables")
string(APPEND flags " -fno-stack-protector -fno-pie -U_FORTIFY_SOURCE")
if(MIKROSCOPE_AGENT_ARCH STREQUAL "arm64")
  string(APPEND flags " -mcmodel=tiny")  # addresses in one instruction; the program with its data is far below 1 MiB
endif()
if(MIKROSCOPE_AGENT_ARCH STREQUAL "amd64")
  string(APPEND flags " -malign-data=abi")  # not every table to 32 bytes
endif()
if(MIKROSCOPE_AGENT_ARCH STREQUAL "armv5")
  string(APPEND flags " -mthumb")  # a quarter smaller; every v5TE core has it (Debian's armv7 compiler does so by itself)
endif()
set(cxx_flags "-fno-exceptions -fno-rtti -fno-threadsafe-statics")
# Without relro the data segment needs no 64 KiB of padding on arm64: 18 KB instead of 66 KB for a small program; a
# static program bound at link time has nothing that relro could protect but its init array. The build id is a hash of
# the contents, so it is the same wherever the tree lies.
set(link_flags "-static -no-pie -Wl,--gc-sections -Wl,--build-id=sha1 -Wl,-z,noexecstack -Wl,-z,norelro -Wl,-z,noseparate-code")

if(MIKROSCOPE_AGENT_ARCH STREQUAL "armv5")
  string(APPEND link_flags " -Wl,--use-blx")  # a call from Thumb to ARM code needs no veneer from v5T on
endif()

if(MIKROSCOPE_AGENT_LIBC STREQUAL "musl")
  mikroscope_find_musl()
  if(NOT ARCH_MUSL_LIB)
    message(FATAL_ERROR "no musl-dev for ${MIKROSCOPE_AGENT_ARCH} under ${MIKROSCOPE_MUSL_ROOT}: run cmake/fetch-musl.sh")
  endif()
  # Kernel headers without the glibc headers that lie beside them, so that none of those is included by accident.
  set(kernel ${CMAKE_BINARY_DIR}/kernel-headers)
  file(MAKE_DIRECTORY ${kernel})
  foreach(dir linux asm-generic asm)
    foreach(parent ${ARCH_KERNEL_INCLUDE})
      if(EXISTS ${parent}/${dir} AND NOT EXISTS ${kernel}/${dir})
        file(CREATE_LINK ${parent}/${dir} ${kernel}/${dir} SYMBOLIC)
      endif()
    endforeach()
  endforeach()
  string(APPEND flags " -nostdinc")
  set(includes "-isystem ${ARCH_MUSL_INCLUDE} -isystem ${ARCH_GCC_DIR}/include -isystem ${kernel}")
  set(CMAKE_C_FLAGS_INIT "${flags} ${includes}")
  set(CMAKE_CXX_FLAGS_INIT "${flags} ${cxx_flags} -include ${CMAKE_CURRENT_LIST_DIR}/musl_shim.h \
-isystem ${ARCH_CXX_INCLUDE} -isystem ${ARCH_CXX_TARGET_INCLUDE} ${includes}")
  set(CMAKE_EXE_LINKER_FLAGS_INIT "${link_flags} -nostdlib")
  set(CMAKE_CXX_STANDARD_LIBRARIES
    "-Wl,--start-group ${ARCH_MUSL_LIB}/libc.a -lgcc -Wl,--end-group")
elseif(MIKROSCOPE_AGENT_LIBC STREQUAL "glibc")
  # libstdc++ stays out here too (agent/rt.cpp has what headers refer to).
  set(CMAKE_C_FLAGS_INIT "${flags}")
  set(CMAKE_CXX_FLAGS_INIT "${flags} ${cxx_flags}")
  set(CMAKE_EXE_LINKER_FLAGS_INIT "${link_flags} -nodefaultlibs")
  set(CMAKE_CXX_STANDARD_LIBRARIES "-Wl,--start-group -lc -lgcc -lgcc_eh -Wl,--end-group")
else()
  message(FATAL_ERROR "MIKROSCOPE_AGENT_LIBC=${MIKROSCOPE_AGENT_LIBC}: want musl or glibc")
endif()
