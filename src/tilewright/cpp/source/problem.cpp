#include <tilewright/problem.hpp>

#include <cmath>

namespace tilewright {
namespace {

/* Throws if a number has no form in JSON; `path` names it, as in Python. */
void need_finite(const Json& value, const std::string& path) {
  const std::string gap = path.empty() ? "" : " ";
  if (value.kind() == Json::Kind::real && !std::isfinite(value.number()))
    throw ProblemError(path + " is " + value.dump() + "; it must be a finite number");
  if (value.kind() == Json::Kind::list)
    for (const auto& item : value.items()) need_finite(item, path);
  if (value.kind() == Json::Kind::object)
    for (const auto& pair : value.fields()) need_finite(pair.second, path + gap + pair.first);
}
Json parsed(const std::string& text) {
  try {
    return Json::parse(text, "problem");
  } catch (const BundleError& e) {
    throw ProblemError(e.message(), "give the JSON object of a problem");
  }
}

}  // namespace

Problem::Problem(const Json& fields) : text_(std::make_shared<const std::string>(fields.dump())) {
  need_finite(fields, "");
  hash_ = std::hash<std::string>()(*text_);
}
Problem Problem::parse(const std::string& text) { return Problem(parsed(text)); }
Json Problem::fields() const { return parsed(*text_); }

}  // namespace tilewright
