/* The cost formulas: straight steps on real numbers, as `cpp/formulas.py` writes them. */
#pragma once
#include "value_builtins.hpp"

namespace twpy {

struct Formula {
  struct Operand {
    char source;
    size_t at;
    double number;
  };
  struct Step {
    Op op;
    std::string name;
    Operand operands[3];
  };
  double kind = 0.0;
  std::vector<Step> steps;
  Operand result{};

  static Operand operand(const Value& row) {
    const char source = item(row, 0).text()[0];
    if (source == '#') return {source, 0, item(row, 1).number()};
    return {source, static_cast<size_t>(item(row, 1).whole()), 0.0};
  }
  explicit Formula(const Value& data) : kind(item(data, "kind").number()), result(operand(item(data, "result"))) {
    for (const Value& row : each(item(data, "steps"))) {
      Step step;
      step.name = item(row, 0).text();
      for (int64_t i = 1; i < length(row) && i < 4; i++) step.operands[i - 1] = operand(item(row, Value(i)));
      static const std::map<std::string, char> codes = {{"ceil_div", 'c'}, {"least", 'l'}, {"most", 'm'}, {"pick", 'p'},
          {"**", '^'}, {"abs", 'a'}, {"<", '<'}, {">", '>'}, {"<=", '{'}, {">=", '}'}, {"==", '='}, {"+", '+'},
          {"-", '-'}, {"*", '*'}, {"/", '/'}};
      auto known = codes.find(step.name);
      if (known == codes.end()) raise("SchemaError", "a cost formula has an unknown step " + step.name);
      step.name = std::string(1, known->second);
      steps.push_back(std::move(step));
    }
  }
  double operator()(const double* k, const double* x, const double* p, const double* d, std::vector<double>& t) const {
    t.resize(steps.size());
    auto get = [&](const Operand& o) { return after(o, k, x, p, d, t); };
    for (size_t i = 0; i < steps.size(); i++) {
      const Step& s = steps[i];
      const double a = get(s.operands[0]), b = s.name[0] == 'a' ? 0.0 : get(s.operands[1]);
      switch (s.name[0]) {
        case '+': t[i] = a + b; break;
        case '-': t[i] = a - b; break;
        case '*': t[i] = a * b; break;
        case '/': t[i] = a / b; break;
        case 'c': t[i] = std::ceil(a / b); break;
        case 'l': t[i] = a < b ? a : b; break;
        case 'm': t[i] = a > b ? a : b; break;
        case 'p': t[i] = a != 0.0 ? b : get(s.operands[2]); break;
        case '^': t[i] = std::pow(a, b); break;
        case 'a': t[i] = std::fabs(a); break;
        case '<': t[i] = a < b; break;
        case '>': t[i] = a > b; break;
        case '{': t[i] = a <= b; break;
        case '}': t[i] = a >= b; break;
        default: t[i] = a == b;
      }
    }
    return get(result);
  }
  /* The value of another operand, after the steps have run. */
  static double after(const Operand& o, const double* k, const double* x, const double* p, const double* d, const std::vector<double>& t) {
    switch (o.source) {
      case 'k': return k[o.at];
      case 'x': return x[o.at];
      case 'p': return p[o.at];
      case 'd': return d[o.at];
      case 't': return t[o.at];
      default: return o.number;
    }
  }
};

/* Several results of the same steps: all that a launch does. */
class WorkFormula {
 public:
  explicit WorkFormula(const Value& data) : formula_(data) {
    for (const Value& row : each(item(data, "results"))) results_.push_back(Formula::operand(row));
  }
  double kind() const { return formula_.kind; }
  std::vector<double> operator()(const double* k, const double* x, const double* p, const double* d) const {
    std::vector<double> t, out;
    formula_(k, x, p, d, t);
    for (const auto& result : results_) out.push_back(Formula::after(result, k, x, p, d, t));
    return out;
  }

 private:
  Formula formula_;
  std::vector<Formula::Operand> results_;
};

}  // namespace twpy
