# CMake reads this file behind the first project() of SEAL or OpenFHE, because CMAKE_PROJECT_<NAME>_INCLUDE names it.
include_guard(GLOBAL)
find_package(rows REQUIRED)
include_directories(${CMAKE_CURRENT_LIST_DIR}/..)
link_libraries(rows::rows)
