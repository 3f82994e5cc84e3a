/* Builtin types: what they construct, what is an instance of them, and the errors that definitions raise. */
#pragma once
#include "value_methods.hpp"

namespace twpy {

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
    if (a.at(0).kind() == Kind::text) return Value(tilewright::detail::real_of(a[0].text()));
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

}  // namespace twpy
