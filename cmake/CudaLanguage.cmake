# Whether the CUDA layer is built: where the toolkit, cuDNN and NCCL are found, unless PACELINE_CUDA
# says otherwise (ON makes their absence an error). OFF still looks for their headers: the tests
# build the layer on an emulation, which needs nothing else of them.
set(PACELINE_CUDA AUTO CACHE STRING "Build the CUDA layer: AUTO, ON or OFF")
set(PACELINE_WITH_CUDA OFF)
find_package(CudaLibraries QUIET)
set(PACELINE_CUDA_MISSING "PACELINE_CUDA is OFF")  # why the layer is left out
if(NOT PACELINE_CUDA STREQUAL "OFF")
  # CMake looks for nvcc on PATH alone, which seldom has a toolkit's folder; and a toolkit may have
  # been installed since the last time. Only the environment names the toolkit's nvcc:
  # check_language tests no compiler that CMAKE_CUDA_COMPILER names already.
  if(NOT CMAKE_CUDA_COMPILER AND CUDAToolkit_NVCC_EXECUTABLE)
    unset(CMAKE_CUDA_COMPILER CACHE)  # of an earlier test that failed
    if(NOT DEFINED ENV{CUDACXX})
      set(ENV{CUDACXX} ${CUDAToolkit_NVCC_EXECUTABLE})
    endif()
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  set(missing ${CudaLibraries_MISSING})
  if(NOT CMAKE_CUDA_COMPILER)
    list(REMOVE_ITEM missing "CUDA 12.4 or newer")  # what brings nvcc
    if(CUDAToolkit_NVCC_EXECUTABLE)
      # one that refuses the host compiler, say
      list(PREPEND missing "nvcc that compiles here with ${CMAKE_CXX_COMPILER}")
    else()
      list(PREPEND missing nvcc)
    endif()
  endif()
  list(JOIN missing ", " PACELINE_CUDA_MISSING)
  if(missing)
    string(APPEND PACELINE_CUDA_MISSING " not found")
  else()
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      # machine code for Hopper; the driver compiles the rest of Turing and later from PTX
      set(CMAKE_CUDA_ARCHITECTURES 75-virtual 90-real)
    endif()
    enable_language(CUDA)
    set(PACELINE_WITH_CUDA ON)
  endif()
  if(missing AND PACELINE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "PACELINE_CUDA is ON, but the CUDA layer cannot be built "
                        "(${PACELINE_CUDA_MISSING}; PACELINE_CUDA_ROOTS names folders to search)")
  endif()
endif()
message(STATUS "CUDA layer: ${PACELINE_WITH_CUDA}")
