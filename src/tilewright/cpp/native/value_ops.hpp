/* Operators of values: comparisons and arithmetic. */
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "value.hpp"

namespace twpy {

inline Value::Value(const char* s) : Value(std::string(s)) {}
inline Value::Value(std::string s) : kind_(Kind::text) {
  auto* t = new Text;
  t->value = std::move(s);
  t->references = 1;
  bits_.h = t;
}
static const char* kind_name(const Value& v) {
  static const char* names[] = {"NoneType", "bool", "int", "float", "str", "tuple", "dict", "object", "function", "type"};
  return names[static_cast<int>(v.kind())];
}
static void expect(const Value& v, Kind kind, const char* what) {
  if (v.kind() != kind) raise("TypeError", std::string(kind_name(v)) + " is not " + what);
}
inline const std::string& Value::text() const {
  expect(*this, Kind::text, "text");
  return static_cast<Text*>(bits_.h)->value;
}
inline Sequence& Value::sequence() const {
  expect(*this, Kind::sequence, "a sequence");
  return *static_cast<Sequence*>(bits_.h);
}
inline Mapping& Value::mapping() const {
  expect(*this, Kind::mapping, "a mapping");
  return *static_cast<Mapping*>(bits_.h);
}
inline Object& Value::object() const {
  expect(*this, Kind::object, "an object");
  return *static_cast<Object*>(bits_.h);
}
inline Function& Value::function() const {
  expect(*this, Kind::function, "a function");
  return *static_cast<Function*>(bits_.h);
}
inline Class& Value::type() const {
  expect(*this, Kind::type, "a class");
  return *static_cast<Class*>(bits_.h);
}

void raise(const char* type, const std::string& message, const std::string& remedy) {
  throw Raised{type, message, remedy};
}

Value tuple(Values items) {
  auto* s = new Sequence;
  s->items = std::move(items);
  return Value(Kind::sequence, s);
}
Value list(Values items) {
  Value v = tuple(std::move(items));
  v.sequence().fixed = false;
  return v;
}
Value dict(std::vector<std::pair<Value, Value>> items) {
  auto* m = new Mapping;
  Value v(Kind::mapping, m);
  for (auto& pair : items) set_item(v, pair.first, std::move(pair.second));
  return v;
}
Value set_of(Values items) {
  auto* m = new Mapping;
  m->is_set = true;
  Value v(Kind::mapping, m);
  for (auto& one : items)
    if (!find(*m, one)) m->items.emplace_back(std::move(one), Value());
  return v;
}
Value make_function(const char* name, Signature signature, std::function<Value(Values&)> body) {
  auto* f = new Function;
  f->name = name;
  f->signature = std::move(signature);
  f->body = std::move(body);
  return Value(Kind::function, f);
}
Value native(const char* name, std::function<Value(Values&, Named&)> body) {
  auto* f = new Function;
  f->name = name;
  f->native = std::move(body);
  return Value(Kind::function, f);
}

bool truth(const Value& v) {
  switch (v.kind()) {
    case Kind::none: return false;
    case Kind::boolean:
    case Kind::integer: return v.whole() != 0;
    case Kind::real: return v.number() != 0.0;
    case Kind::text: return !v.text().empty();
    case Kind::sequence: return !v.sequence().items.empty();
    case Kind::mapping: return !v.mapping().items.empty();
    default: return true;
  }
}

bool same(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number())
    return a.is_whole() && b.is_whole() ? a.whole() == b.whole() : a.number() == b.number();
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::none: return true;
    case Kind::text: return a.text() == b.text();
    case Kind::sequence: {
      const auto &x = a.sequence(), &y = b.sequence();
      if (x.fixed != y.fixed || x.items.size() != y.items.size()) return false;
      for (size_t i = 0; i < x.items.size(); i++)
        if (!same(x.items[i], y.items[i])) return false;
      return true;
    }
    case Kind::mapping: {
      const auto &x = a.mapping(), &y = b.mapping();
      if (x.is_set != y.is_set || x.items.size() != y.items.size()) return false;
      for (const auto& pair : x.items) {
        const Value* other = find(y, pair.first);
        if (!other || !same(pair.second, *other)) return false;
      }
      return true;
    }
    case Kind::object: {
      const auto &x = a.object(), &y = b.object();
      if (&x == &y) return true;
      if (x.type != y.type || !x.type->is_data) return false;
      for (size_t i = 0; i < x.fields.size(); i++)
        if (!same(x.fields[i], y.fields[i])) return false;
      return true;
    }
    default: return a.heap() == b.heap();
  }
}
bool is_same(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  if (a.kind() >= Kind::sequence) return a.heap() == b.heap();
  return same(a, b);
}
bool less(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number())
    return a.is_whole() && b.is_whole() ? a.whole() < b.whole() : a.number() < b.number();
  if (a.kind() == Kind::text && b.kind() == Kind::text) return a.text() < b.text();
  if (a.kind() == Kind::sequence && b.kind() == Kind::sequence) {
    const auto &x = a.sequence().items, &y = b.sequence().items;
    for (size_t i = 0; i < x.size() && i < y.size(); i++)
      if (!same(x[i], y[i])) return less(x[i], y[i]);
    return x.size() < y.size();
  }
  raise("TypeError", std::string("cannot compare ") + kind_name(a) + " and " + kind_name(b));
}
const Value* find(const Mapping& m, const Value& key) {
  for (const auto& pair : m.items)
    if (same(pair.first, key)) return &pair.second;
  return nullptr;
}
bool holds(const Value& container, const Value& one) {
  if (container.kind() == Kind::text) return container.text().find(one.text()) != std::string::npos;
  if (container.kind() == Kind::mapping) return find(container.mapping(), one) != nullptr;
  for (const Value& x : container.sequence().items)
    if (same(x, one)) return true;
  return false;
}
int64_t length(const Value& v) {
  if (v.kind() == Kind::text) return static_cast<int64_t>(v.text().size());
  if (v.kind() == Kind::mapping) return static_cast<int64_t>(v.mapping().items.size());
  return static_cast<int64_t>(v.sequence().items.size());
}

