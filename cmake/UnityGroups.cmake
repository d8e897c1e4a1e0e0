# Several files in one translation unit: headers and the templates of the standard library are compiled
# once a group, which takes half of the time. The dev preset compiles each file alone, so that a missing
# #include shows, and a change to one file recompiles one.
option(PACELINE_UNITY "Compile groups of files as one" OFF)
set(PACELINE_UNITY_FILES 8 CACHE STRING "The most files in a group")

# The names that a file declares in anonymous namespaces or for itself by `using`, by the rule that
# declarations begin in the first column. The same name in two files collides if they are compiled
# as one.
function(paceline_anonymous_names file result)
  file(READ ${file} text)
  string(REGEX REPLACE "[];[]" "@" text "\n${text}")  # these would divide CMake's lists
  string(REGEX MATCHALL "\n[A-Za-z}@][^\n]*" lines "${text}")
  set(names "")
  set(anonymous OFF)
  foreach(line IN LISTS lines)
    if(line MATCHES "^\n(using (std|testing)::|template|namespace [a-z]|static_assert)" OR
       line MATCHES "^\n(TEST|INSTANTIATE|MATCHER)")
      continue()  # alike in all files, or of a name that is found elsewhere
    elseif(line MATCHES "^\nusing ([a-zA-Z_0-9]+::)*([A-Za-z0-9_]+)( =|@)")
      list(APPEND names ${CMAKE_MATCH_2})  # before the next regular expression sets it
    elseif(line MATCHES "^\n(namespace {|}  // namespace$)")
      string(COMPARE EQUAL "${line}" "\nnamespace {" anonymous)
    elseif(NOT anonymous)
      continue()
    elseif(line MATCHES "^\n(class|struct|enum class|enum|union) +([A-Za-z0-9_]+)")
      list(APPEND names ${CMAKE_MATCH_2})
    elseif(line MATCHES "^\n([^(={]*[ *&])?([A-Za-z0-9_]+) *[({=@]")
      list(APPEND names ${CMAKE_MATCH_2})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES names)
  set(${result} ${names} PARENT_SCOPE)
endfunction()

# paceline_unite(<target>): divides a target's C++ sources into groups in which no name is declared
# twice. A file that says `using namespace` is compiled alone, and one of SKIP_UNITY_BUILD_INCLUSION.
function(paceline_unite target)
  if(NOT PACELINE_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(open "")    # numbers of groups that have room
  set(groups 0)   # all groups so far
  foreach(source IN LISTS sources)
    get_filename_component(file ${source} ABSOLUTE)
    if(NOT source MATCHES "\\.cpp$" OR NOT EXISTS ${file})
      continue()
    endif()
    file(STRINGS ${file} opened REGEX "^using namespace [a-z_:]+;" LIMIT_COUNT 1)
    if(opened)
      continue()
    endif()
    paceline_anonymous_names(${file} names)
    set(chosen "")
    foreach(group IN LISTS open)
      set(shared ${names_${group}})
      list(REMOVE_ITEM shared ${names} "")
      list(LENGTH shared rest)
      list(LENGTH names_${group} all)
      if(rest EQUAL all)
        set(chosen ${group})
        break()
      endif()
    endforeach()
    if(chosen STREQUAL "")
      set(chosen ${groups})
      math(EXPR groups "${groups} + 1")
      list(APPEND open ${chosen})
      set(files_${chosen} 0)
    endif()
    list(APPEND names_${chosen} ${names})
    math(EXPR files_${chosen} "${files_${chosen}} + 1")
    if(files_${chosen} EQUAL PACELINE_UNITY_FILES)
      list(REMOVE_ITEM open ${chosen})
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${chosen})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
