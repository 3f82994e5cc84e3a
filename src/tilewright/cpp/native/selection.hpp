/* The selection library of a bundle: it runs the bundle's selection program. Requests and answers are JSON text.
 *
 * Every function returns 0 and text in `*answer`, or 1 and a JSON object with type, message and remedy.
 * `tw_selection_free` frees both. See `cpp/engine.py` for what can be called. */
#include <cstring>
#include <memory>
#include <mutex>

#include "evaluate.hpp"
#include "trees.hpp"

struct tw_selection {
  explicit tw_selection(const char* text) : program(text) {}
  /* The cost formulas of an op, parsed when they are first used. */
  const std::vector<twpy::Formula>& formulas_of(const std::string& op) {
    auto known = formulas.find(op);
    if (known != formulas.end()) return known->second;
    std::vector<twpy::Formula> made;
    for (const twpy::Value& one : twpy::each(program.text().formulas(op))) made.emplace_back(one);
    return formulas.emplace(op, std::move(made)).first->second;
  }
  twpy::Program program;
  std::map<std::string, std::vector<twpy::Formula>> formulas;
  std::vector<twpy::TrainedModel> models;
  twpy::Value kernels;
};

namespace twpy {

static tw_selection* current = nullptr;  // the selection whose program runs, under the lock

static const std::vector<double>& doubles(const Value& v, std::vector<double>& out) {
  out.clear();
  for (const Value& x : v.sequence().items) out.push_back(x.number());
  return out;
}
static Value formula_us(Values& a, Named&) {
  static std::vector<double> k, x, p, d, scratch;
  doubles(a.at(1), k), doubles(a.at(2), x), doubles(a.at(3), p), doubles(a.at(4), d);
  for (const Formula& formula : current->formulas_of(a[0].text()))
    if (!k.empty() && formula.kind == k[0]) return Value(formula(k.data(), x.data(), p.data(), d.data(), scratch));
  raise("SchemaError", "there is no cost formula for this kind of kernel");
}
static Value learned_scores(Values& a, Named&) { return learned_rows(current->models, a); }

static std::mutex& lock() {
  static std::mutex one;
  return one;
}
static char* copied(const std::string& text) {
  char* out = static_cast<char*>(std::malloc(text.size() + 1));
  if (out) std::memcpy(out, text.c_str(), text.size() + 1);
  return out;
}
template <class Work>
static int answered(char** answer, Work work) {
  std::lock_guard<std::mutex> held(lock());
  std::string type = "InternalError", message, remedy;
  try {
    *answer = copied(work());
    return 0;
  } catch (const Raised& e) {
    type = e.type, message = e.message, remedy = e.remedy;
  } catch (const std::exception& e) {
    message = e.what();
  }
  *answer = copied(json_text(error_value(type, message, remedy)));
  return 1;
}

}  // namespace twpy

#define TW_EXPORTED __attribute__((visibility("default")))
extern "C" {

TW_EXPORTED int tw_selection_abi(void) { return 2; }
TW_EXPORTED void tw_selection_free(char* text) { std::free(text); }

/* Reads a selection program and the kernels of a bundle: a JSON list of objects with `spec` and `numbers`. */
TW_EXPORTED int tw_selection_open(const char* program, const char* kernels, tw_selection** opened, char** answer) {
  return twpy::answered(answer, [&] {
    auto made = std::make_unique<tw_selection>(program);
    twpy::current = made.get();
    made->kernels = twpy::call(made->program.root("load"), {twpy::parse_json(kernels)});
    *opened = made.release();
    return std::string("null");
  });
}
/* Reads the trained models of a bundle, a JSON list; needed before the selector `learned` is used. */
TW_EXPORTED int tw_selection_models(tw_selection* selection, const char* models, char** answer) {
  return twpy::answered(answer, [&] {
    selection->models.clear();
    for (const twpy::Value& one : twpy::each(twpy::parse_json(models))) selection->models.emplace_back(one);
    return std::string("null");
  });
}
TW_EXPORTED void tw_selection_close(tw_selection* selection) {
  std::lock_guard<std::mutex> held(twpy::lock());
  delete selection;
}
/* Calls one of describe, rank, lower, choose (and device, for GPUs) with a JSON request. */
TW_EXPORTED int tw_selection_call(tw_selection* selection, const char* name, const char* request, char** answer) {
  return twpy::answered(answer, [&] {
    twpy::current = selection;
    const twpy::Value asked = twpy::parse_json(request);
    const twpy::Value function = selection->program.root(name);
    const bool stateless = std::strcmp(name, "describe") == 0 || std::strcmp(name, "device") == 0;
    return twpy::json_text(stateless ? twpy::call(function, {asked}) : twpy::call(function, {selection->kernels, asked}));
  });
}
}
