# cpack: the installed files as a Debian package, without the CUDA plug-in, whose libraries Debian
# does not have. scripts/release makes it from a clean checkout.
#   depends     the shared libraries that the program and its MPI plug-in are linked to, and Python,
#               which draws the figures
#   recommends  pictures of machines (Graphviz)
#   suggests    figures as PDF and PNG (Matplotlib) and results as tables in Python (pandas), which
#               recommend 1.5 GB of packages; mpirun, one way to start several processes
set(CPACK_GENERATOR DEB)
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};paceline;Unspecified;/")
if(TARGET paceline_mpi)
  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};paceline;paceline_mpi;/")
endif()
set(CPACK_PACKAGE_CONTACT "The Paceline authors <maintainers@paceline.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "predict and measure how distributed training scales")
set(CPACK_PACKAGE_DESCRIPTION "An experiment is a YAML file that names a model, a machine, and when
the gradients of workers are applied. Paceline predicts its throughput and
loss with a discrete-event simulator, trains it for real on CPU threads, and
compares the two.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
  GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/PackageFiles.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3 (>= 3.11)")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS graphviz)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-matplotlib, python3-pandas, openmpi-bin")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/prerm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
