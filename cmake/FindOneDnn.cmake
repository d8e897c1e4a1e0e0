# Finds oneDNN's header and library and defines OneDnn::OneDnn. oneDNN's own CMake package is not
# used because it may require packages that Paceline does not need (in Debian, OpenCL).
find_path(ONEDNN_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
find_library(ONEDNN_LIBRARY dnnl)
mark_as_advanced(ONEDNN_INCLUDE_DIR ONEDNN_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OneDnn REQUIRED_VARS ONEDNN_LIBRARY ONEDNN_INCLUDE_DIR)
if(OneDnn_FOUND AND NOT TARGET OneDnn::OneDnn)
  add_library(OneDnn::OneDnn UNKNOWN IMPORTED)
  set_target_properties(OneDnn::OneDnn PROPERTIES
    IMPORTED_LOCATION ${ONEDNN_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${ONEDNN_INCLUDE_DIR})
endif()
