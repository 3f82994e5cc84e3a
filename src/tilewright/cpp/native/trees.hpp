/* Trained models: prices for the work of a launch, corrected by trees. What `select.model.SelectionModel` computes with
 * NumPy, for the candidates of one problem; `cpp/models.py` writes the data. */
#pragma once
#include <algorithm>
#include <set>

#include "formula.hpp"

namespace twpy {

static std::vector<double> reals(const Value& v) {
  std::vector<double> out;
  for (const Value& x : each(v)) out.push_back(x.number());
  return out;
}
static std::vector<size_t> indices(const Value& v) {
  std::vector<size_t> out;
  for (const Value& x : each(v)) out.push_back(static_cast<size_t>(x.whole()));
  return out;
}

struct TrainedModel {
  struct Bound {
    bool of_device;
    size_t at;
    double low, high;
  };
  struct Kind {
    size_t column;
    std::set<double> values;
  };
  enum { by_prices, by_trees, by_cost, by_first };

  std::string name, family, backend, arch;
  size_t tunables, launches, keep, first, shorter, predicted;
  double beyond, doubt;
  std::vector<std::pair<size_t, int64_t>> digits;  // columns of tunables by which price lists differ, and the base of each
  std::vector<Kind> kinds;
  std::set<std::vector<double>> shown;
  std::vector<double> codes;
  std::vector<std::vector<double>> prices;
  std::vector<size_t> additive, feature, starts;
  std::vector<Bound> reach;
  std::vector<float> threshold;
  std::vector<uint32_t> mask;
  std::vector<std::vector<double>> leaves;
  std::vector<WorkFormula> works;  // by kind of kernel

  explicit TrainedModel(const Value& d)
      : name(item(d, "name").text()), family(item(d, "family").text()), backend(item(d, "backend").text()), arch(item(d, "arch").text()),
        tunables(whole(d, "tunables")), launches(whole(d, "launches")), keep(whole(d, "keep")), first(whole(d, "first")),
        shorter(whole(d, "shorter")), predicted(whole(d, "predicted")), beyond(item(d, "beyond").number()), doubt(item(d, "doubt").number()),
        codes(reals(item(d, "codes"))), additive(indices(item(d, "additive"))) {
    for (const Value& row : each(item(d, "digits"))) digits.emplace_back(static_cast<size_t>(item(row, 0).whole()), item(row, 1).whole());
    for (const Value& row : each(item(d, "kinds"))) {
      const std::vector<double> values = reals(item(row, 1));
      kinds.push_back({static_cast<size_t>(item(row, 0).whole()), {values.begin(), values.end()}});
    }
    for (const Value& row : each(item(d, "shown"))) shown.insert(reals(row));
    for (const Value& row : each(item(d, "prices"))) prices.push_back(reals(row));
    for (const Value& row : each(item(d, "reach")))
      reach.push_back({item(row, 0).text() == "d", static_cast<size_t>(item(row, 1).whole()), item(row, 2).number(), item(row, 3).number()});
    const Value trees = item(d, "trees");
    feature = indices(item(trees, "feature"));
    starts = indices(item(trees, "starts"));
    for (double x : reals(item(trees, "threshold"))) threshold.push_back(static_cast<float>(x));
    for (size_t x : indices(item(trees, "mask"))) mask.push_back(static_cast<uint32_t>(x));
    for (const Value& row : each(item(trees, "leaves"))) leaves.push_back(reals(row));
    for (const Value& row : each(item(d, "works"))) works.emplace_back(row);
  }
  static size_t whole(const Value& d, const char* field) { return static_cast<size_t>(item(d, field).whole()); }

  bool in_reach(const std::vector<double>& p, const std::vector<double>& d) const {
    for (const Bound& b : reach) {
      const double value = (b.of_device ? d : p).at(b.at);
      if (!(b.low / beyond <= value && value <= b.high * beyond)) return false;
    }
    return true;
  }
  /* Whether kernels of that kind were measured; `own` are the tunables of a kernel. */
  bool knows(const std::vector<double>& own) const {
    if (!shown.empty()) return shown.count(own) > 0;
    for (const Kind& kind : kinds)
      if (!kind.values.count(own.at(kind.column))) return false;
    return true;
  }
  /* The price list of a kernel: that of its kind, or the common one (the last). */
  const std::vector<double>& price(const std::vector<double>& own) const {
    double code = 0;
    for (const auto& pair : digits) code = code * static_cast<double>(pair.second) + std::trunc(own.at(pair.first));
    const size_t at = static_cast<size_t>(std::lower_bound(codes.begin(), codes.end(), code) - codes.begin());
    return prices.at(at < codes.size() && codes[at] == code ? at : codes.size());
  }
  /* The sum of the leaves that a row reaches in the trees from `from` up to `to`. */
  double score(const std::vector<float>& x, size_t from, size_t to) const {
    double total = 0.0;
    for (size_t t = from; t < to; t++) {
      uint32_t left = 0xFFFFFFFFu;
      for (size_t n = starts[t]; n < starts[t + 1]; n++)
        if (x[feature[n]] > threshold[n]) left &= mask[n];
      total += leaves[t][static_cast<size_t>(__builtin_ctz(left))];
    }
    return total;
  }

