/* The steps of a program as nodes, prepared once from JSON data. */
#pragma once
#include <memory>
#include <string_view>

#include "value_builtins.hpp"

namespace twpy {

enum class Op : uint8_t {
  constant, local, add, grow, unite, subtract, multiply, divide, floor_divide, modulo, power, bit_and, bit_or, shift_left,
  shift_right, equal, not_equal, is, is_not, less, greater, at_most, at_least, in, not_in, negate, invert, logical_not,
  all, any, compare, choose, walrus, attribute, item, part, star, tuple, list, set, dict, text, format, collect, call,
  method, closure, run, give, assign, when, loop, repeat, next_round, leave, raise, with, attempt, unpack
};

struct Node;
using NodePtr = std::unique_ptr<Node>;
using Block = std::vector<NodePtr>;
struct Node {
  Op op;
  std::vector<NodePtr> kids;
  Value constant;
  int place = 0;
  std::string name;
  std::vector<Op> signs;                             // of chained comparisons
  std::vector<Block> blocks;                         // of statements
  std::vector<std::pair<std::string, NodePtr>> named;  // arguments by name; empty name: spread
  std::vector<std::pair<int, int>> copied;           // of closures: place outside, place inside
  struct Loop {
    NodePtr iterated, target;
    Block tests;
  };
  std::vector<Loop> loops;  // of comprehensions
};
struct Code {
  std::string name;
  Signature signature;
  size_t locals = 0;
  std::string_view text;  // of the body, until it is parsed
  Block body;
};

/* Prepares nodes from the data of a program; `object` gives what a node names by its place. */
class NodeReader {
 public:
  explicit NodeReader(std::function<const Value&(const Value&)> object) : object(std::move(object)) {}
  Block block(const Value& rows) {
    Block out;
    for (const Value& row : each(rows)) out.push_back(node(row));
    return out;
  }

 private:
  static const std::map<std::string, Op>& ops() {
    static const std::map<std::string, Op> names = {
        {"k", Op::constant}, {"v", Op::local}, {"+", Op::add}, {"+=", Op::grow}, {"|=", Op::unite}, {"-", Op::subtract}, {"*", Op::multiply},
        {"/", Op::divide}, {"//", Op::floor_divide}, {"%", Op::modulo}, {"**", Op::power}, {"&", Op::bit_and},
        {"|", Op::bit_or}, {"<<", Op::shift_left}, {">>", Op::shift_right}, {"==", Op::equal}, {"!=", Op::not_equal},
        {"is", Op::is}, {"is not", Op::is_not}, {"<", Op::less}, {">", Op::greater}, {"<=", Op::at_most},
        {">=", Op::at_least}, {"in", Op::in}, {"not in", Op::not_in}, {"neg", Op::negate}, {"inv", Op::invert},
        {"not", Op::logical_not}, {"and", Op::all}, {"or", Op::any}, {"compare", Op::compare}, {"if", Op::choose},
        {"walrus", Op::walrus}, {"attr", Op::attribute}, {"item", Op::item}, {"part", Op::part}, {"star", Op::star},
        {"tuple", Op::tuple}, {"list", Op::list}, {"set", Op::set}, {"dict", Op::dict}, {"text", Op::text},
        {"format", Op::format}, {"collect", Op::collect}, {"call", Op::call}, {"method", Op::method},
        {"closure", Op::closure}, {"do", Op::run}, {"let", Op::assign}, {"return", Op::give}, {"when", Op::when}, {"for", Op::loop},
        {"while", Op::repeat}, {"continue", Op::next_round}, {"break", Op::leave}, {"raise", Op::raise},
        {"with", Op::with}, {"try", Op::attempt}, {"unpack", Op::unpack}};
    return names;
  }
  NodePtr node(const Value& row) {
    const Values& parts = row.sequence().items;
    const std::string& what = parts.at(0).text();
    auto made = std::make_unique<Node>();
    auto known = ops().find(what);
    if (known == ops().end()) raise("SchemaError", "the selection program has an unknown step " + what);
    made->op = known->second;
    switch (made->op) {
      case Op::constant: made->constant = object(parts.at(1)); break;
      case Op::local: made->place = static_cast<int>(parts.at(1).whole()); break;
      case Op::walrus:
      case Op::unpack:
        made->place = static_cast<int>(parts.at(1).whole());
        kids(*made, parts, 2);
        break;
      case Op::attribute:
        made->name = parts.at(1).text();
        kids(*made, parts, 2);
        break;
      case Op::compare:
        for (const Value& sign : each(parts.at(1))) made->signs.push_back(ops().at(sign.text()));
        kids(*made, parts, 2);
        break;
      case Op::format:
        made->name = parts.at(1).text();
        made->place = truth(parts.at(2));
        kids(*made, parts, 3);
        break;
      case Op::collect:
        made->name = parts.at(1).text();
        for (const Value& loop : each(parts.at(2))) made->loops.push_back(loop_of(loop));
        kids(*made, parts, 3);
        break;
      case Op::call:
        made->kids.push_back(node(parts.at(1)));
        arguments(*made, parts, 2);
        break;
      case Op::method:
        made->name = parts.at(1).text();
        made->kids.push_back(node(parts.at(2)));
        arguments(*made, parts, 3);
        break;
      case Op::closure:
        made->place = static_cast<int>(parts.at(1).whole());
        for (const Value& pair : each(parts.at(2)))
          made->copied.emplace_back(static_cast<int>(item(pair, 0).whole()), static_cast<int>(item(pair, 1).whole()));
        break;
      case Op::when:
        made->kids.push_back(node(parts.at(1)));
        made->blocks.push_back(block(parts.at(2)));
        made->blocks.push_back(block(parts.at(3)));
        break;
      case Op::loop:
        made->kids.push_back(node(parts.at(1)));
        made->kids.push_back(node(parts.at(2)));
        made->blocks.push_back(block(parts.at(3)));
        break;
      case Op::repeat:
      case Op::with:
        made->kids.push_back(node(parts.at(1)));
        made->blocks.push_back(block(parts.at(2)));
        break;
      case Op::attempt:
        made->blocks.push_back(block(parts.at(1)));
        for (const Value& handler : each(parts.at(2))) {
          made->kids.push_back(node(item(handler, 0)));
          made->blocks.push_back(block(item(handler, 1)));
        }
        break;
      default: kids(*made, parts, 1);
    }
    return made;
  }
  void kids(Node& made, const Values& parts, size_t first) {
    for (size_t i = first; i < parts.size(); i++) made.kids.push_back(node(parts[i]));
  }
  void arguments(Node& made, const Values& parts, size_t at) {
    for (const Value& row : each(parts.at(at))) made.kids.push_back(node(row));
    for (const Value& row : each(parts.at(at + 1))) {
      const Value name = item(row, 0);
      made.named.emplace_back(name.is_none() ? "" : name.text(), node(item(row, 1)));
    }
  }
  Node::Loop loop_of(const Value& row) {
    const Values& parts = row.sequence().items;
    Node::Loop loop{node(parts.at(0)), node(parts.at(1)), {}};
    for (size_t i = 2; i < parts.size(); i++) loop.tests.push_back(node(parts[i]));
    return loop;
  }
  std::function<const Value&(const Value&)> object;
};

}  // namespace twpy
