# paceline_embed(<target> <function> FILES...)
# Compiles YAML presets into <target> as `std::span<const EmbeddedFile> <function>()`
# (EmbeddedFile: experiments/language/presets.hpp), so that the program needs no data folder for
# them.
function(paceline_embed target function)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  set(list_file ${CMAKE_CURRENT_BINARY_DIR}/${function}.files)
  string(REPLACE ";" "\n" lines "${ARGN}")
  file(CONFIGURE OUTPUT ${list_file} CONTENT "${lines}\n" @ONLY)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DFUNCTION=${function} -DLIST=${list_file}
            -P ${PROJECT_SOURCE_DIR}/cmake/WriteEmbedded.cmake
    DEPENDS ${ARGN} ${list_file} ${PROJECT_SOURCE_DIR}/cmake/WriteEmbedded.cmake
    COMMENT "Embedding ${function}" VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
