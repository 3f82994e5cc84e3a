/* Methods of builtin types: text, sequences, mappings; and of objects. */
#pragma once
#include "value_calls.hpp"

namespace twpy {

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
  if (name == "upper") {
    std::string out = s;
    for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return Value(std::move(out));
  }
  if (name == "removeprefix") return Value(s.compare(0, arg(0).size(), arg(0)) == 0 ? s.substr(arg(0).size()) : s);
  if (name == "removesuffix") {
    const bool ends = s.size() >= arg(0).size() && s.compare(s.size() - arg(0).size(), arg(0).size(), arg(0)) == 0;
    return Value(ends ? s.substr(0, s.size() - arg(0).size()) : s);
  }
  if (name == "rstrip") {
    size_t end = s.find_last_not_of(a.empty() ? " \n\t" : arg(0));
    return Value(end == std::string::npos ? "" : s.substr(0, end + 1));
  }
  if (name == "split" && a.empty()) {
    Values words;
    for (size_t at = 0; (at = s.find_first_not_of(" \n\t", at)) != std::string::npos;) {
      const size_t end = std::min(s.find_first_of(" \n\t", at), s.size());
      words.emplace_back(s.substr(at, end - at));
      at = end;
    }
    return list(std::move(words));
  }
  if (name == "rpartition") {
    const size_t at = s.rfind(arg(0));
    return at == std::string::npos ? tuple({Value(""), Value(""), Value(s)})
                                   : tuple({Value(s.substr(0, at)), a[0], Value(s.substr(at + arg(0).size()))});
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
/* dict.update: with a mapping or with pairs, and with arguments by name. */
static Value updated(const Value& v, Values& a, Named& named) {
  if (!a.empty() && a[0].kind() == Kind::mapping) {
    for (const auto& pair : a[0].mapping().items) set_item(v, pair.first, pair.second);
  } else if (!a.empty()) {
    for (const Value& pair : each(a[0])) set_item(v, item(pair, Value(0)), item(pair, Value(1)));
  }
  for (auto& pair : named) set_item(v, Value(pair.first), pair.second);
  return Value();
}
static Value dict_method(const Value& v, const std::string& name, Values& a, Named& named) {
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
  if (name == "update" && !m.is_set) return updated(v, a, named);
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
    case Kind::mapping: return dict_method(v, n, args, named);
    case Kind::integer:
    case Kind::boolean:
      if (n == "bit_length") {
        const uint64_t size = v.whole() < 0 ? -static_cast<uint64_t>(v.whole()) : static_cast<uint64_t>(v.whole());
        return Value(size ? 64 - __builtin_clzll(size) : 0);
      }
      break;
    case Kind::object: {
      Object& o = v.object();
      if (n == "_replace" && o.type->is_sequence) {
        args.insert(args.begin(), v);
        return call(builtin("replace"), std::move(args), std::move(named));
      }
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

}  // namespace twpy
