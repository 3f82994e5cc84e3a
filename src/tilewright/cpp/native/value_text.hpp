/* Text of values: str, repr and format as in Python, JSON, SHA-256, nearest names. */
#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include <tilewright/detail/json_reader.hpp>
#include <tilewright/detail/sha256.hpp>

#include "value_items.hpp"

namespace twpy {

static std::string real_text(double d) {
  if (std::isnan(d)) return "nan";
  if (std::isinf(d)) return d < 0 ? "-inf" : "inf";
  char digits[40];
  auto end = std::to_chars(digits, digits + sizeof digits, d, std::chars_format::scientific).ptr;
  std::string s(digits, end);
  const size_t e = s.find('e');
  const int exponent = std::atoi(s.c_str() + e + 1);
  if (exponent >= 16 || exponent < -4) {
    std::string sign = exponent < 0 ? "-" : "+", power = std::to_string(std::abs(exponent));
    return s.substr(0, e) + "e" + sign + (power.size() < 2 ? "0" + power : power);
  }
  std::string plain = s.substr(0, e), sign = plain[0] == '-' ? "-" : "";
  if (!sign.empty()) plain.erase(0, 1);
  plain.erase(std::remove(plain.begin(), plain.end(), '.'), plain.end());
  const int size = static_cast<int>(plain.size());
  if (exponent < 0) return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + plain;
  if (size <= exponent + 1) return sign + plain + std::string(static_cast<size_t>(exponent + 1 - size), '0') + ".0";
  return sign + plain.substr(0, static_cast<size_t>(exponent + 1)) + "." + plain.substr(static_cast<size_t>(exponent + 1));
}

static std::string quoted(const std::string& s) {
  const char q = s.find('\'') != std::string::npos && s.find('"') == std::string::npos ? '"' : '\'';
  std::string out(1, q);
  for (unsigned char c : s) {
    char code[8];
    if (c == q || c == '\\') out += '\\';
    if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else if (c == '\r') out += "\\r";
    else if (c < 0x20 || c == 0x7F) std::snprintf(code, sizeof code, "\\x%02x", c), out += code;
    else out += static_cast<char>(c);
  }
  return out + q;
}

std::string repr(const Value& v) {
  switch (v.kind()) {
    case Kind::none: return "None";
    case Kind::boolean: return v.whole() ? "True" : "False";
    case Kind::integer: return std::to_string(v.whole());
    case Kind::real: return real_text(v.number());
    case Kind::text: return quoted(v.text());
    case Kind::sequence: {
      const auto& s = v.sequence();
      std::string out = s.fixed ? "(" : "[";
      for (size_t i = 0; i < s.items.size(); i++) out += (i ? ", " : "") + repr(s.items[i]);
      if (s.fixed && s.items.size() == 1) out += ",";
      return out + (s.fixed ? ")" : "]");
    }
    case Kind::mapping: {
      std::string out = "{";
      bool first = true;
      for (const auto& pair : v.mapping().items) {
        out += (first ? "" : ", ") + repr(pair.first);
        if (!v.mapping().is_set) out += ": " + repr(pair.second);
        first = false;
      }
      return out + "}";
    }
    case Kind::object: {
      const auto& o = v.object();
      std::string out = o.type->name + "(";
      for (size_t i = 0; i < o.fields.size(); i++)
        out += (i ? ", " : "") + std::string(o.type->fields[i].name) + "=" + repr(o.fields[i]);
      return out + ")";
    }
    case Kind::type: return "<class '" + v.type().name + "'>";
    default: return "<function " + v.function().name + ">";
  }
}
std::string shown(const Value& v) {
  if (v.kind() == Kind::text) return v.text();
  if (v.kind() == Kind::object) {
    auto own = v.object().type->members.find("__str__");
    if (own != v.object().type->members.end()) return call(own->second.second, {v}).text();
  }
  return repr(v);
}
static std::string with_commas(std::string digits) {
  for (int at = static_cast<int>(digits.size()) - 3; at > (digits[0] == '-' ? 1 : 0); at -= 3)
    digits.insert(static_cast<size_t>(at), ",");
  return digits;
}
std::string format(const Value& v, const char* spec) {
  const std::string s = spec;
  if (s.empty()) return shown(v);
  if (s == ",") return v.is_whole() ? with_commas(std::to_string(v.whole())) : real_text(v.number());
  if (s[0] == '.' && s.size() >= 3) {
    const char last = s.back();
    const int digits = std::atoi(s.c_str() + 1);
    using tilewright::detail::shown_real;
    if (last == '%') return shown_real(v.number() * 100.0, std::chars_format::fixed, digits) + "%";
    if (last == 'f') return shown_real(v.number(), std::chars_format::fixed, digits);
    if (last == 'g') return shown_real(v.number(), std::chars_format::general, digits);
  }
  if (s[0] == '.') return shown(v).substr(0, static_cast<size_t>(std::atoi(s.c_str() + 1)));  // text of so many letters
  raise("ValueError", "no format " + s);
}

static void json_string(std::string& out, const std::string& s) {
  out += '"';
  for (unsigned char c : s) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", c);
      out += code;
    } else {
      out += static_cast<char>(c);
    }
  }
  out += '"';
}
static void write_json(std::string& out, const Value& v, bool canonical) {
  switch (v.kind()) {
    case Kind::none: out += "null"; return;
    case Kind::boolean: out += v.whole() ? "true" : "false"; return;
    case Kind::text: json_string(out, v.text()); return;
    case Kind::integer:
    case Kind::real: {
      std::string s = repr(v);
      out += s == "inf" ? "Infinity" : s == "-inf" ? "-Infinity" : s == "nan" ? "NaN" : s;
      return;
    }
    case Kind::sequence: {
      out += '[';
      bool first = true;
      for (const Value& x : v.sequence().items) {
        if (!first) out += ',';
        first = false;
        write_json(out, x, canonical);
      }
      out += ']';
      return;
    }
    case Kind::mapping: {
      auto items = v.mapping().items;
      if (canonical)
        std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return shown(a.first) < shown(b.first); });
      out += '{';
      bool first = true;
      for (const auto& pair : items) {
        if (!first) out += ',';
        first = false;
        json_string(out, shown(pair.first));
        out += ':';
        write_json(out, pair.second, canonical);
      }
      out += '}';
      return;
    }
    case Kind::object: {
      const auto& o = v.object();
      std::vector<std::pair<Value, Value>> stated;
      for (size_t i = 0; i < o.fields.size(); i++) {
        const Field& f = o.type->fields[i];
        if (f.has_default && same(f.make(), o.fields[i])) continue;
        stated.emplace_back(Value(f.name), o.fields[i]);
      }
      write_json(out, dict(std::move(stated)), canonical);
      return;
    }
    default: raise("TypeError", repr(v) + " has no JSON form");
  }
}
std::string canonical_json(const Value& v) {
  std::string out;
  write_json(out, v, true);
  return out;
}
std::string json_text(const Value& v) {
  std::string out;
  write_json(out, v, false);
  return out;
}

