/* Calls: functions, classes, methods of builtin types, and the builtin functions that definitions use. */
#pragma once
#include <numeric>

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
  Function& function = f.function();
  if (function.native) return function.native(args, named);
  if (named.empty() && !function.signature.rest && !function.signature.named &&
      args.size() == function.signature.positional && args.size() == function.signature.names.size())
    return function.body(args);
  Values all = bound(function, std::move(args), std::move(named));
  return function.body(all);
}

static Value text_method(const std::string& s, const std::string& name, Values& a) {
  auto arg = [&](size_t i) -> const std::string& { return a.at(i).text(); };
  if (name == "startswith" || name == "endswith") {
    auto fits = [&](const std::string& x) {
      return s.size() >= x.size() && s.compare(name == "startswith" ? 0 : s.size() - x.size(), x.size(), x) == 0;
    };
    if (a.at(0).kind() == Kind::text) return Value(fits(arg(0)));
    for (const Value& x : each(a[0]))
      if (fits(x.text())) return Value(true);
    return Value(false);
  }
  if (name == "join") {
    std::string out;
    bool first = true;
    for (const Value& x : each(a.at(0))) {
      if (!first) out += s;
      first = false;
      out += x.text();
    }
    return Value(std::move(out));
  }
  if (name == "replace") {
    std::string out;
    for (size_t at = 0; at < s.size();) {
      if (!arg(0).empty() && s.compare(at, arg(0).size(), arg(0)) == 0) {
        out += arg(1);
        at += arg(0).size();
      } else {
        out += s[at++];
      }
    }
    return Value(std::move(out));
  }
  if (name == "isdigit") return Value(!s.empty() && s.find_first_not_of("0123456789") == std::string::npos);
  if (name == "lower") return Value(lowered(s));
  if (name == "removeprefix") return Value(s.compare(0, arg(0).size(), arg(0)) == 0 ? s.substr(arg(0).size()) : s);
  if (name == "rstrip") {
    size_t end = s.find_last_not_of(a.empty() ? " \n\t" : arg(0));
    return Value(end == std::string::npos ? "" : s.substr(0, end + 1));
  }
  if (name == "split" || name == "partition") {
    const size_t at = s.find(arg(0));
    if (name == "partition")
      return at == std::string::npos ? tuple({Value(s), Value(""), Value("")})
                                     : tuple({Value(s.substr(0, at)), a[0], Value(s.substr(at + arg(0).size()))});
    Values parts;
    size_t from = 0;
    for (size_t to = at; to != std::string::npos; to = s.find(arg(0), from)) {
      parts.emplace_back(s.substr(from, to - from));
      from = to + arg(0).size();
    }
    parts.emplace_back(s.substr(from));
    return list(std::move(parts));
  }
  raise("AttributeError", "str has no " + name);
}
static Value list_method(Sequence& s, const std::string& name, Values& a) {
  if (name == "append") return s.items.push_back(a.at(0)), Value();
  if (name == "extend") {
    for (const Value& x : each(a.at(0))) s.items.push_back(x);
    return Value();
  }
  if (name == "index") {
    for (size_t i = 0; i < s.items.size(); i++)
      if (same(s.items[i], a.at(0))) return Value(static_cast<int64_t>(i));
    raise("ValueError", repr(a.at(0)) + " is not in the sequence");
  }
  if (name == "count") {
    int64_t n = 0;
    for (const Value& x : s.items) n += same(x, a.at(0));
    return Value(n);
  }
  if (name == "pop") {
    Value last = s.items.back();
    s.items.pop_back();
    return last;
  }
  raise("AttributeError", "list has no " + name);
}
static Value dict_method(const Value& v, const std::string& name, Values& a) {
  Mapping& m = v.mapping();
  if (name == "get") {
    const Value* found = find(m, a.at(0));
    return found ? *found : a.size() > 1 ? a[1] : Value();
  }
  if (name == "items" || name == "values" || name == "keys") {
    Values out;
    for (const auto& pair : m.items)
      out.push_back(name == "items" ? tuple({pair.first, pair.second}) : name == "keys" ? pair.first : pair.second);
    return tuple(std::move(out));
  }
  if (name == "setdefault") {
    const Value* found = find(m, a.at(0));
    if (found) return *found;
    set_item(v, a[0], a.at(1));
    return a[1];
  }
  if (name == "update") return m.is_set ? Value() : (spread_items(const_cast<Value&>(v), a.at(0)), Value());
  if (name == "pop") {
    for (size_t i = 0; i < m.items.size(); i++)
      if (same(m.items[i].first, a.at(0))) {
        Value found = m.items[i].second;
        m.items.erase(m.items.begin() + static_cast<long>(i));
        return found;
      }
    if (a.size() > 1) return a[1];
    raise("KeyError", repr(a[0]));
  }
  if (name == "add") {
    if (!find(m, a.at(0))) m.items.emplace_back(a[0], Value());
    return Value();
  }
  if (name == "fromkeys") raise("TypeError", "fromkeys of an instance");
  raise("AttributeError", "dict has no " + name);
}
Value method(const Value& v, const char* name, Values args, Named named) {
  const std::string n = name;
  switch (v.kind()) {
    case Kind::text: return text_method(v.text(), n, args);
    case Kind::sequence: return list_method(v.sequence(), n, args);
    case Kind::mapping: return dict_method(v, n, args);
    case Kind::integer:
    case Kind::boolean:
      if (n == "bit_length") {
        int64_t x = std::llabs(v.whole()), bits = 0;
        for (; x; x >>= 1) bits++;
        return Value(bits);
      }
      break;
    case Kind::object: {
      Object& o = v.object();
      auto found = o.type->members.find(n);
      if (found != o.type->members.end() && found->second.first == Member::method) {
        args.insert(args.begin(), v);
        return call(found->second.second, std::move(args), std::move(named));
      }
      break;
    }
    default: break;
  }
  return call(attribute(v, name), std::move(args), std::move(named));
}

