# find_package(tilewright_bundle) defines the target tilewright::bundle: headers, flags, and TILEWRIGHT_BUNDLE, the folder
# of this bundle, as a C++ string. The code behind the headers is compiled once, by the project's own compiler. Kernels are
# not linked: they are loaded when they are first used.
get_filename_component(TILEWRIGHT_BUNDLE_DIR "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET tilewright_bundle_code)
  add_library(tilewright_bundle_code STATIC EXCLUDE_FROM_ALL "${TILEWRIGHT_BUNDLE_DIR}/src/tilewright.cpp")
  target_include_directories(tilewright_bundle_code PRIVATE "${TILEWRIGHT_BUNDLE_DIR}/include")
  target_compile_features(tilewright_bundle_code PRIVATE cxx_std_17)
  target_compile_options(tilewright_bundle_code PRIVATE -w)  # the project may ask for other warnings than ours
  set_target_properties(tilewright_bundle_code PROPERTIES POSITION_INDEPENDENT_CODE ON)
endif()
if(NOT TARGET tilewright::bundle)
  add_library(tilewright::bundle INTERFACE IMPORTED)
  set_target_properties(tilewright::bundle PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${TILEWRIGHT_BUNDLE_DIR}/include"
    INTERFACE_COMPILE_FEATURES cxx_std_17
    INTERFACE_COMPILE_DEFINITIONS "TILEWRIGHT_BUNDLE=\"${TILEWRIGHT_BUNDLE_DIR}\""
    INTERFACE_LINK_LIBRARIES "tilewright_bundle_code;${CMAKE_DL_LIBS}")
endif()
set(tilewright_bundle_FOUND TRUE)
