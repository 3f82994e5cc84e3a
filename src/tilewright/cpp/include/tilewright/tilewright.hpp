/* Everything: problems, bundles, registries, dispatchers. See docs/cpp.md. */
#pragma once
#include "bundle.hpp"
#include "dispatcher.hpp"
#include "error.hpp"
#include "gpu.hpp"
#include "json.hpp"
#include "plan.hpp"
#include "problem.hpp"
#include "registry.hpp"
