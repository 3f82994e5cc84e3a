#include <tilewright/problem.hpp>

namespace tilewright {

Problem::Problem(const Json& fields) : text_(std::make_shared<const std::string>(fields.dump())) {
  hash_ = std::hash<std::string>()(*text_);
}
Problem Problem::parse(const std::string& text) { return Problem(Json::parse(text, "problem")); }

}  // namespace tilewright
