# Finds the CUDA toolkit, cuDNN and NCCL in a toolkit's folder, in the system's folders or in Python
# wheels (PACELINE_CUDA_ROOTS is a list of additional folders).
#   CudaLibraries_FOUND      headers and libraries of all three are found
#   CudaLibraries_MISSING    a list of the missing: "CUDA 12.5 or newer", "cuDNN 9", "NCCL"
#   CudaLibraries::headers   the headers only; exists even if a library is missing
#   CudaLibraries::libraries the runtime (static), cuBLASLt, cuDNN and NCCL
set(PACELINE_CUDA_ROOTS "" CACHE STRING "Folders to search for the toolkit, cuDNN and NCCL")

# CUDA 13 has no nvToolsExt library. CMake 3.25 fails on such a toolkit unless this target exists.
if(CMAKE_VERSION VERSION_LESS 3.26 AND NOT TARGET CUDA::nvToolsExt)
  add_library(CUDA::nvToolsExt INTERFACE IMPORTED)
endif()
find_package(CUDAToolkit 12.5 QUIET)

set(cuda_places ${PACELINE_CUDA_ROOTS} $ENV{CUDNN_ROOT} $ENV{NCCL_ROOT} $ENV{CUDA_HOME}
  ${CUDAToolkit_TARGET_DIR} ${CUDAToolkit_LIBRARY_ROOT} /usr/local/cuda)
foreach(place IN LISTS PACELINE_CUDA_ROOTS)
  list(APPEND cuda_places ${place}/cudnn ${place}/nccl ${place}/cu13 ${place}/cublas)  # in wheels
endforeach()

find_path(CUDNN_INCLUDE_DIR cudnn.h HINTS ${cuda_places} PATH_SUFFIXES include)
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${cuda_places} PATH_SUFFIXES include)
# wheels contain only the versioned file names
find_library(CUDNN_LIBRARY NAMES cudnn libcudnn.so.9 NAMES_PER_DIR HINTS ${cuda_places}
  PATH_SUFFIXES lib64 lib)
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 NAMES_PER_DIR HINTS ${cuda_places}
  PATH_SUFFIXES lib64 lib)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CudaLibraries REQUIRED_VARS
  CUDAToolkit_INCLUDE_DIRS CUDNN_INCLUDE_DIR NCCL_INCLUDE_DIR CUDNN_LIBRARY NCCL_LIBRARY)
set(CudaLibraries_MISSING "")
if(NOT CUDAToolkit_FOUND)
  list(APPEND CudaLibraries_MISSING "CUDA 12.5 or newer")
endif()
if(NOT CUDNN_INCLUDE_DIR OR NOT CUDNN_LIBRARY)
  list(APPEND CudaLibraries_MISSING "cuDNN 9")
endif()
if(NOT NCCL_INCLUDE_DIR OR NOT NCCL_LIBRARY)
  list(APPEND CudaLibraries_MISSING NCCL)
endif()
mark_as_advanced(CUDNN_INCLUDE_DIR NCCL_INCLUDE_DIR CUDNN_LIBRARY NCCL_LIBRARY)

if(CUDAToolkit_INCLUDE_DIRS AND CUDNN_INCLUDE_DIR AND NCCL_INCLUDE_DIR
   AND NOT TARGET CudaLibraries::headers)
  add_library(CudaLibraries::headers INTERFACE IMPORTED)
  target_include_directories(CudaLibraries::headers SYSTEM INTERFACE
    ${CUDAToolkit_INCLUDE_DIRS} ${CUDNN_INCLUDE_DIR} ${NCCL_INCLUDE_DIR})
endif()
if(CudaLibraries_FOUND AND NOT TARGET CudaLibraries::libraries)
  add_library(CudaLibraries::libraries INTERFACE IMPORTED)
  target_link_libraries(CudaLibraries::libraries INTERFACE CudaLibraries::headers
    CUDA::cudart_static CUDA::cublasLt ${CUDNN_LIBRARY} ${NCCL_LIBRARY})
endif()
