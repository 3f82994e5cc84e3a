/* The evaluator: runs the program that `cpp/translate` writes. */
#pragma once
#include "nodes.hpp"
#include "program_text.hpp"

namespace twpy {

enum class Flow : uint8_t { on, next_round, leave, give };

class Program {
 public:
  explicit Program(const char* text) : text_(text), codes_(text_.functions()), objects_(text_.objects()), made_(text_.objects(), 0) {}
  const ProgramText& text() const { return text_; }
  Value root(const std::string& name) { return object(item(text_.roots(), name)); }

  Value run(size_t place, Values& arguments, const std::vector<std::pair<int, Value>>* held) {
    const Code& code = prepare(place);
    Values frame(std::move(arguments));
    frame.resize(code.locals);
    if (held)
      for (const auto& pair : *held) frame[static_cast<size_t>(pair.first)] = pair.second;
    Value result;
    execute(code.body, frame, result);
    return result;
  }

 private:
  /* Objects: data, functions and classes that the translator resolved. */
  const Value& object(const Value& at) {
    const size_t i = static_cast<size_t>(at.whole());
    if (!made_.at(i)) {
      made_[i] = 1;
      build(i, text_.object(i));
    }
    return objects_[i];
  }
  Values objects_from(const Value& row, size_t first) {
    Values out;
    const Values& items = row.sequence().items;
    for (size_t i = first; i < items.size(); i++) out.push_back(object(items[i]));
    return out;
  }
  void build(size_t i, const Value& row) {
    const std::string& what = item(row, 0).text();
    const Values& parts = row.sequence().items;
    if (what == "constant") objects_[i] = parts.at(1);
    else if (what == "native") objects_[i] = builtin(parts.at(1).text().c_str());
    else if (what == "type") objects_[i] = builtin_type(parts.at(1).text().c_str());
    else if (what == "function") objects_[i] = function(static_cast<size_t>(parts.at(1).whole()), nullptr);
    else if (what == "class") build_class(i, parts.at(1));
    else if (what == "module") build_module(i, parts.at(1));
    else if (what == "kept") build_kept(i, parts);
    else if (what == "partial") objects_[i] = call(builtin("partial"), objects_from(row, 1));
    else if (what == "tuple") objects_[i] = tuple(objects_from(row, 1));
    else if (what == "list") objects_[i] = list(objects_from(row, 1));
    else if (what == "set") objects_[i] = set_of(objects_from(row, 1));
    else if (what == "dict") {
      const Values flat = objects_from(row, 1);
      Value made = dict({});
      for (size_t k = 0; k + 1 < flat.size(); k += 2) made.mapping().items.emplace_back(flat[k], flat[k + 1]);
      objects_[i] = made;
    } else if (what == "new") {
      Values held = objects_from(row, 2);
      objects_[i] = new_object(object(parts.at(1)), std::move(held));
    } else raise("SchemaError", "the selection program has an unknown object " + what);
  }
  /* An object with attributes that were computed when the program was written. Its class may lead back to it. */
  void build_kept(size_t i, const Values& parts) {
    made_[i] = 0;
    const Value type = object(parts.at(1));
    if (made_[i]) return;
    made_[i] = 1;
    objects_[i] = new_object(type, {});
    for (size_t k = 2; k + 1 < parts.size(); k += 2)
      objects_[i].object().extra.emplace_back(parts[k].text(), object(parts[k + 1]));
  }
  void build_module(size_t i, const Value& data) {
    auto* c = new Class;
    const Value type(Kind::type, c);
    names_.push_back(type);  // objects do not keep their class alive
    objects_[i] = new_object(type, {});
    fill_class(c, data);
  }
  void build_class(size_t i, const Value& data) {
    auto* c = new Class;
    objects_[i] = Value(Kind::type, c);
    fill_class(c, data);
  }
  void fill_class(Class* c, const Value& data) {
    c->name = item(data, "name").text();
    c->is_data = truth(item(data, "data"));
    c->is_sequence = find(data.mapping(), Value("sequence")) != nullptr;
    for (const Value& row : each(item(data, "fields"))) {
      const std::string& how = item(row, 1).text();
      const Value at = item(row, 2);
      names_.push_back(item(row, 0));
      Field field{names_.back().text().c_str(), how != "none", nullptr};
      if (how == "value") field.make = [this, at] { return object(at); };
      if (how == "call") field.make = [this, at] { return call(object(at), {}); };
      c->places[field.name] = c->fields.size();
      c->fields.push_back(field);
    }
    for (const Value& base : each(item(data, "bases"))) c->bases.push_back(&object(base).type());
    static const std::map<std::string, Member> kinds = {{"method", Member::method}, {"property", Member::property},
        {"kept", Member::kept_property}, {"class", Member::of_class}, {"constant", Member::constant}};
    for (const auto& pair : item(data, "members").mapping().items)
      c->members[pair.first.text()] = {kinds.at(item(pair.second, 0).text()), object(item(pair.second, 1))};
  }
  Value function(size_t place, std::shared_ptr<std::vector<std::pair<int, Value>>> held) {
    const Code& code = declared(place);
    auto* f = new Function;
    Value made(Kind::function, f);
    f->name = code.name;
    f->signature = code.signature;
    f->body = [this, place, held](Values& arguments) { return run(place, arguments, held.get()); };
    return made;
  }
  /* The name and the parameters of a function; its body is parsed when it first runs. */
  Code& declared(size_t place) {
    if (codes_.at(place)) return *codes_[place];
    Code& code = *(codes_[place] = std::make_unique<Code>());
    Signature& made = code.signature;
    text_.function(place).fields([&](const std::string& field, ProgramText::Reader& reader) {
      if (field == "body") {
        code.text = reader.skip();
        return;
      }
      const Value data = reader.value();
      if (field == "name") code.name = data.text();
      else if (field == "locals") code.locals = static_cast<size_t>(data.whole());
      else if (field == "positional") made.positional = static_cast<size_t>(data.whole());
      else if (field == "rest") made.rest = truth(data);
      else if (field == "named") made.named = truth(data);
      else if (field == "names")
        for (const Value& name : data.sequence().items) names_.push_back(name), made.names.push_back(name.text().c_str());
      else if (field == "defaults")
        for (const Value& at : data.sequence().items) made.defaults.push_back(object(at));
      else raise("SchemaError", "the selection program has an unknown field " + field + " of a function");
    });
    return code;
  }
  const Code& prepare(size_t place) {
    Code& code = declared(place);
    if (!code.text.empty()) {
      const std::string_view text = std::exchange(code.text, {});
      code.body = reader_.block(parse_json(text));
    }
    return code;
  }

