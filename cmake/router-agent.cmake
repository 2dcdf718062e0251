# The agent as it goes to a router: bare and stripped. mikroscope-agent.symbols is the same program with its names.
target_compile_definitions(mikroscope_options INTERFACE MIKROSCOPE_ROUTER_AGENT=1)
set(CMAKE_CXX_IMPLICIT_LINK_LIBRARIES "")  # agent/rt.cpp stands in for libstdc++
set_target_properties(mikroscope-agent PROPERTIES LINKER_LANGUAGE C)
# The C driver takes the standard libraries of C.
set(CMAKE_C_STANDARD_LIBRARIES "${CMAKE_CXX_STANDARD_LIBRARIES}" CACHE STRING "" FORCE)
add_custom_command(TARGET mikroscope-agent POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:mikroscope-agent> $<TARGET_FILE:mikroscope-agent>.symbols
  COMMAND ${CMAKE_STRIP} --strip-all --remove-section=.comment $<TARGET_FILE:mikroscope-agent>
  VERBATIM)