  struct Row {
    std::vector<double> own, work;
    std::vector<float> x;
    double seconds = 0.0, score = 0.0;
    int by = by_prices;
  };
  /* The places of the `count` smallest among some, in order; the first ones win a tie. */
  static std::vector<size_t> smallest(const std::vector<Row>& rows, std::vector<size_t> among, size_t count) {
    std::stable_sort(among.begin(), among.end(), [&](size_t a, size_t b) { return rows[a].seconds < rows[b].seconds; });
    if (among.size() > count) among.resize(count);
    std::sort(among.begin(), among.end());
    return among;
  }
  void correct(std::vector<Row>& rows, const std::vector<size_t>& at, size_t from, size_t to, int by) const {
    for (size_t i : at) rows[i].by = by, rows[i].seconds *= std::exp(score(rows[i].x, from, to));
  }
  /* Predicts rows whose `own` and `work` are known: seconds, what to sort by, and what predicted. */
  void predict(std::vector<Row>& rows) const {
    std::vector<size_t> known;
    for (size_t i = 0; i < rows.size(); i++) {
      Row& r = rows[i];
      if (!knows(r.own)) {
        r.by = by_cost;
        continue;
      }
      known.push_back(i);
      const std::vector<double>& list = price(r.own);
      double sum = 0.0;
      for (size_t j = 0; j < additive.size(); j++) sum += list[j] * r.work[additive[j]];
      r.seconds = sum + list.back();
    }
    const std::vector<size_t> kept = smallest(rows, known, keep);
    std::vector<size_t> few = kept;
    const size_t trees = leaves.size(), begin = trees > first ? first : 0;
    if (begin) {
      correct(rows, kept, 0, begin, by_first);
      few = smallest(rows, kept, shorter);
    }
    correct(rows, few, begin, trees, by_trees);
    double scale = 1e-6, most = 0.0;  // kinds that were not shown: the cost model, corrected as for its best choice
    if (!kept.empty()) {
      const size_t liked = *std::min_element(kept.begin(), kept.end(), [&](size_t a, size_t b) { return rows[a].work[predicted] < rows[b].work[predicted]; });
      scale = doubt * rows[liked].seconds / rows[liked].work[predicted];
    }
    for (size_t i : few) most = std::max(most, rows[i].seconds);
    for (Row& r : rows) {
      if (r.by == by_cost) r.seconds = r.work[predicted] * scale;
      r.score = r.by == by_prices || r.by == by_first ? r.seconds + most : r.seconds;
    }
  }
};

/* (seconds, score, what predicted) of each candidate, or None if no model predicts them. Arguments: the models, family,
 * backend, arch, numbers of kernels, numbers of launches, numbers of the problem, numbers of the device. */
static Value learned_rows(const std::vector<TrainedModel>& models, Values& a) {
  const TrainedModel* model = nullptr;
  for (const TrainedModel& m : models)
    if (m.family == a.at(0).text() && m.backend == a.at(1).text() && m.arch == a.at(2).text()) model = &m;
  const std::vector<double> p = reals(a.at(5)), d = reals(a.at(6));
  if (!model || !model->in_reach(p, d)) return Value();
  std::vector<TrainedModel::Row> rows;
  const Values kernels = each(a.at(3)), launches = each(a.at(4));
  for (size_t i = 0; i < kernels.size(); i++) {
    const std::vector<double> k = reals(kernels[i]), x = reals(launches[i]);
    TrainedModel::Row row;
    row.own.assign(k.begin() + 1, k.begin() + 1 + static_cast<long>(model->tunables));
    for (const WorkFormula& work : model->works)
      if (work.kind() == k.at(0)) row.work = work(k.data(), x.data(), p.data(), d.data());
    for (const std::vector<double>* part : std::initializer_list<const std::vector<double>*>{&row.own, &x, &p, &row.work})
      for (double number : *part) row.x.push_back(static_cast<float>(number));
    rows.push_back(std::move(row));
  }
  model->predict(rows);
  Values out;
  for (const auto& row : rows) out.push_back(tuple({Value(row.seconds), Value(row.score), Value(row.by), Value(model->name)}));
  return tuple(std::move(out));
}

}  // namespace twpy