  /* Statements. */
  Flow execute(const Block& body, Values& frame, Value& result) {
    for (const auto& statement : body) {
      const Flow flow = execute(*statement, frame, result);
      if (flow != Flow::on) return flow;
    }
    return Flow::on;
  }
  Flow execute(const Node& n, Values& frame, Value& result) {
    switch (n.op) {
      case Op::run: value(*n.kids[0], frame); return Flow::on;
      case Op::give: result = value(*n.kids[0], frame); return Flow::give;
      case Op::assign: {
        const Value made = value(*n.kids[0], frame);
        for (size_t i = 1; i < n.kids.size(); i++) assign(*n.kids[i], made, frame);
        return Flow::on;
      }
      case Op::when: return execute(n.blocks[test(*n.kids[0], frame) ? 0 : 1], frame, result);
      case Op::loop:
        for (const Value& one : each(value(*n.kids[0], frame))) {
          assign(*n.kids[1], one, frame);
          const Flow flow = execute(n.blocks[0], frame, result);
          if (flow == Flow::give) return flow;
          if (flow == Flow::leave) break;
        }
        return Flow::on;
      case Op::repeat:
        while (test(*n.kids[0], frame)) {
          const Flow flow = execute(n.blocks[0], frame, result);
          if (flow == Flow::give) return flow;
          if (flow == Flow::leave) break;
        }
        return Flow::on;
      case Op::next_round: return Flow::next_round;
      case Op::leave: return Flow::leave;
      case Op::raise: raise_value(value(*n.kids[0], frame));
      case Op::with: {
        const Value held = value(*n.kids[0], frame);
        try {
          return execute(n.blocks[0], frame, result);
        } catch (const Raised& e) {
          if (!suppressed(e, held)) throw;
          return Flow::on;
        }
      }
      case Op::attempt:
        try {
          return execute(n.blocks[0], frame, result);
        } catch (const Raised& e) {
          for (size_t i = 0; i < n.kids.size(); i++)
            if (suppressed(e, value(*n.kids[i], frame))) return execute(n.blocks[i + 1], frame, result);
          throw;
        }
      default: raise("SchemaError", "the selection program has an expression where a statement belongs");
    }
  }
  void assign(const Node& target, const Value& v, Values& frame) {
    switch (target.op) {
      case Op::local: frame[static_cast<size_t>(target.place)] = v; return;
      case Op::unpack: {
        const Values parts = unpacked(v, target.kids.size(), target.place);
        for (size_t i = 0; i < parts.size(); i++) assign(*target.kids[i], parts[i], frame);
        return;
      }
      case Op::item: set_item(value(*target.kids[0], frame), value(*target.kids[1], frame), v); return;
      default: set_attribute(value(*target.kids[0], frame), target.name, v);
    }
  }

