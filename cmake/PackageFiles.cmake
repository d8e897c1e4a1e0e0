# Run by cpack before it packs the installed files: puts the licence, the release notes, the manual
# pages and the completion of zsh where Debian has them. The date is SOURCE_DATE_EPOCH, or now.
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(pages ${share}/doc/paceline)
file(RENAME ${pages}/LICENSE ${pages}/copyright)
file(RENAME ${pages}/CHANGELOG.md ${pages}/changelog)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
file(WRITE ${pages}/changelog.Debian "paceline (${version}) unstable; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}; the changes are in changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(GLOB manual ${share}/man/man1/*.1)
execute_process(COMMAND gzip -9n ${pages}/changelog ${pages}/changelog.Debian ${manual}
  COMMAND_ERROR_IS_FATAL ANY)
file(MAKE_DIRECTORY ${share}/zsh/vendor-completions)
file(RENAME ${share}/zsh/site-functions/_paceline ${share}/zsh/vendor-completions/_paceline)
file(REMOVE_RECURSE ${share}/zsh/site-functions)

# Debian's libraries are in the loader's path.
file(GLOB plugins ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/lib/paceline/*.so)
foreach(plugin IN LISTS plugins)
  file(RPATH_REMOVE FILE ${plugin})
endforeach()
