/* The text of a selection program. The problems of one program need little of it, so objects, functions and formulas are
 * parsed one by one, when they are first used. */
#pragma once
#include <map>
#include <string_view>

#include "value_text.hpp"

namespace twpy {

class ProgramText {
 public:
  using Reader = tilewright::detail::JsonReader<BuildValue>;

  explicit ProgramText(const char* text) : text_(text) {
    Value schema;
    Reader::of(text_).fields([&](const std::string& name, Reader& reader) {
      if (name == "schema") schema = reader.value();
      else if (name == "roots") roots_ = reader.value();
      else if (name == "objects") objects_ = reader.items();
      else if (name == "functions") functions_ = reader.items();
      else if (name == "formulas") reader.fields([&](const std::string& op, Reader& of_op) { formulas_[op] = of_op.skip(); });
      else raise("SchemaError", "the selection program has an unknown field " + name);
    });
    if (!same(schema, Value(1))) raise("SchemaError", "this library reads selection programs of schema 1", "update tilewright");
  }
  ProgramText(const ProgramText&) = delete;
  ProgramText& operator=(const ProgramText&) = delete;

  size_t objects() const { return objects_.size(); }
  size_t functions() const { return functions_.size(); }
  const Value& roots() const { return roots_; }
  Value object(size_t place) const { return parse_json(objects_.at(place)); }
  /* A reader of the fields of a function. Its body is much longer than the others. */
  Reader function(size_t place) const { return Reader::of(functions_.at(place)); }
  /* The formulas of an op, one for each kind of kernel; an empty list if there are none. */
  Value formulas(const std::string& op) const {
    auto found = formulas_.find(op);
    return found == formulas_.end() ? list({}) : parse_json(found->second);
  }

 private:
  std::string text_;  // the others point into it
  std::vector<std::string_view> objects_, functions_;
  std::map<std::string, std::string_view> formulas_;
  Value roots_;
};

}  // namespace twpy