  /* Expressions. */
  static bool compared(Op op, const Value& a, const Value& b) {
    switch (op) {
      case Op::equal: return same(a, b);
      case Op::not_equal: return !same(a, b);
      case Op::is: return is_same(a, b);
      case Op::is_not: return !is_same(a, b);
      case Op::less: return less(a, b);
      case Op::greater: return less(b, a);
      case Op::at_most: return !less(b, a);
      case Op::at_least: return !less(a, b);
      case Op::in: return holds(b, a);
      default: return !holds(b, a);
    }
  }
  bool test(const Node& n, Values& frame) { return truth(value(n, frame)); }
  Values values(const Node& n, size_t first, Values& frame) {
    Values out;
    out.reserve(n.kids.size() - first);
    for (size_t i = first; i < n.kids.size(); i++) {
      if (n.kids[i]->op == Op::star)
        spread(out, value(*n.kids[i]->kids[0], frame));
      else
        out.push_back(value(*n.kids[i], frame));
    }
    return out;
  }
  Named named(const Node& n, Values& frame) {
    Named out;
    for (const auto& pair : n.named) {
      if (pair.first.empty())
        spread_named(out, value(*pair.second, frame));
      else
        out.emplace_back(pair.first, value(*pair.second, frame));
    }
    return out;
  }
  Value value(const Node& n, Values& frame) {
    auto at = [&](size_t i) { return value(*n.kids[i], frame); };
    switch (n.op) {
      case Op::constant: return n.constant;
      case Op::local: return frame[static_cast<size_t>(n.place)];
      case Op::add: return add(at(0), at(1));
      case Op::grow: return grown(at(0), at(1));
      case Op::unite: return united(at(0), at(1));
      case Op::subtract: return subtract(at(0), at(1));
      case Op::multiply: return multiply(at(0), at(1));
      case Op::divide: return divide(at(0), at(1));
      case Op::floor_divide: return floor_divide(at(0), at(1));
      case Op::modulo: return modulo(at(0), at(1));
      case Op::power: return power(at(0), at(1));
      case Op::bit_and: return bit_and(at(0), at(1));
      case Op::bit_or: return bit_or(at(0), at(1));
      case Op::shift_left: return shift_left(at(0), at(1));
      case Op::shift_right: return shift_right(at(0), at(1));
      case Op::negate: return negative(at(0));
      case Op::invert: return inverted(at(0));
      case Op::logical_not: return Value(!test(*n.kids[0], frame));
      case Op::all:
      case Op::any: {
        Value last;
        for (const auto& kid : n.kids) {
          last = value(*kid, frame);
          if (truth(last) != (n.op == Op::all)) return last;
        }
        return last;
      }
      case Op::compare: {
        Value left = at(0);
        for (size_t i = 0; i < n.signs.size(); i++) {
          Value right = at(i + 1);
          if (!compared(n.signs[i], left, right)) return Value(false);
          left = std::move(right);
        }
        return Value(true);
      }
      case Op::choose: return at(test(*n.kids[0], frame) ? 1 : 2);
      case Op::walrus: return frame[static_cast<size_t>(n.place)] = at(0);
      case Op::attribute: return attribute(at(0), n.name.c_str());
      case Op::item: return item(at(0), at(1));
      case Op::part: return part(at(0), at(1), at(2), at(3));
      case Op::tuple: return tuple(values(n, 0, frame));
      case Op::list: return list(values(n, 0, frame));
      case Op::set: return set_of(values(n, 0, frame));
      case Op::dict: {
        Value made = dict({});
        for (size_t i = 0; i < n.kids.size(); i++) {
          if (n.kids[i]->op == Op::star) {
            spread_items(made, value(*n.kids[i]->kids[0], frame));
          } else {
            const Value key = at(i);
            set_item(made, key, at(++i));
          }
        }
        return made;
      }
      case Op::text: {
        std::string out;
        for (const auto& kid : n.kids) out += value(*kid, frame).text();
        return Value(std::move(out));
      }
      case Op::format: return Value(n.place ? format(Value(repr(at(0))), n.name.c_str()) : format(at(0), n.name.c_str()));
      case Op::collect: return collected(n, frame);
      case Op::call: {
        const Value f = at(0);
        Values arguments = values(n, 1, frame);
        return call(f, std::move(arguments), named(n, frame));
      }
      case Op::method: {
        const Value self = at(0);
        Values arguments = values(n, 1, frame);
        return method(self, n.name.c_str(), std::move(arguments), named(n, frame));
      }
      case Op::closure: {
        auto held = std::make_shared<std::vector<std::pair<int, Value>>>();
        for (const auto& pair : n.copied) held->emplace_back(pair.second, frame[static_cast<size_t>(pair.first)]);
        return function(static_cast<size_t>(n.place), held);
      }
      default:
        if (n.op >= Op::equal && n.op <= Op::not_in) return Value(compared(n.op, at(0), at(1)));
        raise("SchemaError", "the selection program has a statement where an expression belongs");
    }
  }
  /* A comprehension. "any" and "all" stop at the first value that decides, "first" at the first value. */
  Value collected(const Node& n, Values& frame) {
    const bool pairs = n.name == "dict", any = n.name == "any", all = n.name == "all", first = n.name == "first";
    Values out;
    Value made = pairs ? dict({}) : Value();
    std::function<bool(size_t)> round = [&](size_t depth) {  // whether to stop
      if (depth == n.loops.size()) {
        if (pairs) {
          set_item(made, value(*n.kids[0], frame), value(*n.kids[1], frame));
          return false;
        }
        Value one = value(*n.kids[0], frame);
        if (any || all) return truth(one) == any;
        out.push_back(std::move(one));
        return first;
      }
      const Node::Loop& loop = n.loops[depth];
      for (const Value& one : each(value(*loop.iterated, frame))) {
        assign(*loop.target, one, frame);
        bool passes = true;
        for (const auto& wanted : loop.tests) passes = passes && test(*wanted, frame);
        if (passes && round(depth + 1)) return true;
      }
      return false;
    };
    const bool stopped = round(0);
    if (any || all) return Value(stopped == any);
    if (pairs) return made;
    return n.name == "list" ? list(std::move(out)) : n.name == "set" ? set_of(std::move(out)) : tuple(std::move(out));
  }

  ProgramText text_;
  NodeReader reader_{[this](const Value& at) -> const Value& { return object(at); }};
  std::vector<std::unique_ptr<Code>> codes_;
  Values objects_;
  std::vector<char> made_;
  std::vector<Value> names_;
};

}  // namespace twpy
