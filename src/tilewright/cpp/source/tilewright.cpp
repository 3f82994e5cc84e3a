/* The code behind the headers, as one source: compile it once, link it into the program. See docs/cpp.md. */
#include "bundle.cpp"
#include "dispatcher.cpp"
#include "error.cpp"
#include "gpu.cpp"
#include "json.cpp"
#include "plan.cpp"
#include "problem.cpp"
#include "registry.cpp"