struct BuildValue {
  using Value = twpy::Value;
  static Value null() { return Value(); }
  static Value boolean(bool b) { return Value(b); }
  static Value integer(int64_t i) { return Value(i); }
  static Value real(double d) { return Value(d); }
  static Value text(std::string s) { return Value(std::move(s)); }
  static Value list(Values items) { return twpy::list(std::move(items)); }
  static Value object(std::vector<std::pair<std::string, Value>> items) {
    Value made = dict({});
    for (auto& pair : items) made.mapping().items.emplace_back(Value(std::move(pair.first)), std::move(pair.second));
    return made;
  }
  [[noreturn]] static void fail(const std::string& what) { raise("SchemaError", what); }
};
Value parse_json(std::string_view text) { return tilewright::detail::JsonReader<BuildValue>::read(text); }

/* The ratio of difflib.SequenceMatcher, without its heuristic for long texts. */
static int matched(const std::string& a, int a0, int a1, const std::string& b, int b0, int b1) {
  int best = 0, at_a = a0, at_b = b0;
  for (int i = a0; i < a1; i++)
    for (int j = b0; j < b1; j++) {
      int n = 0;
      while (i + n < a1 && j + n < b1 && a[static_cast<size_t>(i + n)] == b[static_cast<size_t>(j + n)]) n++;
      if (n > best) best = n, at_a = i, at_b = j;
    }
  if (best == 0) return 0;
  return best + matched(a, a0, at_a, b, b0, at_b) + matched(a, at_a + best, a1, b, at_b + best, b1);
}
static std::string lowered(std::string s) {
  for (char& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return s;
}
/* Characters, as Python counts them; known names are ASCII, so only these bytes can match. */
static int characters(const std::string& s) {
  return static_cast<int>(std::count_if(s.begin(), s.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}
std::string nearest(const std::string& name, const Values& known) {
  const std::string wanted = lowered(name);
  std::string found, found_lower;
  const bool is_short = characters(wanted) <= 4;
  const double least = is_short ? 0.6 : 0.5;
  double best = 0.0;
  for (const Value& v : known) {
    const std::string other = lowered(v.text());
    if (is_short && other.substr(0, 1) != wanted.substr(0, 1)) continue;
    const int total = characters(wanted) + characters(other);
    // As in difflib, the candidate is the first text.
    const int common = matched(other, 0, static_cast<int>(other.size()), wanted, 0, static_cast<int>(wanted.size()));
    const double ratio = total ? 2.0 * common / total : 1.0;
    if (ratio >= least && (ratio > best || (ratio == best && other > found_lower)))
      best = ratio, found = v.text(), found_lower = other;
  }
  return found;
}

std::string sha256(const std::string& bytes) { return tilewright::detail::sha256(bytes); }

}  // namespace twpy