static bool is_instance(const Value& v, const Value& t) {
  if (t.kind() == Kind::sequence) {
    for (const Value& one : each(t))
      if (is_instance(v, one)) return true;
    return false;
  }
  const std::string& n = t.type().name;
  switch (v.kind()) {
    case Kind::none: return n == "NoneType";
    case Kind::boolean: return n == "bool" || n == "int" || n == "Real";
    case Kind::integer: return n == "int" || n == "Real";
    case Kind::real: return n == "float" || n == "Real";
    case Kind::text: return n == "str" || n == "Sequence";
    case Kind::sequence: return n == "Sequence" || n == (v.sequence().fixed ? "tuple" : "list");
    case Kind::mapping: return v.mapping().is_set ? n == "set" || n == "frozenset" : n == "dict" || n == "Mapping";
    case Kind::object: {
      if (v.object().type == &t.type()) return true;
      for (const Class* base : v.object().type->bases)
        if (base == &t.type()) return true;
      return false;
    }
    default: return n == "object";
  }
}
static Value builtin_class(const std::string& name, std::function<Value(Values&, Named&)> construct) {
  auto* c = new Class;
  c->name = name;
  c->construct = std::move(construct);
  return Value(Kind::type, c);
}
static Value whole_of(const Value& v) {
  if (v.is_whole()) return Value(v.whole());
  if (v.kind() == Kind::real) {
    const double d = std::trunc(v.number());
    if (!(std::fabs(d) < 9.2e18)) return Value(d);
    return Value(static_cast<int64_t>(d));
  }
  int64_t i = 0;
  const std::string& s = v.text();
  auto r = std::from_chars(s.data(), s.data() + s.size(), i);
  if (s.empty() || r.ec != std::errc() || r.ptr != s.data() + s.size()) raise("ValueError", "invalid whole number " + quoted(s));
  return Value(i);
}
static std::string field_text(const Named& named, const char* name) {
  for (const auto& pair : named)
    if (pair.first == name && pair.second.kind() == Kind::text) return pair.second.text();
  return "";
}
static std::string without_dot(std::string s) {
  while (!s.empty() && s.back() == '.') s.pop_back();
  return s;
}
static Value error_value(const std::string& type, const std::string& message, const std::string& remedy) {
  return dict({{Value("type"), Value(type)}, {Value("message"), Value(without_dot(message))}, {Value("remedy"), Value(without_dot(remedy))}});
}
void raise_value(const Value& error) {
  if (error.kind() == Kind::type) raise(error.type().name.c_str(), "");
  throw Raised{item(error, "type").text(), item(error, "message").text(), item(error, "remedy").text()};
}

