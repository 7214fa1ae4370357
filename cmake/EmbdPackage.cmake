# Debian packages, as `cmake --workflow --preset package` builds them: the program, the shared library behind the C interface,
# and what one builds against. A static build makes a package of the program alone, which every release of Debian runs.
# DEBFULLNAME and DEBEMAIL say who packages.
set(shared_library libembd-c${PROJECT_VERSION_MAJOR})
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
if(CMAKE_CROSSCOMPILING)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${debian_architecture})  # of the toolchain file
endif()
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PACKAGE_CONTACT "the embd developers <embd@localhost>")
if(DEFINED ENV{DEBEMAIL})
  set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(about "Embeds texts with all-MiniLM-L6-v2 on a CPU: exact, reproducible, fast.
Reads and writes CVC, finalfusion, SVS, USearch, NumPy and others.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME embd)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
if(EMBD_STATIC)
  set(CPACK_COMPONENTS_ALL program)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS ca-certificates)  # for `embd model get`
else()
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
endif()
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "${about}\n.\nThis package has the program.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${shared_library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "${about}\n.\nThis package has the shared library behind the C interface.")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libembd-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "${shared_library} (= ${PROJECT_VERSION}), libfmt-dev, libssl-dev, libstemmer-dev, libtomlplusplus-dev, libutf8proc-dev, libzstd-dev, zlib1g-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "${about}\n.\nThis package has what one builds against, from C++ and C.")

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, where it is set
configure_file(cmake/debian/changelog.in debian/changelog @ONLY)
foreach(package IN ITEMS program:embd library:${shared_library} development:libembd-dev)
  string(REGEX MATCH "(.*):(.*)" package ${package})
  install(FILES cmake/debian/copyright ${PROJECT_BINARY_DIR}/debian/changelog
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CMAKE_MATCH_2} COMPONENT ${CMAKE_MATCH_1} EXCLUDE_FROM_ALL)
endforeach()
if(EMBD_LICENSES)
  install(FILES ${EMBD_LICENSES} RENAME copyright-of-libraries DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/embd COMPONENT program)
endif()
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/layout.cmake)

include(CPack)
