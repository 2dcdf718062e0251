# What `cmake --install` and the packages hold: the CLI, an agent for this machine, completions, manual, licence.
include(GNUInstallDirs)
install(TARGETS mikroscope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if("amd64" IN_LIST MIKROSCOPE_EMBEDDED_ARCHS AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  install(PROGRAMS ${CMAKE_BINARY_DIR}/agents/amd64/mikroscope-agent DESTINATION ${CMAKE_INSTALL_BINDIR})
elseif(TARGET mikroscope-agent)
  install(TARGETS mikroscope-agent RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# Completions and the manual come out of the program itself, which a cross build could not run.
if(NOT CMAKE_CROSSCOMPILING)
  set(texts ${CMAKE_BINARY_DIR}/share)
  set(tool $<TARGET_FILE:mikroscope>)
  file(MAKE_DIRECTORY ${texts})
  add_custom_command(OUTPUT ${texts}/mikroscope.1 ${texts}/mikroscope.bash ${texts}/_mikroscope ${texts}/mikroscope.fish
    COMMAND ${tool} man > ${texts}/mikroscope.1
    COMMAND ${tool} completion bash > ${texts}/mikroscope.bash
    COMMAND ${tool} completion zsh > ${texts}/_mikroscope
    COMMAND ${tool} completion fish > ${texts}/mikroscope.fish
    DEPENDS mikroscope VERBATIM)
  add_custom_target(mikroscope_texts ALL DEPENDS ${texts}/mikroscope.1)
  install(FILES ${texts}/mikroscope.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${texts}/mikroscope.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME mikroscope)
  install(FILES ${texts}/_mikroscope DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${texts}/mikroscope.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "mikroscope authors <mikroscope@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Record and draw what a router's kernel does, many times a second")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
include(CPack)
