#include <tilewright/json.hpp>

#include <charconv>
#include <cstdio>

#include <tilewright/detail/json_reader.hpp>

namespace tilewright {
namespace {

void quote(std::string& out, const std::string& s) {
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

}  // namespace

Json::Json() = default;
Json::Json(bool b) : kind_(Kind::boolean), integer_(b) {}
Json::Json(int64_t i) : kind_(Kind::integer), integer_(i) {}
Json::Json(int i) : Json(static_cast<int64_t>(i)) {}
Json::Json(double d) : kind_(Kind::real), real_(d) {}
Json::Json(std::string s) : kind_(Kind::text), text_(std::move(s)) {}
Json::Json(const char* s) : Json(std::string(s)) {}
Json::Json(Items items) : kind_(Kind::list), items_(std::move(items)) {}
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;
Json Json::object(Fields fields) {
  Json made;
  made.kind_ = Kind::object;
  made.fields_ = std::move(fields);
  return made;
}
Json Json::parse(const std::string& text, const std::string& what) {
  try {
    return detail::JsonReader<BuildJson>::read(text);
  } catch (const BundleError& e) {
    throw BundleError(what + ": " + e.message(), "make it again");
  }
}
bool Json::boolean() const { return need(Kind::boolean, "a boolean"), integer_ != 0; }
int64_t Json::integer() const { return need(Kind::integer, "a whole number"), integer_; }
double Json::number() const { return kind_ == Kind::integer ? static_cast<double>(integer_) : (need(Kind::real, "a number"), real_); }
const std::string& Json::text() const { return need(Kind::text, "text"), text_; }
const Json::Items& Json::items() const { return need(Kind::list, "a list"), items_; }
const Json::Fields& Json::fields() const { return need(Kind::object, "an object"), fields_; }
const Json* Json::find(const std::string& name) const {
  for (const auto& pair : fields())
    if (pair.first == name) return &pair.second;
  return nullptr;
}
const Json& Json::at(const std::string& name) const {
  const Json* found = find(name);
  if (!found) throw BundleError("field " + name + " is missing");
  return *found;
}
void Json::set(const std::string& name, Json value) {
  need(Kind::object, "an object");
  for (auto& pair : fields_)
    if (pair.first == name) {
      pair.second = std::move(value);
      return;
    }
  fields_.emplace_back(name, std::move(value));
}
std::string Json::dump() const {
  std::string out;
  write(out);
  return out;
}
void Json::need(Kind kind, const char* what) const {
  if (kind_ != kind) throw BundleError("a value of JSON data is not " + std::string(what));
}
void Json::write(std::string& out) const {
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

}  // namespace tilewright
