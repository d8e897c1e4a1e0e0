# paceline::huge_pages: what a program links so that its memory lies in huge pages
# (cli/huge_pages.cpp). Optional; a sanitizer has an allocator of its own, and the hidden one of a
# portable program would free what another library's allocated.
find_library(JEMALLOC_LIBRARY jemalloc)
mark_as_advanced(JEMALLOC_LIBRARY)
if(JEMALLOC_LIBRARY AND NOT PACELINE_PORTABLE AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  add_library(paceline_huge_pages OBJECT ${PROJECT_SOURCE_DIR}/cli/huge_pages.cpp)
  target_link_libraries(paceline_huge_pages PRIVATE paceline_options)
  add_library(paceline_with_huge_pages INTERFACE)
  target_link_libraries(paceline_with_huge_pages INTERFACE
    $<TARGET_OBJECTS:paceline_huge_pages> ${JEMALLOC_LIBRARY})
else()
  add_library(paceline_with_huge_pages INTERFACE)
endif()
add_library(paceline::huge_pages ALIAS paceline_with_huge_pages)
