/* JSON values: objects keep the order of their fields. */
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "error.hpp"

namespace tilewright {

class Json {
 public:
  enum class Kind { null, boolean, integer, real, text, list, object };
  using Items = std::vector<Json>;
  using Fields = std::vector<std::pair<std::string, Json>>;

  Json();
  Json(bool b);
  Json(int64_t i);
  Json(int i);
  Json(double d);
  Json(std::string s);
  Json(const char* s);
  Json(Items items);
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();
  static Json object(Fields fields = {});
  template <class T>
  static Json list_of(const std::vector<T>& values) {
    return Json(Items(values.begin(), values.end()));
  }
  static Json parse(const std::string& text, const std::string& what = "JSON text");

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::null; }
  bool boolean() const;
  int64_t integer() const;
  double number() const;
  const std::string& text() const;
  const Items& items() const;
  const Fields& fields() const;
  const Json* find(const std::string& name) const;
  const Json& at(const std::string& name) const;
  void set(const std::string& name, Json value);
  std::string dump() const;

 private:
  void need(Kind kind, const char* what) const;
  void write(std::string& out) const;

  Kind kind_ = Kind::null;
  int64_t integer_ = 0;
  double real_ = 0.0;
  std::string text_;
  Items items_;
  Fields fields_;
};

}  // namespace tilewright