static Value unknown_name(Values& a) {
  Values known = each(a.at(2));
  std::sort(known.begin(), known.end(), less);
  const std::string got = shown(a.at(1)), near = nearest(got, known);
  std::string text = "unknown " + shown(a[0]) + " " + quoted(got) + (near.empty() ? "." : "; did you mean " + quoted(near) + "?");
  text += " Known: ";
  for (size_t i = 0; i < known.size() && i < 24; i++) text += (i ? ", " : "") + shown(known[i]);
  if (known.size() > 24) text += ", ... (" + std::to_string(known.size()) + " in all)";
  return error_value("UnknownNameError", text, "");
}

static Value type_of(const Value& v) {
  static const char* names[] = {"NoneType", "bool", "int", "float", "str"};
  if (v.kind() <= Kind::text) return builtin_type(names[static_cast<int>(v.kind())]);
  if (v.kind() == Kind::sequence) return builtin_type(v.sequence().fixed ? "tuple" : "list");
  if (v.kind() == Kind::mapping) return builtin_type(v.mapping().is_set ? "set" : "dict");
  if (v.kind() == Kind::object) return Value(Kind::type, const_cast<Class*>(v.object().type));
  return builtin_type("object");
}
Value builtin_type(const char* name) {
  static std::map<std::string, Value> types;
  auto known = types.find(name);
  if (known != types.end()) return known->second;
  const std::string n = name;
  std::function<Value(Values&, Named&)> make;
  auto items_of = [](Values& a) { return a.empty() ? Values() : each(a[0]); };
  if (n == "int") make = [](Values& a, Named&) { return a.empty() ? Value(0) : whole_of(a[0]); };
  else if (n == "float") make = [](Values& a, Named&) {
    if (a.at(0).kind() == Kind::text) return Value(std::strtod(a[0].text().c_str(), nullptr));
    numbers(a.at(0), a[0], "convert");
    return Value(a[0].number());
  };
  else if (n == "str") make = [](Values& a, Named&) { return Value(a.empty() ? "" : shown(a[0])); };
  else if (n == "bool") make = [](Values& a, Named&) { return Value(!a.empty() && truth(a[0])); };
  else if (n == "tuple") make = [=](Values& a, Named&) { return tuple(items_of(a)); };
  else if (n == "list") make = [=](Values& a, Named&) { return list(items_of(a)); };
  else if (n == "set" || n == "frozenset") make = [=](Values& a, Named&) { return set_of(items_of(a)); };
  else if (n == "dict") make = [](Values& a, Named& named) {
    Value made = dict({});
    if (!a.empty() && a[0].kind() == Kind::mapping) spread_items(made, a[0]);
    else if (!a.empty())
      for (const Value& pair : each(a[0])) set_item(made, item(pair, Value(0)), item(pair, Value(1)));
    for (auto& pair : named) set_item(made, Value(pair.first), pair.second);
    return made;
  };
  else if (n == "UnknownNameError") make = [](Values& a, Named&) { return unknown_name(a); };
  else make = [n](Values& a, Named& named) {
    return error_value(n, a.empty() ? "" : shown(a[0]), field_text(named, "remedy"));
  };
  Value made = builtin_class(n, make);
  if (n == "dict")
    made.type().members["fromkeys"] = {Member::constant, native("fromkeys", [](Values& a, Named&) {
      Value d = dict({});
      for (const Value& key : each(a.at(0))) set_item(d, key, a.size() > 1 ? a[1] : Value());
      return d;
    })};
  if (n == "ProblemError" || n == "TensorError")
    made.type().members["of"] = {Member::constant, native("of", [n](Values& a, Named& named) {
      const Values mistakes = each(a.at(1));
      std::string text = shown(a[0]);
      if (mistakes.size() == 1) {
        text += ": " + shown(mistakes[0]);
      } else {
        text += ", " + std::to_string(mistakes.size()) + " mistakes: ";
        for (size_t i = 0; i < mistakes.size(); i++)
          text += (i ? "; (" : "(") + std::to_string(i + 1) + ") " + shown(mistakes[i]);
      }
      const std::string remedy = a.size() > 2 && !a[2].is_none() ? shown(a[2]) : field_text(named, "remedy");
      return error_value(n, text, remedy);
    })};
  return types[n] = made;
}

