# find_package(tilewright_bundle) defines the target tilewright::bundle: headers, flags, and TILEWRIGHT_BUNDLE, the
# folder of this bundle, as a C++ string. Nothing is linked: kernels are loaded when they are first used.
get_filename_component(TILEWRIGHT_BUNDLE_DIR "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET tilewright::bundle)
  add_library(tilewright::bundle INTERFACE IMPORTED)
  set_target_properties(tilewright::bundle PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${TILEWRIGHT_BUNDLE_DIR}/include"
    INTERFACE_COMPILE_FEATURES cxx_std_17
    INTERFACE_COMPILE_DEFINITIONS "TILEWRIGHT_BUNDLE=\"${TILEWRIGHT_BUNDLE_DIR}\""
    INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS}")
endif()
set(tilewright_bundle_FOUND TRUE)
