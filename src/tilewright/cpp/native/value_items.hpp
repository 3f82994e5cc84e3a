/* Items and attributes of values, and what spreads them into calls. */
#pragma once
#include "value_ops.hpp"

namespace twpy {

static bool is_named_tuple(const Value& v) { return v.kind() == Kind::object && v.object().type->is_sequence; }
const Values each(const Value& v) {
  if (v.kind() == Kind::sequence) return v.sequence().items;
  if (is_named_tuple(v)) return v.object().fields;
  Values out;
  if (v.kind() == Kind::text) {
    for (char c : v.text()) out.emplace_back(std::string(1, c));
    return out;
  }
  for (const auto& pair : v.mapping().items) out.push_back(pair.first);
  return out;
}
static size_t place(const Value& key, size_t size) {
  int64_t i = bits_of(key);
  if (i < 0) i += static_cast<int64_t>(size);
  if (i < 0 || i >= static_cast<int64_t>(size)) raise("IndexError", "index out of range");
  return static_cast<size_t>(i);
}
Value item(const Value& v, const Value& key) {
  if (v.kind() == Kind::sequence) return v.sequence().items[place(key, v.sequence().items.size())];
  if (v.kind() == Kind::text) return Value(std::string(1, v.text()[place(key, v.text().size())]));
  if (is_named_tuple(v)) return v.object().fields[place(key, v.object().fields.size())];
  const Value* found = find(v.mapping(), key);
  if (!found) raise("KeyError", repr(key));
  return *found;
}
Value part(const Value& v, const Value& from, const Value& to, const Value& step) {
  const int64_t n = length(v), by = step.is_none() ? 1 : step.whole();
  auto clamp = [&](const Value& at, int64_t other) {
    if (at.is_none()) return other;
    int64_t i = at.whole() < 0 ? at.whole() + n : at.whole();
    const int64_t low = by > 0 ? 0 : -1, high = by > 0 ? n : n - 1;
    return i < low ? low : i > high ? high : i;
  };
  const int64_t first = clamp(from, by > 0 ? 0 : n - 1), last = clamp(to, by > 0 ? n : -1);
  Values items;
  std::string text;
  for (int64_t i = first; by > 0 ? i < last : i > last; i += by) {
    if (v.kind() == Kind::text)
      text += v.text()[static_cast<size_t>(i)];
    else
      items.push_back(v.sequence().items[static_cast<size_t>(i)]);
  }
  if (v.kind() == Kind::text) return Value(std::move(text));
  return v.sequence().fixed ? tuple(std::move(items)) : list(std::move(items));
}
void set_item(const Value& v, const Value& key, Value x) {
  if (v.kind() == Kind::sequence) {
    v.sequence().items[place(key, v.sequence().items.size())] = std::move(x);
    return;
  }
  for (auto& pair : v.mapping().items)
    if (same(pair.first, key)) {
      pair.second = std::move(x);
      return;
    }
  v.mapping().items.emplace_back(key, std::move(x));
}

static Value bound_method(const Value& self, const Value& f) {
  return native("method", [self, f](Values& args, Named& named) {
    Values all{self};
    all.insert(all.end(), args.begin(), args.end());
    return call(f, std::move(all), std::move(named));
  });
}
Value attribute(const Value& v, const char* name) {
  if (v.kind() == Kind::type) {
    const auto& members = v.type().members;
    auto found = members.find(name);
    if (found != members.end())
      return found->second.first == Member::of_class ? bound_method(v, found->second.second) : found->second.second;
    if (std::string(name) == "__name__") return Value(v.type().name);
    raise("AttributeError", v.type().name + " has no " + name);
  }
  if (v.kind() != Kind::object) raise("AttributeError", std::string(kind_name(v)) + " has no " + name);
  Object& o = v.object();
  auto at = o.type->places.find(name);
  if (at != o.type->places.end()) return o.fields[at->second];
  for (const auto& pair : o.extra)
    if (pair.first == name) return pair.second;
  auto found = o.type->members.find(name);
  if (found == o.type->members.end()) {
    auto other = o.type->members.find("__getattr__");
    if (other != o.type->members.end()) return call(other->second.second, {v, Value(name)});
    raise("AttributeError", o.type->name + " has no " + name);
  }
  const Value& f = found->second.second;
  switch (found->second.first) {
    case Member::constant: return f;
    case Member::property: return call(f, {v});
    case Member::kept_property: {
      for (const auto& pair : o.kept)
        if (pair.first == name) return pair.second;
      Value made = call(f, {v});
      o.kept.emplace_back(name, made);
      return made;
    }
    case Member::of_class: {
      Class* type = const_cast<Class*>(o.type);
      return bound_method(Value(Kind::type, type), f);
    }
    default: return bound_method(v, f);
  }
}
void set_attribute(const Value& v, const std::string& name, Value x) {
  Object& o = v.object();
  auto at = o.type->places.find(name);
  if (at != o.type->places.end()) {
    o.fields[at->second] = std::move(x);
    return;
  }
  for (auto& pair : o.extra)
    if (pair.first == name) {
      pair.second = std::move(x);
      return;
    }
  o.extra.emplace_back(name, std::move(x));
}
void spread(Values& into, const Value& v) {
  for (const Value& x : each(v)) into.push_back(x);
}
void spread_named(Named& into, const Value& v) {
  for (const auto& pair : v.mapping().items) into.emplace_back(pair.first.text(), pair.second);
}
void spread_items(Value& into, const Value& v) {
  for (const auto& pair : v.mapping().items) set_item(into, pair.first, pair.second);
}
bool suppressed(const Raised& e, const Value& types) {
  if (types.kind() == Kind::type) {
    const std::string& name = types.type().name;
    return name == e.type || name == "Exception" || name == "TilewrightError";
  }
  for (const Value& one : each(types))
    if (suppressed(e, one)) return true;
  return false;
}

}  // namespace twpy