static bool wholes(const Value& a, const Value& b) { return a.is_whole() && b.is_whole(); }
static void numbers(const Value& a, const Value& b, const char* what) {
  if (!a.is_number() || !b.is_number())
    raise("TypeError", std::string("cannot ") + what + " " + kind_name(a) + " and " + kind_name(b));
}
/* Whole numbers of Python have no limit. Beyond 64 bits they become real numbers here, which compare alike. */
Value add(const Value& a, const Value& b) {
  if (wholes(a, b)) {
    int64_t r;
    if (__builtin_add_overflow(a.whole(), b.whole(), &r)) return Value(a.number() + b.number());
    return Value(r);
  }
  if (a.kind() == Kind::text && b.kind() == Kind::text) return Value(a.text() + b.text());
  if (a.kind() == Kind::sequence && b.kind() == Kind::sequence) {
    Values items = a.sequence().items;
    items.insert(items.end(), b.sequence().items.begin(), b.sequence().items.end());
    return a.sequence().fixed ? tuple(std::move(items)) : list(std::move(items));
  }
  numbers(a, b, "add");
  return Value(a.number() + b.number());
}
Value grown(Value a, const Value& b) {
  if (a.kind() != Kind::sequence || a.sequence().fixed) return add(a, b);
  const Values more = each(b);
  a.sequence().items.insert(a.sequence().items.end(), more.begin(), more.end());
  return a;
}
Value subtract(const Value& a, const Value& b) {
  if (wholes(a, b)) {
    int64_t r;
    if (__builtin_sub_overflow(a.whole(), b.whole(), &r)) return Value(a.number() - b.number());
    return Value(r);
  }
  if (a.kind() == Kind::mapping && b.kind() == Kind::mapping) {
    Values left;
    for (const auto& pair : a.mapping().items)
      if (!find(b.mapping(), pair.first)) left.push_back(pair.first);
    return set_of(std::move(left));
  }
  numbers(a, b, "subtract");
  return Value(a.number() - b.number());
}
Value multiply(const Value& a, const Value& b) {
  if (a.kind() == Kind::sequence || a.kind() == Kind::text) {
    if (!b.is_whole()) raise("TypeError", "can only repeat by a whole number");
    if (a.kind() == Kind::text) {
      std::string s;
      for (int64_t i = 0; i < b.whole(); i++) s += a.text();
      return Value(std::move(s));
    }
    Values items;
    for (int64_t i = 0; i < b.whole(); i++)
      items.insert(items.end(), a.sequence().items.begin(), a.sequence().items.end());
    return a.sequence().fixed ? tuple(std::move(items)) : list(std::move(items));
  }
  if (wholes(a, b)) {
    int64_t r;
    if (__builtin_mul_overflow(a.whole(), b.whole(), &r)) return Value(a.number() * b.number());
    return Value(r);
  }
  numbers(a, b, "multiply");
  return Value(a.number() * b.number());
}
Value divide(const Value& a, const Value& b) {
  numbers(a, b, "divide");
  if (b.number() == 0.0) raise("ZeroDivisionError", "division by zero");
  return Value(a.number() / b.number());
}
Value floor_divide(const Value& a, const Value& b) {
  numbers(a, b, "divide");
  if (b.number() == 0.0) raise("ZeroDivisionError", "division by zero");
  if (!wholes(a, b)) return Value(std::floor(a.number() / b.number()));
  if (b.whole() == -1) return negative(a);
  int64_t q = a.whole() / b.whole();
  if (a.whole() % b.whole() != 0 && (a.whole() < 0) != (b.whole() < 0)) q--;
  return Value(q);
}
Value modulo(const Value& a, const Value& b) {
  numbers(a, b, "divide");
  if (b.number() == 0.0) raise("ZeroDivisionError", "division by zero");
  if (!wholes(a, b)) {
    double r = std::fmod(a.number(), b.number());
    if (r != 0.0 && (r < 0) != (b.number() < 0)) r += b.number();
    return Value(r);
  }
  if (b.whole() == -1) return Value(0);  // the processor traps on the smallest number
  int64_t r = a.whole() % b.whole();
  if (r != 0 && (r < 0) != (b.whole() < 0)) r += b.whole();
  return Value(r);
}
Value power(const Value& a, const Value& b) {
  numbers(a, b, "raise");
  if (wholes(a, b) && b.whole() >= 0) {
    Value r(1);
    for (int64_t i = 0; i < b.whole(); i++) r = multiply(r, a);
    return r;
  }
  return Value(std::pow(a.number(), b.number()));
}
static int64_t bits_of(const Value& v) {
  if (!v.is_whole()) raise("TypeError", std::string(kind_name(v)) + " has no bits");
  return v.whole();
}
static Value like(const Value& a, const Value& b, int64_t r) {
  return a.kind() == Kind::boolean && b.kind() == Kind::boolean ? Value(r != 0) : Value(r);
}
Value bit_and(const Value& a, const Value& b) {
  if (a.kind() == Kind::mapping) {
    Values both;
    for (const auto& pair : a.mapping().items)
      if (holds(b, pair.first)) both.push_back(pair.first);
    return set_of(std::move(both));
  }
  return like(a, b, bits_of(a) & bits_of(b));
}
Value bit_or(const Value& a, const Value& b) {
  if (a.kind() == Kind::mapping) {
    auto* m = new Mapping(a.mapping());
    m->references = 0;
    Value r(Kind::mapping, m);
    for (const auto& pair : b.mapping().items) set_item(r, pair.first, pair.second);
    return r;
  }
  return like(a, b, bits_of(a) | bits_of(b));
}
Value united(Value a, const Value& b) {
  if (a.kind() != Kind::mapping) return bit_or(a, b);
  const auto more = b.mapping().items;  // a copy: it may be the same one
  for (const auto& pair : more) set_item(a, pair.first, pair.second);
  return a;
}
static int64_t places_of(const Value& v) {
  if (bits_of(v) < 0) raise("ValueError", "negative shift count");
  return v.whole();
}
Value shift_left(const Value& a, const Value& b) {
  bits_of(a);
  const int64_t places = std::min<int64_t>(places_of(b), 1000);
  return multiply(a, places < 63 ? Value(int64_t{1} << places) : Value(std::ldexp(1.0, static_cast<int>(places))));
}
Value shift_right(const Value& a, const Value& b) { return Value(bits_of(a) >> std::min<int64_t>(places_of(b), 63)); }
Value negative(const Value& a) {
  if (a.is_whole()) return subtract(Value(0), a);
  numbers(a, a, "negate");
  return Value(-a.number());
}
Value inverted(const Value& a) { return Value(~bits_of(a)); }

}  // namespace twpy