static const Value* named_value(const Named& named, const char* name) {
  for (const auto& pair : named)
    if (pair.first == name) return &pair.second;
  return nullptr;
}
static Value extreme(Values& a, Named& named, bool largest) {
  Values items = a.size() == 1 ? each(a[0]) : a;
  const Value *key = named_value(named, "key"), *other = named_value(named, "default");
  if (items.empty()) {
    if (other) return *other;
    raise("ValueError", "the smallest or largest of nothing");
  }
  Value best = items[0], best_key = key ? call(*key, {best}) : best;
  for (size_t i = 1; i < items.size(); i++) {
    Value k = key ? call(*key, {items[i]}) : items[i];
    if (largest ? less(best_key, k) : less(k, best_key)) best = items[i], best_key = k;
  }
  return best;
}
static Value rounded(double d, bool up) {
  const double r = up ? std::ceil(d) : std::floor(d);
  if (std::isnan(r) || std::isinf(r)) raise("OverflowError", "cannot round " + real_text(d));
  return std::fabs(r) < 9.2e18 ? Value(static_cast<int64_t>(r)) : Value(r);
}
static double ratio(const Value& a, const Value& b) {
  numbers(a, b, "divide");
  return a.number() / b.number();
}
static Value formula_us(Values& a, Named&);  // by the cost formulas of the program that runs
static std::map<std::string, std::function<Value(Values&, Named&)>> builtin_functions() {
  std::map<std::string, std::function<Value(Values&, Named&)>> f;
  f["len"] = [](Values& a, Named&) { return Value(length(a.at(0))); };
  f["min"] = [](Values& a, Named& n) { return extreme(a, n, false); };
  f["max"] = [](Values& a, Named& n) { return extreme(a, n, true); };
  f["sum"] = [](Values& a, Named&) {
    Value total = a.size() > 1 ? a[1] : Value(0);
    for (const Value& x : each(a.at(0))) total = add(total, x);
    return total;
  };
  f["prod"] = [](Values& a, Named&) {
    Value total(1);
    for (const Value& x : each(a.at(0))) total = multiply(total, x);
    return total;
  };
  f["abs"] = [](Values& a, Named&) { return less(a.at(0), Value(0)) ? negative(a[0]) : a[0]; };
  f["any"] = [](Values& a, Named&) {
    for (const Value& x : each(a.at(0))) if (truth(x)) return Value(true);
    return Value(false);
  };
  f["all"] = [](Values& a, Named&) {
    for (const Value& x : each(a.at(0))) if (!truth(x)) return Value(false);
    return Value(true);
  };
  f["sorted"] = [](Values& a, Named& n) {
    Values items = each(a.at(0));
    const Value* key = named_value(n, "key");
    if (!key) {
      std::stable_sort(items.begin(), items.end(), less);
      return list(std::move(items));
    }
    std::vector<std::pair<Value, Value>> keyed;
    for (const Value& x : items) keyed.emplace_back(call(*key, {x}), x);
    std::stable_sort(keyed.begin(), keyed.end(), [](const auto& x, const auto& y) { return less(x.first, y.first); });
    Values out;
    for (auto& pair : keyed) out.push_back(pair.second);
    return list(std::move(out));
  };
  f["range"] = [](Values& a, Named&) {
    const int64_t from = a.size() > 1 ? bits_of(a[0]) : 0, to = bits_of(a.size() > 1 ? a[1] : a.at(0));
    const int64_t by = a.size() > 2 ? bits_of(a[2]) : 1;
    Values out;
    for (int64_t i = from; by > 0 ? i < to : i > to; i += by) out.emplace_back(i);
    return tuple(std::move(out));
  };
  f["zip"] = [](Values& a, Named& n) {
    std::vector<Values> rows;
    size_t count = a.empty() ? 0 : SIZE_MAX;
    for (const Value& x : a) rows.push_back(each(x)), count = std::min(count, rows.back().size());
    const Value* strict = named_value(n, "strict");
    for (const auto& row : rows)
      if (strict && truth(*strict) && row.size() != count) raise("ValueError", "zip: the lengths differ");
    Values out;
    for (size_t i = 0; i < count; i++) {
      Values one;
      for (const auto& row : rows) one.push_back(row[i]);
      out.push_back(tuple(std::move(one)));
    }
    return tuple(std::move(out));
  };
  f["enumerate"] = [](Values& a, Named&) {
    Values out;
    int64_t i = a.size() > 1 ? bits_of(a[1]) : 0;
    for (const Value& x : each(a.at(0))) out.push_back(tuple({Value(i++), x}));
    return tuple(std::move(out));
  };
  f["map"] = [](Values& a, Named& n) {
    Values lists(a.begin() + 1, a.end());
    Named none;
    Values out;
    static const auto zip = builtin("zip");
    for (const Value& one : each(call(zip, lists, none))) out.push_back(call(a[0], each(one)));
    (void)n;
    return tuple(std::move(out));
  };
  f["reversed"] = [](Values& a, Named&) {
    Values items = each(a.at(0));
    std::reverse(items.begin(), items.end());
    return tuple(std::move(items));
  };
  f["next"] = [](Values& a, Named&) {
    const Values items = each(a.at(0));
    if (!items.empty()) return items[0];
    if (a.size() > 1) return a[1];
    raise("StopIteration", "nothing is left");
  };
  f["iter"] = [](Values& a, Named&) { return tuple(each(a.at(0))); };
  f["isinstance"] = [](Values& a, Named&) { return Value(is_instance(a.at(0), a.at(1))); };
  f["getattr"] = [](Values& a, Named&) {
    if (a.size() < 3) return attribute(a.at(0), a.at(1).text().c_str());
    try {
      return attribute(a[0], a[1].text().c_str());
    } catch (const Raised& e) {
      if (e.type != "AttributeError") throw;
      return a[2];
    }
  };
  f["type"] = [](Values& a, Named&) { return type_of(a.at(0)); };
  f["repr"] = [](Values& a, Named&) { return Value(repr(a.at(0))); };
  f["ceil"] = [](Values& a, Named&) { return a.at(0).is_whole() ? a[0] : rounded(a[0].number(), true); };
  f["floor"] = [](Values& a, Named&) { return a.at(0).is_whole() ? a[0] : rounded(a[0].number(), false); };
  f["sqrt"] = [](Values& a, Named&) { return Value(std::sqrt(a.at(0).number())); };
  f["log2"] = [](Values& a, Named&) { return Value(std::log2(a.at(0).number())); };
  f["isfinite"] = [](Values& a, Named&) { return Value(std::isfinite(a.at(0).number())); };
  f["gcd"] = [](Values& a, Named&) { return Value(std::gcd(bits_of(a.at(0)), bits_of(a.at(1)))); };
  f["mul"] = [](Values& a, Named&) { return multiply(a.at(0), a.at(1)); };
  f["setattr"] = [](Values& a, Named&) { return set_attribute(a.at(0), a.at(1).text(), a.at(2)), Value(); };
  f["fields"] = [](Values& a, Named&) {
    static const Value type = [] {
      auto* c = new Class;
      c->name = "Field";
      c->fields = {{"name", false, nullptr}};
      c->places["name"] = 0;
      return Value(Kind::type, c);
    }();
    const Value t = a.at(0).kind() == Kind::type ? a[0] : type_of(a[0]);
    Values out;
    for (const Field& field : t.type().fields) out.push_back(new_object(type, {Value(field.name)}));
    return tuple(std::move(out));
  };
  f["replace"] = [](Values& a, Named& named) {
    const Object& o = a.at(0).object();
    Named all;
    for (size_t i = 0; i < o.fields.size(); i++) all.emplace_back(o.type->fields[i].name, o.fields[i]);
    for (auto& pair : named) all.push_back(pair);
    return constructed(type_of(a[0]), {}, std::move(all));
  };
  f["canonical"] = [](Values& a, Named&) { return parse_json(json_text(a.at(0))); };
  f["canonical_json"] = [](Values& a, Named&) { return Value(canonical_json(a.at(0))); };
  f["digest"] = [](Values& a, Named&) { return Value(sha256(canonical_json(a.at(0)))); };
  f["nearest"] = [](Values& a, Named&) {
    const std::string found = nearest(shown(a.at(0)), each(a.at(1)));
    return found.empty() ? Value() : Value(found);
  };
  f["ceil_div"] = [](Values& a, Named&) { return Value(std::ceil(ratio(a.at(0), a.at(1)))); };
  f["least"] = [](Values& a, Named&) { return less(a.at(0), a.at(1)) ? a[0] : a[1]; };
  f["most"] = [](Values& a, Named&) { return less(a.at(1), a.at(0)) ? a[0] : a[1]; };
  f["partial"] = [](Values& a, Named&) {
    Values first = a;
    return native("partial", [first](Values& more, Named& named) {
      Values all(first.begin() + 1, first.end());
      all.insert(all.end(), more.begin(), more.end());
      return call(first[0], std::move(all), std::move(named));
    });
  };
  f["formula_us"] = formula_us;
  f["hasattr"] = [](Values& a, Named&) {
    try {
      attribute(a.at(0), a.at(1).text().c_str());
      return Value(true);
    } catch (const Raised& e) {
      if (e.type != "AttributeError") throw;
      return Value(false);
    }
  };
  f["suppress"] = [](Values& a, Named&) { return tuple(a); };
  f["nullcontext"] = [](Values&, Named&) { return tuple({}); };
  f["zipped_numbers"] = [](Values& a, Named&) {
    Value made = dict({});
    const Values values = each(a.at(1));
    for (const auto& pair : a[0].mapping().items)
      made.mapping().items.emplace_back(pair.first, values.at(static_cast<size_t>(pair.second.whole())));
    return made;
  };
  return f;
}
Value builtin(const char* name) {
  static const auto functions = builtin_functions();
  auto found = functions.find(name);
  if (found == functions.end()) raise("NameError", std::string("no builtin ") + name);
  return native(name, found->second);
}

/* The function of a call whose arguments are all given by place. */
static inline Value invoke(Value (*f)(Values&), Values arguments) { return f(arguments); }

/* The values of an assignment to `count` targets; the one at `star` (if not negative) takes the rest, as a list. */
static inline Values unpacked(const Value& v, size_t count, int star) {
  Values items = each(v);
  if (star < 0) {
    if (items.size() != count) raise("ValueError", "cannot unpack " + std::to_string(items.size()) + " values");
    return items;
  }
  if (items.size() + 1 < count) raise("ValueError", "too few values to unpack");
  const size_t at = static_cast<size_t>(star), extra = items.size() + 1 - count;
  Values rest(items.begin() + static_cast<long>(at), items.begin() + static_cast<long>(at + extra));
  Values out(items.begin(), items.begin() + static_cast<long>(at));
  out.push_back(list(std::move(rest)));
  out.insert(out.end(), items.begin() + static_cast<long>(at + extra), items.end());
  return out;
}

}  // namespace twpy
