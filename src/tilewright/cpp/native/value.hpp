/* Values of the translated Python definitions: numbers, text, sequences, mappings, objects and functions.
 *
 * `cpp/translate.py` turns problems, rules, launches and ABI values from Python into C++ over this type. Semantics are
 * those of Python, for the part of the language that the translator accepts. Nothing here is thread-safe: the entry
 * points of the library hold one lock. */
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace twpy {

class Value;
using Values = std::vector<Value>;
using Named = std::vector<std::pair<std::string, Value>>;

struct Heap {
  long references = 0;
  virtual ~Heap() = default;
};
struct Text;
struct Sequence;
struct Mapping;
struct Object;
struct Function;
struct Class;

enum class Kind : uint8_t { none, boolean, integer, real, text, sequence, mapping, object, function, type };

class Value {
 public:
  Value() : kind_(Kind::none) { bits_.i = 0; }
  Value(bool b) : kind_(Kind::boolean) { bits_.i = b; }
  Value(int64_t i) : kind_(Kind::integer) { bits_.i = i; }
  Value(int i) : Value(static_cast<int64_t>(i)) {}
  Value(double d) : kind_(Kind::real) { bits_.d = d; }
  Value(const char* s);
  Value(std::string s);
  Value(Kind kind, Heap* heap) : kind_(kind) {
    bits_.h = heap;
    heap->references++;
  }
  Value(const Value& other) : kind_(other.kind_), bits_(other.bits_) {
    if (counted()) bits_.h->references++;
  }
  Value(Value&& other) noexcept : kind_(other.kind_), bits_(other.bits_) { other.kind_ = Kind::none; }
  Value& operator=(Value other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(bits_, other.bits_);
    return *this;
  }
  ~Value() {
    if (counted() && --bits_.h->references == 0) delete bits_.h;
  }
  Kind kind() const { return kind_; }
  bool is_none() const { return kind_ == Kind::none; }
  bool is_number() const { return kind_ == Kind::boolean || kind_ == Kind::integer || kind_ == Kind::real; }
  bool is_whole() const { return kind_ == Kind::boolean || kind_ == Kind::integer; }
  int64_t whole() const { return bits_.i; }
  double number() const { return kind_ == Kind::real ? bits_.d : static_cast<double>(bits_.i); }
  Heap* heap() const { return bits_.h; }
  const std::string& text() const;
  Sequence& sequence() const;
  Mapping& mapping() const;
  Object& object() const;
  Function& function() const;
  Class& type() const;

 private:
  bool counted() const { return kind_ >= Kind::text; }
  Kind kind_;
  union {
    int64_t i;
    double d;
    Heap* h;
  } bits_;
};

struct Text : Heap {
  std::string value;
};
struct Sequence : Heap {
  Values items;
  bool fixed = true;  // a tuple
};
struct Mapping : Heap {
  std::vector<std::pair<Value, Value>> items;
  bool is_set = false;
};

struct Signature {
  std::vector<const char*> names;  // parameters that have a name
  size_t positional = 0;           // so many of them may be given by place
  Values defaults;                 // of the last of them
  bool rest = false;               // *args follows
  bool named = false;              // **kwargs follows
};
struct Function : Heap {
  std::string name;
  Signature signature;
  std::function<Value(Values&)> body;                     // bound arguments in order
  std::function<Value(Values&, Named&)> native = nullptr;  // or arguments as given
};

enum class Member : uint8_t { method, property, kept_property, of_class, constant };
struct Field {
  const char* name;
  bool has_default;
  std::function<Value()> make;  // the default
};
struct Class : Heap {
  std::string name;
  std::vector<Field> fields;
  std::unordered_map<std::string, size_t> places;
  std::unordered_map<std::string, std::pair<Member, Value>> members;
  std::vector<const Class*> bases;
  bool is_data = false;
  bool is_sequence = false;  // a named tuple
  std::function<Value(Values&, Named&)> construct = nullptr;  // of builtin types and exceptions
};
struct Object : Heap {
  const Class* type = nullptr;
  Values fields;
  Named kept;   // results of kept properties
  Named extra;  // attributes of classes that are not data classes
};

/* An exception of Python: its class, message and remedy. */
struct Raised {
  std::string type, message, remedy;
};

[[noreturn]] void raise(const char* type, const std::string& message, const std::string& remedy = "");
[[noreturn]] void raise_value(const Value& error);

Value tuple(Values items);
Value list(Values items);
Value dict(std::vector<std::pair<Value, Value>> items);
Value set_of(Values items);
Value make_function(const char* name, Signature signature, std::function<Value(Values&)> body);
Value native(const char* name, std::function<Value(Values&, Named&)> body);
Value new_object(const Value& type, Values fields);

bool truth(const Value& v);
bool same(const Value& a, const Value& b);      // ==
bool is_same(const Value& a, const Value& b);   // is
bool less(const Value& a, const Value& b);      // <
bool holds(const Value& container, const Value& item);
int64_t length(const Value& v);
Value add(const Value& a, const Value& b);
Value grown(Value a, const Value& b);   // a += b: a list is the same one afterwards
Value united(Value a, const Value& b);  // a |= b: so is a dictionary or a set
Value subtract(const Value& a, const Value& b);
Value multiply(const Value& a, const Value& b);
Value divide(const Value& a, const Value& b);
Value floor_divide(const Value& a, const Value& b);
Value modulo(const Value& a, const Value& b);
Value power(const Value& a, const Value& b);
Value bit_and(const Value& a, const Value& b);
Value bit_or(const Value& a, const Value& b);
Value shift_left(const Value& a, const Value& b);
Value shift_right(const Value& a, const Value& b);
Value negative(const Value& a);
Value inverted(const Value& a);

const Values each(const Value& v);  // what a loop over it yields
Value item(const Value& v, const Value& key);
Value part(const Value& v, const Value& from, const Value& to, const Value& step);
void set_item(const Value& v, const Value& key, Value x);
Value attribute(const Value& v, const char* name);
void set_attribute(const Value& v, const std::string& name, Value x);
Value call(const Value& f, Values args, Named named = {});
Value method(const Value& v, const char* name, Values args, Named named = {});
Value builtin(const char* name);
Value builtin_type(const char* name);
std::string shown(const Value& v);     // str()
std::string repr(const Value& v);
std::string format(const Value& v, const char* spec);
void spread(Values& into, const Value& v);          // f(*v)
void spread_named(Named& into, const Value& v);     // f(**v)
void spread_items(Value& into, const Value& v);     // {**v}
bool suppressed(const Raised& e, const Value& types);
const Value* find(const Mapping& m, const Value& key);
std::string canonical_json(const Value& v);
std::string json_text(const Value& v);
Value parse_json(std::string_view text);
std::string sha256(const std::string& bytes);
std::string nearest(const std::string& name, const Values& known);

}  // namespace twpy
