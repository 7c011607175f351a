# CMake includes this file after the first project() of SEAL or OpenFHE, because CMAKE_PROJECT_<NAME>_INCLUDE contains its path.
include_guard(GLOBAL)
find_package(rows REQUIRED)
include_directories(${CMAKE_CURRENT_LIST_DIR}/..)
link_libraries(rows::rows)
