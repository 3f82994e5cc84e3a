/* A reader of JSON text. `Build` makes the values; `Build::fail` raises its error. */
#pragma once
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::detail {

template <class Build>
struct JsonReader {
  using Value = typename Build::Value;
  const char* at;
  const char* end;
  int depth = 0;

  static Value read(const std::string& text) {
    JsonReader reader{text.data(), text.data() + text.size()};
    Value found = reader.value();
    if (reader.at != reader.end) reader.fail("something follows it");
    return found;
  }
  [[noreturn]] void fail(const char* what) { Build::fail(std::string("JSON text: ") + what); }
  void blank() {
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) at++;
  }
  bool take(const char* word) {
    const size_t n = std::strlen(word);
    if (static_cast<size_t>(end - at) < n || std::strncmp(at, word, n) != 0) return false;
    at += n;
    return true;
  }
  Value value() {
    blank();
    if (at == end) fail("it ends too early");
    if (++depth > 64) fail("it is nested too deeply");
    Value found = one();
    depth--;
    blank();
    return found;
  }
  Value one() {
    if (*at == '{') return mapping();
    if (*at == '[') {
      at++;
      std::vector<Value> items;
      blank();
      if (at < end && *at == ']') return at++, Build::list({});
      while (true) {
        items.push_back(value());
        if (at == end) fail("it ends too early");
        if (*at == ']') return at++, Build::list(std::move(items));
        if (*at++ != ',') fail("a comma is missing");
      }
    }
    if (*at == '"') return Build::text(string());
    if (take("true")) return Build::boolean(true);
    if (take("false")) return Build::boolean(false);
    if (take("null")) return Build::null();
    return number();
  }
  Value mapping() {
    at++;
    std::vector<std::pair<std::string, Value>> items;
    blank();
    if (at < end && *at == '}') return at++, Build::object({});
    while (true) {
      blank();
      if (at == end || *at != '"') fail("a name is missing");
      std::string key = string();
      blank();
      if (at == end || *at++ != ':') fail("a colon is missing");
      items.emplace_back(std::move(key), value());
      if (at == end) fail("it ends too early");
      if (*at == '}') return at++, Build::object(std::move(items));
      if (*at++ != ',') fail("a comma is missing");
    }
  }
  std::string string() {
    std::string out;
    at++;
    while (true) {
      if (at == end) fail("it ends too early");
      if (*at == '"') return at++, out;
      if (*at != '\\') {
        out += *at++;
        continue;
      }
      if (++at == end) fail("it ends too early");
      const char c = *at++;
      const char* plain = std::strchr("n\nt\tr\rb\bf\f", c);
      if (c == 'u') {
        if (end - at < 4) fail("it ends too early");
        const unsigned code = static_cast<unsigned>(std::strtoul(std::string(at, 4).c_str(), nullptr, 16));
        at += 4;
        if (code < 0x80) {
          out += static_cast<char>(code);
        } else if (code < 0x800) {
          out += static_cast<char>(0xC0 | code >> 6);
          out += static_cast<char>(0x80 | (code & 63));
        } else {
          out += static_cast<char>(0xE0 | code >> 12);
          out += static_cast<char>(0x80 | (code >> 6 & 63));
          out += static_cast<char>(0x80 | (code & 63));
        }
      } else {
        out += plain ? plain[1] : c;
      }
    }
  }
  Value number() {
    const char* from = at;
    bool whole = true;
    while (at < end && (std::isdigit(static_cast<unsigned char>(*at)) || std::strchr("+-.eE", *at))) {
      whole = whole && !std::strchr(".eE", *at);
      at++;
    }
    if (from == at) fail("a value is missing");
    const std::string text(from, at);
    if (whole) {
      int64_t i = 0;
      auto r = std::from_chars(text.data(), text.data() + text.size(), i);
      if (r.ec == std::errc() && r.ptr == text.data() + text.size()) return Build::integer(i);
    }
    return Build::real(std::strtod(text.c_str(), nullptr));
  }
};

}  // namespace tilewright::detail
