/* The builtin functions that definitions use. */
#pragma once
#include <numeric>

#include "value_types.hpp"

namespace twpy {

using Functions = std::map<std::string, std::function<Value(Values&, Named&)>>;

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
static Value rounded(double d, double (*round)(double)) {
  const double r = round(d);
  if (std::isnan(r) || std::isinf(r)) raise("OverflowError", "cannot round " + real_text(d));
  return std::fabs(r) < 9.2e18 ? Value(static_cast<int64_t>(r)) : Value(r);
}
static double ratio(const Value& a, const Value& b) {
  numbers(a, b, "divide");
  return a.number() / b.number();
}
static Value formula_us(Values& a, Named&);      // by the cost formulas of the program that runs
static Value learned_scores(Values& a, Named&);  // by the trained models of the selection
static void add_number_functions(Functions& f) {
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
  f["ceil"] = [](Values& a, Named&) { return a.at(0).is_whole() ? a[0] : rounded(a[0].number(), std::ceil); };
  f["floor"] = [](Values& a, Named&) { return a.at(0).is_whole() ? a[0] : rounded(a[0].number(), std::floor); };
  f["sqrt"] = [](Values& a, Named&) { return Value(std::sqrt(a.at(0).number())); };
  f["log2"] = [](Values& a, Named&) { return Value(std::log2(a.at(0).number())); };
  f["isfinite"] = [](Values& a, Named&) { return Value(std::isfinite(a.at(0).number())); };
  f["round"] = [](Values& a, Named&) { return a.at(0).is_whole() ? a[0] : rounded(a[0].number(), std::nearbyint); };
  f["pow"] = [](Values& a, Named&) {
    if (a.size() < 3) return power(a.at(0), a.at(1));
    const int64_t modulus = bits_of(a[2]), value = (bits_of(a[0]) % modulus + modulus) % modulus;
    if (bits_of(a[1]) != -1) raise("ValueError", "pow takes only the exponent -1 with a modulus");
    for (int64_t x = 1; x < modulus; x++)
      if (value * x % modulus == 1) return Value(x);
    raise("ValueError", "base is not invertible for the given modulus");
  };
  f["gcd"] = [](Values& a, Named&) { return Value(std::gcd(bits_of(a.at(0)), bits_of(a.at(1)))); };
  f["mul"] = [](Values& a, Named&) { return multiply(a.at(0), a.at(1)); };
  f["ceil_div"] = [](Values& a, Named&) { return Value(std::ceil(ratio(a.at(0), a.at(1)))); };
  f["floor_div"] = [](Values& a, Named&) { return Value(std::floor(ratio(a.at(0), a.at(1)))); };
  f["pick"] = [](Values& a, Named&) { return truth(a.at(0)) ? a.at(1) : a.at(2); };
  f["is_true"] = [](Values& a, Named&) {
    const std::string& sign = a.at(0).text();
    const bool below = less(a.at(1), a.at(2)), above = less(a[2], a[1]);
    const bool holds = sign == "<" ? below : sign == ">" ? above : sign == "<=" ? !above : sign == ">=" ? !below : !below && !above;
    return Value(holds ? 1.0 : 0.0);
  };
  f["least"] = [](Values& a, Named&) { return less(a.at(0), a.at(1)) ? a[0] : a[1]; };
  f["most"] = [](Values& a, Named&) { return less(a.at(1), a.at(0)) ? a[0] : a[1]; };
  f["formula_us"] = formula_us;
  f["learned_scores"] = learned_scores;
}
static void add_sequence_functions(Functions& f) {
  f["len"] = [](Values& a, Named&) { return Value(length(a.at(0))); };
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
  f["chain"] = [](Values& a, Named&) {
    Values all;
    for (const Value& one : a) spread(all, one);
    return tuple(std::move(all));
  };
  f["product"] = [](Values& a, Named&) {
    Values made{tuple({})};
    for (const Value& one : a) {
      Values longer;
      for (const Value& start : made)
        for (const Value& x : each(one)) {
          Values row = start.sequence().items;
          row.push_back(x);
          longer.push_back(tuple(std::move(row)));
        }
      made = std::move(longer);
    }
    return tuple(std::move(made));
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
  f["zipped_numbers"] = [](Values& a, Named&) {
    Value made = dict({});
    const Values values = each(a.at(1));
    for (const auto& pair : a[0].mapping().items)
      made.mapping().items.emplace_back(pair.first, values.at(static_cast<size_t>(pair.second.whole())));
    return made;
  };
}
static void add_object_functions(Functions& f) {
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
  f["resized"] = [](Values& a, Named&) {  // (object, names, sizes): a copy that the caller has checked
    const Object& o = a.at(0).object();
    const Values names = each(a.at(1)), sizes = each(a.at(2));
    Values fields = o.fields;
    for (size_t i = 0; i < names.size(); i++) fields.at(o.type->places.at(names[i].text())) = sizes.at(i);
    return new_object(type_of(a[0]), std::move(fields));
  };
  f["canonical"] = [](Values& a, Named&) { return parse_json(json_text(a.at(0))); };
  f["canonical_json"] = [](Values& a, Named&) { return Value(canonical_json(a.at(0))); };
  f["digest"] = [](Values& a, Named&) { return Value(sha256(canonical_json(a.at(0)))); };
  f["nearest"] = [](Values& a, Named&) {
    const std::string found = nearest(shown(a.at(0)), each(a.at(1)));
    return found.empty() ? Value() : Value(found);
  };
  f["partial"] = [](Values& a, Named&) {
    Values first = a;
    return native("partial", [first](Values& more, Named& named) {
      Values all(first.begin() + 1, first.end());
      all.insert(all.end(), more.begin(), more.end());
      return call(first[0], std::move(all), std::move(named));
    });
  };
  f["hasattr"] = [](Values& a, Named&) {
    try {
      attribute(a.at(0), a.at(1).text().c_str());
      return Value(true);
    } catch (const Raised& e) {
      if (e.type != "AttributeError") throw;
      return Value(false);
    }
  };
  f["cast"] = [](Values& a, Named&) { return a.at(1); };
  f["attributes"] = [](Values& a, Named&) {  // names, then the object that has them
    Values found;
    for (size_t i = 0; i + 1 < a.size(); i++) found.push_back(attribute(a.back(), a[i].text().c_str()));
    return found.size() == 1 ? found[0] : tuple(std::move(found));
  };
  f["suppress"] = [](Values& a, Named&) { return tuple(a); };
  f["nullcontext"] = [](Values&, Named&) { return tuple({}); };
}
Value builtin(const char* name) {
  static const Functions functions = [] {
    Functions f;
    add_number_functions(f);
    add_sequence_functions(f);
    add_object_functions(f);
    return f;
  }();
  auto found = functions.find(name);
  if (found == functions.end()) raise("NameError", std::string("no builtin ") + name);
  return native(name, found->second);
}

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
