/* JSON values: objects keep the order of their fields. */
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "detail/json_reader.hpp"
#include "error.hpp"

namespace tilewright {

class Json {
 public:
  enum class Kind { null, boolean, integer, real, text, list, object };
  using Items = std::vector<Json>;
  using Fields = std::vector<std::pair<std::string, Json>>;

  Json() = default;
  Json(bool b) : kind_(Kind::boolean), integer_(b) {}
  Json(int64_t i) : kind_(Kind::integer), integer_(i) {}
  Json(int i) : Json(static_cast<int64_t>(i)) {}
  Json(double d) : kind_(Kind::real), real_(d) {}
  Json(std::string s) : kind_(Kind::text), text_(std::move(s)) {}
  Json(const char* s) : Json(std::string(s)) {}
  Json(Items items) : kind_(Kind::list), items_(std::move(items)) {}
  static Json object(Fields fields = {}) {
    Json made;
    made.kind_ = Kind::object;
    made.fields_ = std::move(fields);
    return made;
  }
  template <class T>
  static Json list_of(const std::vector<T>& values) {
    return Json(Items(values.begin(), values.end()));
  }
  static Json parse(const std::string& text, const std::string& what = "JSON text");

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::null; }
  bool boolean() const { return need(Kind::boolean, "a boolean"), integer_ != 0; }
  int64_t integer() const { return need(Kind::integer, "a whole number"), integer_; }
  double number() const { return kind_ == Kind::integer ? static_cast<double>(integer_) : (need(Kind::real, "a number"), real_); }
  const std::string& text() const { return need(Kind::text, "text"), text_; }
  const Items& items() const { return need(Kind::list, "a list"), items_; }
  const Fields& fields() const { return need(Kind::object, "an object"), fields_; }
  const Json* find(const std::string& name) const {
    for (const auto& pair : fields())
      if (pair.first == name) return &pair.second;
    return nullptr;
  }
  const Json& at(const std::string& name) const {
    const Json* found = find(name);
    if (!found) throw BundleError("field " + name + " is missing");
    return *found;
  }
  void set(const std::string& name, Json value) {
    need(Kind::object, "an object");
    for (auto& pair : fields_)
      if (pair.first == name) {
        pair.second = std::move(value);
        return;
      }
    fields_.emplace_back(name, std::move(value));
  }
  std::string dump() const {
    std::string out;
    write(out);
    return out;
  }

 private:
  void need(Kind kind, const char* what) const {
    if (kind_ != kind) throw BundleError("a value of JSON data is not " + std::string(what));
  }
  static void quote(std::string& out, const std::string& s) {
    out += '"';
    for (unsigned char c : s) {
      char code[8];
      if (c == '"' || c == '\\') {
        out += '\\';
        out += static_cast<char>(c);
      } else if (c < 0x20) {
        std::snprintf(code, sizeof code, "\\u%04x", c);
        out += code;
      } else {
        out += static_cast<char>(c);
      }
    }
    out += '"';
  }
  void write(std::string& out) const {
    switch (kind_) {
      case Kind::null: out += "null"; break;
      case Kind::boolean: out += integer_ ? "true" : "false"; break;
      case Kind::integer: out += std::to_string(integer_); break;
      case Kind::real: {
        char text[40];
        auto end = std::to_chars(text, text + sizeof text, real_).ptr;
        std::string s(text, end);
        out += s.find_first_of(".en") == std::string::npos ? s + ".0" : s;
        break;
      }
      case Kind::text: quote(out, text_); break;
      case Kind::list: {
        out += '[';
        for (size_t i = 0; i < items_.size(); i++) {
          if (i) out += ',';
          items_[i].write(out);
        }
        out += ']';
        break;
      }
      case Kind::object: {
        out += '{';
        bool first = true;
        for (const auto& pair : fields_) {
          if (!first) out += ',';
          first = false;
          quote(out, pair.first);
          out += ':';
          pair.second.write(out);
        }
        out += '}';
      }
    }
  }

  Kind kind_ = Kind::null;
  int64_t integer_ = 0;
  double real_ = 0.0;
  std::string text_;
  Items items_;
  Fields fields_;
};

namespace detail {
struct BuildJson {
  using Value = Json;
  static Json null() { return Json(); }
  static Json boolean(bool b) { return Json(b); }
  static Json integer(int64_t i) { return Json(i); }
  static Json real(double d) { return Json(d); }
  static Json text(std::string s) { return Json(std::move(s)); }
  static Json list(std::vector<Json> items) { return Json(std::move(items)); }
  static Json object(Json::Fields fields) { return Json::object(std::move(fields)); }
  [[noreturn]] static void fail(const std::string& what) { throw BundleError(what); }
};
}  // namespace detail

inline Json Json::parse(const std::string& text, const std::string& what) {
  try {
    return detail::JsonReader<detail::BuildJson>::read(text);
  } catch (const BundleError& e) {
    throw BundleError(what + ": " + e.message(), "make it again");
  }
}

}  // namespace tilewright
