# The one way to make a target here, so that every folder is built under the same rules.
add_library(paceline_options INTERFACE)
target_compile_features(paceline_options INTERFACE cxx_std_20)
target_compile_options(paceline_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast
  -ffp-contract=off>)  # the same sums on every machine
# what GCC 12's optimiser warns of in std::string and vector is not there (GCC bugs 105651, 105329, 105545)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(paceline_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:
    -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-maybe-uninitialized>)
endif()
if(PACELINE_WITH_CUDA)
  # The plug-in is a shared library that holds the same code as the program, for itself alone.
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  target_compile_options(paceline_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>)
endif()

# paceline_precompile(<target> HEADERS...): of a target of many files, the standard library's headers
# that most of them include, and more. The dev preset compiles without, so that a missing #include shows.
function(paceline_precompile target)
  foreach(header algorithm array cmath cstdint functional map memory optional span stdexcept string vector
          ${ARGN})
    target_precompile_headers(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:<${header}$<ANGLE-R>>)
  endforeach()
endfunction()

# paceline_compile_cold(<target>): with one level less optimisation, in a third less time: -O1 in the
# release build, -O0 in the sanitizers'.
function(paceline_compile_cold target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:$<IF:$<CONFIG:Release>,-O1,-O0>>)
endfunction()

# paceline_library(<folder> [COLD] [USES targets...] [PRIVATE_USES targets...] [WITHOUT subfolders...])
# A static library of every .cpp below the calling folder. A new file joins by existing. COLD: nothing
# in it runs more than once per point, so it is compiled as `paceline_compile_cold` says.
function(paceline_library name)
  cmake_parse_arguments(arg "COLD" "" "USES;PRIVATE_USES;WITHOUT" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS *.hpp)
  foreach(folder IN LISTS arg_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${folder}/")
    list(FILTER headers EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${folder}/")
  endforeach()
  add_library(paceline_${name} STATIC ${sources})
  target_sources(paceline_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})
  add_library(paceline::${name} ALIAS paceline_${name})
  target_link_libraries(paceline_${name} PUBLIC ${arg_USES}
    PRIVATE $<BUILD_INTERFACE:paceline_options> ${arg_PRIVATE_USES})
  target_include_directories(paceline_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_features(paceline_${name} PUBLIC cxx_std_20)
  paceline_precompile(paceline_${name})
  if(arg_COLD)
    paceline_compile_cold(paceline_${name})
  endif()
  set_target_properties(paceline_${name} PROPERTIES CXX_EXTENSIONS OFF VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()
