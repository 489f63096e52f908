# hotrow_layer(<folder> [USES <layer>...] [LINKS <target>...])
#
# One folder of src/hotrow is one library. USES names the layers it may include (public, so that a header
# may name them too); LINKS names third-party libraries, which stay private to the folder.
# CMake refuses a circle (GLOBAL_DEPENDS_NO_CYCLES); script/lint refuses an include that USES does not name.
function(hotrow_layer name)
  cmake_parse_arguments(LAYER "" "" "USES;LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  list(TRANSFORM LAYER_USES PREPEND hotrow_)
  if(NOT sources)
    add_library(hotrow_${name} INTERFACE)
    return()
  endif()
  add_library(hotrow_${name} STATIC ${sources})
  target_include_directories(hotrow_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(hotrow_${name} PUBLIC ${LAYER_USES} PRIVATE ${LAYER_LINKS})
endfunction()
