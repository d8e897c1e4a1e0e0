# The functions that make all targets, so that every folder is built with the same options.
add_library(paceline_options INTERFACE)
target_compile_features(paceline_options INTERFACE cxx_std_20)
target_compile_options(paceline_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:
  -Wall -Wextra -Wpedantic -Wconversion -Wold-style-cast
  -ffp-contract=off>)  # bit-identical sums on every machine
if(NOT PACELINE_UNITY)  # a local variable may have the name of another file's constant
  target_compile_options(paceline_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wshadow>)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # a group's other files seem to be headers
  target_compile_options(paceline_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
# false warnings of GCC 12's optimiser about std::string and vector: GCC bugs 105651, 105329, 105545
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(paceline_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:
    -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-maybe-uninitialized>)
endif()
if(PACELINE_WITH_CUDA)
  # The plug-in is a shared library with its own copy of the program's code.
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  target_compile_options(paceline_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>)
endif()

# paceline_compile_cold(<target>): lowers the optimisation by one level, which takes a third less
# time: -O1 in the release build, -O0 in the sanitizer builds.
function(paceline_compile_cold target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:$<IF:$<CONFIG:Release>,-O1,-O0>>)
endfunction()

# The standard library's headers that most files include.
set(PACELINE_STANDARD_HEADERS algorithm array cmath cstdint functional map memory optional span stdexcept
  string vector)

# paceline_precompile(<target> HEADERS...): of a target of many files, the standard library's headers and
# more. The dev preset compiles without, so that a missing #include shows.
function(paceline_precompile target)
  foreach(header ${PACELINE_STANDARD_HEADERS} ${ARGN})
    target_precompile_headers(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:<${header}$<ANGLE-R>>)
  endforeach()
endfunction()

# Headers that all libraries of a kind share, compiled once: paceline_precompiled_hot and _cold.
function(paceline_precompile_for_libraries kind)
  set(source ${CMAKE_BINARY_DIR}/precompiled_${kind}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// The headers are in the precompiled header.\n" @ONLY)
  add_library(paceline_precompiled_${kind} OBJECT ${source})
  target_link_libraries(paceline_precompiled_${kind} PRIVATE paceline_options)
  set_target_properties(paceline_precompiled_${kind} PROPERTIES CXX_EXTENSIONS OFF)
  paceline_precompile(paceline_precompiled_${kind})
endfunction()

paceline_precompile_for_libraries(hot)
paceline_precompile_for_libraries(cold)
paceline_compile_cold(paceline_precompiled_cold)

# paceline_library(<folder> [COLD] [USES targets...] [PRIVATE_USES targets...] [WITHOUT subfolders...])
# A static library of every .cpp below the calling folder; a new file is added automatically. COLD:
# the code runs at most once per point, so it is compiled by `paceline_compile_cold`.
function(paceline_library name)
  cmake_parse_arguments(arg "COLD" "" "USES;PRIVATE_USES;WITHOUT" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS *.hpp)
  foreach(folder IN LISTS arg_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${folder}/")
    list(FILTER headers EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${folder}/")
  endforeach()
  add_library(paceline_${name} STATIC ${sources})
  paceline_unite(paceline_${name})
  target_sources(paceline_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})
  add_library(paceline::${name} ALIAS paceline_${name})
  target_link_libraries(paceline_${name} PUBLIC ${arg_USES}
    PRIVATE $<BUILD_INTERFACE:paceline_options> ${arg_PRIVATE_USES})
  target_include_directories(paceline_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_features(paceline_${name} PUBLIC cxx_std_20)
  set(kind hot)
  if(arg_COLD)
    set(kind cold)
    paceline_compile_cold(paceline_${name})
  endif()
  target_precompile_headers(paceline_${name} REUSE_FROM paceline_precompiled_${kind})
  set_target_properties(paceline_${name} PROPERTIES CXX_EXTENSIONS OFF VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()
