# cmake --install: the program, its plug-ins and its data. The prefix may be moved afterwards,
# because the program finds them relative to itself (cli/data_folder.cpp, exec/plugin,
# exec/processes).
#   bin/paceline
#   lib/paceline/            plug-ins
#   share/paceline/          plots, experiments
#   share/doc/paceline/
#   share/bash-completion/completions/paceline, share/zsh/site-functions/_paceline,
#   share/fish/vendor_completions.d/paceline.fish
#   share/man/man1/
install(TARGETS paceline RUNTIME DESTINATION bin)
install(DIRECTORY plots DESTINATION share/paceline PATTERN __pycache__ EXCLUDE)
install(DIRECTORY experiments DESTINATION share/paceline FILES_MATCHING PATTERN *.yaml PATTERN *.csv
  PATTERN *.md PATTERN schema.json)
install(DIRECTORY docs DESTINATION share/doc/paceline)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION share/doc/paceline)

# The program and its plug-ins, without the tests.
add_custom_target(program DEPENDS paceline)
foreach(plugin paceline_cuda paceline_mpi)
  if(TARGET ${plugin})
    add_dependencies(program ${plugin})
    install(TARGETS ${plugin} LIBRARY DESTINATION lib/paceline COMPONENT ${plugin})
    if(NOT PACELINE_PORTABLE)  # their libraries may be outside the loader's path
      set_target_properties(${plugin} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    endif()
  endif()
endforeach()

# The scripts that complete commands in shells, and the manual pages: the program prints them.
set(shell_files "")
foreach(shell bash zsh fish)
  set(script ${CMAKE_BINARY_DIR}/completion/${shell})
  add_custom_command(OUTPUT ${script} COMMAND paceline completion ${shell} > ${script}
    DEPENDS paceline VERBATIM)
  list(APPEND shell_files ${script})
endforeach()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/completion)
set(pages ${CMAKE_BINARY_DIR}/manual)
add_custom_command(OUTPUT ${pages}/paceline.1 COMMAND paceline manual -o ${pages}
  DEPENDS paceline VERBATIM)
add_custom_target(shell_files DEPENDS ${shell_files} ${pages}/paceline.1)
install(DIRECTORY ${pages}/ DESTINATION share/man/man1 FILES_MATCHING PATTERN *.1)
add_dependencies(program shell_files)
install(FILES ${CMAKE_BINARY_DIR}/completion/bash DESTINATION share/bash-completion/completions
  RENAME paceline)
install(FILES ${CMAKE_BINARY_DIR}/completion/zsh DESTINATION share/zsh/site-functions
  RENAME _paceline)
install(FILES ${CMAKE_BINARY_DIR}/completion/fish DESTINATION share/fish/vendor_completions.d
  RENAME paceline.fish)

# One line per plug-in that is not built, for scripts/quickstart.
set(left_out "")
if(PACELINE_CUDA_MISSING)
  string(APPEND left_out "CUDA plug-in: not built (${PACELINE_CUDA_MISSING})\n")
endif()
if(PACELINE_MPI_MISSING)
  string(APPEND left_out "MPI plug-in: not built (${PACELINE_MPI_MISSING})\n")
endif()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/left-out.txt CONTENT "@left_out@" @ONLY)
