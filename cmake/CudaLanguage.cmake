# Decides whether the CUDA layer is built. With PACELINE_CUDA=AUTO it is built if the toolkit, cuDNN
# and NCCL are found; with ON a missing one is an error. With OFF only their headers are searched,
# because the tests build the layer on an emulation that needs the headers.
set(PACELINE_CUDA AUTO CACHE STRING "Build the CUDA layer: AUTO, ON or OFF")
set(PACELINE_CUDA_MINIMUM "" CACHE STRING
  "Use only what this version of CUDA has, such as 12.5, whichever toolkit is found")
set(PACELINE_WITH_CUDA OFF)
find_package(CudaLibraries QUIET)
set(PACELINE_CUDA_MISSING "PACELINE_CUDA is OFF")  # why the layer is left out
if(NOT PACELINE_CUDA STREQUAL "OFF")
  # CMake searches nvcc only on PATH, which rarely contains a toolkit's folder. The toolkit may also
  # have been installed since the last configuration. The toolkit's nvcc is passed in the
  # environment, because check_language does not test a compiler set in CMAKE_CUDA_COMPILER.
  if(NOT CMAKE_CUDA_COMPILER AND CUDAToolkit_NVCC_EXECUTABLE)
    unset(CMAKE_CUDA_COMPILER CACHE)  # left by an earlier failed test
    if(NOT DEFINED ENV{CUDACXX})
      set(ENV{CUDACXX} ${CUDAToolkit_NVCC_EXECUTABLE})
    endif()
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  set(missing ${CudaLibraries_MISSING})
  if(NOT CMAKE_CUDA_COMPILER)
    list(REMOVE_ITEM missing "CUDA 12.5 or newer")  # nvcc is part of it
    if(CUDAToolkit_NVCC_EXECUTABLE)
      # for example, an nvcc that rejects the host compiler
      list(PREPEND missing "nvcc that compiles here with ${CMAKE_CXX_COMPILER}")
    else()
      list(PREPEND missing nvcc)
    endif()
  endif()
  list(JOIN missing ", " PACELINE_CUDA_MISSING)
  if(missing)
    string(APPEND PACELINE_CUDA_MISSING " not found")
  else()
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT PACELINE_PORTABLE)
      # machine code for Hopper; for other GPUs from Turing on, the driver compiles PTX
      set(CMAKE_CUDA_ARCHITECTURES 75-virtual 90-real)
    elseif(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      # machine code for all, since a driver that is older than the toolkit compiles no PTX
      set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 90-virtual)
      if(CUDAToolkit_VERSION VERSION_LESS 13)
        list(PREPEND CMAKE_CUDA_ARCHITECTURES 70-real)
      endif()
      if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 12.8)
        list(APPEND CMAKE_CUDA_ARCHITECTURES 100-real 120-real)
      endif()
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
