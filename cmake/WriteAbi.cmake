# Writes OUTPUT, a C++ file with the identity of the build (see exec/plugin/accelerator.hpp): LABEL
# and a hash of the files in LIST. File names are relative to ROOT.
cmake_minimum_required(VERSION 3.25)
file(STRINGS ${LIST} files)
set(all "")
foreach(file IN LISTS files)
  file(SHA256 ${file} hash)
  file(RELATIVE_PATH name ${ROOT} ${file})
  string(APPEND all "${name} ${hash}\n")
endforeach()
string(SHA256 hash "${LABEL}\n${all}")
string(SUBSTRING ${hash} 0 16 hash)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// Made by cmake/WriteAbi.cmake.
#include \"exec/plugin/accelerator.hpp\"
namespace paceline {
const char* accelerator_abi() { return \"@LABEL@, @hash@\"; }
}  // namespace paceline
" @ONLY)
