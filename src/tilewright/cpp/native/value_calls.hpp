/* Calls of functions and classes: arguments by place and by name, defaults, fields. */
#pragma once
#include "value_text.hpp"

namespace twpy {

static Values bound(const Function& f, Values args, Named named) {
  const Signature& s = f.signature;
  const size_t names = s.names.size();
  Values out(names);
  std::vector<char> given(names, 0);
  Values rest;
  for (size_t i = 0; i < args.size(); i++) {
    if (i < s.positional) {
      out[i] = std::move(args[i]);
      given[i] = 1;
    } else if (s.rest) {
      rest.push_back(std::move(args[i]));
    } else {
      raise("TypeError", f.name + " takes fewer arguments");
    }
  }
  std::vector<std::pair<Value, Value>> other;
  for (auto& pair : named) {
    size_t i = 0;
    while (i < names && pair.first != s.names[i]) i++;
    if (i < names) {
      out[i] = std::move(pair.second);
      given[i] = 1;
    } else if (s.named) {
      other.emplace_back(Value(pair.first), std::move(pair.second));
    } else {
      raise("TypeError", f.name + " has no argument " + pair.first);
    }
  }
  for (size_t i = 0; i < names; i++) {
    if (given[i]) continue;
    const size_t from = names - s.defaults.size();
    if (i < from) raise("TypeError", f.name + " needs " + s.names[i]);
    out[i] = s.defaults[i - from];
  }
  if (s.rest) out.push_back(tuple(std::move(rest)));
  if (s.named) out.push_back(dict(std::move(other)));
  return out;
}

static Value constructed(const Value& type, Values args, Named named) {
  Class& c = type.type();
  if (c.construct) return c.construct(args, named);
  auto* o = new Object;
  o->type = &c;
  Value made(Kind::object, o);
  auto init = c.members.find("__init__");
  if (!c.is_data && init != c.members.end()) {
    args.insert(args.begin(), made);
    call(init->second.second, std::move(args), std::move(named));
    return made;
  }
  const size_t count = c.fields.size();
  o->fields.resize(count);
  std::vector<char> given(count, 0);
  if (args.size() > count) raise("TypeError", c.name + " takes fewer arguments");
  for (size_t i = 0; i < args.size(); i++) o->fields[i] = std::move(args[i]), given[i] = 1;
  for (auto& pair : named) {
    auto at = c.places.find(pair.first);
    if (at == c.places.end()) raise("TypeError", c.name + " has no field " + pair.first);
    o->fields[at->second] = std::move(pair.second);
    given[at->second] = 1;
  }
  for (size_t i = 0; i < count; i++) {
    if (given[i]) continue;
    if (!c.fields[i].has_default) raise("TypeError", c.name + " needs " + c.fields[i].name);
    o->fields[i] = c.fields[i].make();
  }
  auto after = c.members.find("__post_init__");
  if (after != c.members.end()) call(after->second.second, {made});
  return made;
}
Value new_object(const Value& type, Values fields) {
  auto* o = new Object;
  o->type = &type.type();
  o->fields = std::move(fields);
  return Value(Kind::object, o);
}
Value call(const Value& f, Values args, Named named) {
  if (f.kind() == Kind::type) return constructed(f, std::move(args), std::move(named));
  if (f.kind() == Kind::object) return method(f, "__call__", std::move(args), std::move(named));
  Function& function = f.function();
  if (function.native) return function.native(args, named);
  if (named.empty() && !function.signature.rest && !function.signature.named &&
      args.size() == function.signature.positional && args.size() == function.signature.names.size())
    return function.body(args);
  Values all = bound(function, std::move(args), std::move(named));
  return function.body(all);
}

}  // namespace twpy
