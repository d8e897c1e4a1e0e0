# PACELINE_PORTABLE: programs that run on another computer from any folder. Libraries with an
# archive are linked statically (yaml-cpp, Expat, the C++ library, the CUDA runtime). Shared
# libraries are searched beside the program first, where scripts/portable puts them.
option(PACELINE_PORTABLE "Build programs that run from any folder of another computer" OFF)
set(PACELINE_YAML_CPP yaml-cpp)
set(PACELINE_EXPAT EXPAT::EXPAT)
if(PACELINE_PORTABLE)
  find_library(PACELINE_YAML_CPP_ARCHIVE libyaml-cpp.a REQUIRED)
  add_library(paceline_yaml_cpp_archive STATIC IMPORTED GLOBAL)
  set_target_properties(paceline_yaml_cpp_archive PROPERTIES
    IMPORTED_LOCATION ${PACELINE_YAML_CPP_ARCHIVE})
  set(PACELINE_YAML_CPP paceline_yaml_cpp_archive)
  find_library(PACELINE_EXPAT_ARCHIVE libexpat.a REQUIRED)
  add_library(paceline_expat_archive STATIC IMPORTED GLOBAL)
  set_target_properties(paceline_expat_archive PROPERTIES
    IMPORTED_LOCATION ${PACELINE_EXPAT_ARCHIVE})
  set(PACELINE_EXPAT paceline_expat_archive)
  # DT_RPATH, unlike DT_RUNPATH, also applies to the dependencies of the libraries beside the
  # program. The archives' symbols are hidden from other libraries, which use another C++ library.
  # libgcc_s is not linked statically: every system has it, and its archive needs glibc 2.35.
  add_library(paceline_arc4random STATIC ${CMAKE_CURRENT_LIST_DIR}/arc4random.cpp)
  set_target_properties(paceline_arc4random PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(paceline_options INTERFACE paceline_arc4random)
  target_link_options(paceline_options INTERFACE
    -static-libstdc++ -Wl,-u,arc4random,-u,arc4random_buf
    -Wl,--exclude-libs,ALL -Wl,--disable-new-dtags)
  set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
  set(CMAKE_INSTALL_RPATH "$ORIGIN")
endif()
