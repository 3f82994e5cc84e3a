/* A reader of JSON text. `Build` makes the values; `Build::fail` raises its error. */
#pragma once
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numbers.hpp"

namespace tilewright::detail {

template <class Build>
struct JsonReader {
  using Value = typename Build::Value;
  const char* at;
  const char* end;
  int depth = 0;

  static JsonReader of(std::string_view text) { return JsonReader{text.data(), text.data() + text.size()}; }
  static Value read(std::string_view text) {
    JsonReader reader = of(text);
    Value found = reader.value();
    if (reader.at != reader.end) reader.fail("something follows it");
    return found;
  }
  /* Calls `field(name, reader)` for each field of an object; it reads or skips the value. */
  template <class Field>
  void fields(Field field) {
    list('{', '}', [&](JsonReader& reader) {
      const std::string found = reader.name();
      field(found, reader);
    });
  }
  /* The texts of the items of a list, none of which is read. */
  std::vector<std::string_view> items() {
    std::vector<std::string_view> found;
    list('[', ']', [&](JsonReader& reader) { found.push_back(reader.skip()); });
    return found;
  }

  [[noreturn]] void fail(const char* what) { Build::fail(std::string("JSON text: ") + what); }
  void blank() {
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) at++;
  }
  char next() {
    blank();
    if (at == end) fail("it ends too early");
    return *at;
  }
  bool take(std::string_view word) {
    if (static_cast<size_t>(end - at) < word.size() || std::memcmp(at, word.data(), word.size()) != 0) return false;
    at += word.size();
    return true;
  }
  Value value() {
    next();
    if (++depth > 64) fail("it is nested too deeply");
    Value found = one();
    depth--;
    blank();
    return found;
  }
  Value one() {
    switch (*at) {
      case '{': {
        std::vector<std::pair<std::string, Value>> found;
        list('{', '}', [&](JsonReader& reader) {
          std::string key = reader.name();
          found.emplace_back(std::move(key), reader.value());
        });
        if (has_twins(found)) fail("a name is given twice in one object");
        return Build::object(std::move(found));
      }
      case '[': {
        std::vector<Value> found;
        list('[', ']', [&](JsonReader& reader) { found.push_back(reader.value()); });
        return Build::list(std::move(found));
      }
      case '"': return Build::text(string());
      case 't':
        if (take("true")) return Build::boolean(true);
        break;
      case 'f':
        if (take("false")) return Build::boolean(false);
        break;
      case 'n':
        if (take("null")) return Build::null();
    }
    return number();
  }
  static bool has_twins(const std::vector<std::pair<std::string, Value>>& fields) {
    if (fields.size() <= 16) {  // the usual case needs no memory
      for (size_t i = 1; i < fields.size(); i++)
        for (size_t j = 0; j < i; j++)
          if (fields[i].first == fields[j].first) return true;
      return false;
    }
    std::vector<std::string_view> names;
    for (const auto& pair : fields) names.push_back(pair.first);
    std::sort(names.begin(), names.end());
    return std::adjacent_find(names.begin(), names.end()) != names.end();
  }
  /* Calls `item` at each item between two brackets; it leaves `at` behind the item. */
  template <class Item>
  void list(char open, char close, Item item) {
    if (next() != open) fail("a bracket is missing");
    at++;
    if (next() == close) {
      at++;
      return;
    }
    while (true) {
      item(*this);
      const char c = next();
      at++;
      if (c == close) return;
      if (c != ',') fail("a comma is missing");
    }
  }
  std::string name() {
    if (next() != '"') fail("a name is missing");
    std::string found = string();
    if (next() != ':') fail("a colon is missing");
    at++;
    return found;
  }
  std::string string() {
    std::string out;
    at++;
    while (true) {
      const char* from = at;
      while (at < end && *at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= ' ') at++;
      out.append(from, at);
      if (at == end) fail("it ends too early");
      if (static_cast<unsigned char>(*at) < ' ') fail("a string holds a control character");
      if (*at++ == '"') return out;
      escaped(out);
    }
  }
  /* Adds the character that follows a backslash. */
  void escaped(std::string& out) {
    if (at == end) fail("it ends too early");
    switch (const char c = *at++) {
      case 'n': out += '\n'; return;
      case 't': out += '\t'; return;
      case 'r': out += '\r'; return;
      case 'b': out += '\b'; return;
      case 'f': out += '\f'; return;
      case '"': case '\\': case '/': out += c; return;
      case 'u': break;
      default: fail("an escape is unknown");
    }
    unsigned code = hexadecimal();
    if (code >= 0xD800 && code < 0xE000) {  // half of a character; the other half follows
      const unsigned other = code < 0xDC00 && take("\\u") ? hexadecimal() : 0;
      if (other < 0xDC00 || other >= 0xE000) fail("half of a surrogate pair is missing");
      code = 0x10000 + ((code - 0xD800) << 10) + (other & 0x3FF);
    }
    if (code < 0x80) {
      out += static_cast<char>(code);
      return;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;  // bytes after the first, of six bits each
    out += static_cast<char>((0xF00 >> (more + 1) & 0xFF) | code >> (6 * more));
    while (more-- > 0) out += static_cast<char>(0x80 | (code >> (6 * more) & 63));
  }
  unsigned hexadecimal() {
    unsigned code = 0;
    if (end - at < 4 || std::from_chars(at, at + 4, code, 16).ptr != at + 4) fail("four hexadecimal digits are missing");
    at += 4;
    return code;
  }
  /* A number of JSON: -? (0 | digits without a leading 0) (. digits)? (e [+-]? digits)? */
  Value number() {
    const char* from = at;
    if (at < end && *at == '-') at++;
    if (at < end && *at == '0') at++;
    else digits();
    bool whole = true;
    if (at < end && *at == '.') whole = false, at++, digits();
    if (at < end && (*at == 'e' || *at == 'E')) {
      whole = false, at++;
      if (at < end && (*at == '+' || *at == '-')) at++;
      digits();
    }
    if (whole) {
      int64_t i = 0;
      auto r = std::from_chars(from, at, i);
      if (r.ec == std::errc() && r.ptr == at) return Build::integer(i);
    }
    return Build::real(real_of(std::string(from, at)));
  }
  void digits() {
    const char* from = at;
    while (at < end && *at >= '0' && *at <= '9') at++;
    if (from == at) fail("a value is missing");
  }
  /* Steps over a value and returns its text. Only strings and brackets are looked at. */
  std::string_view skip() {
    next();
    const char* from = at;
    for (int open = 0; at < end; at++) {
      const char c = *at;
      if (c >= '0' && c <= '9') continue;  // the most frequent
      if (c == '"') skip_string();
      else if (c == '[' || c == '{') open++;
      else if (c == ',' && open == 0) break;
      else if ((c == ']' || c == '}') && open-- == 0) break;
    }
    return {from, static_cast<size_t>(at - from)};
  }
  /* Steps to the quote that ends a string. */
  void skip_string() {
    for (at++; at < end && *at != '"'; at++)
      if (*at == '\\' && at + 1 < end) at++;
    if (at == end) fail("it ends too early");
  }
};

}  // namespace tilewright::detail
