// Prices, prunes and scores candidates. The features themselves are generated before this is included.
#include <math.h>
#include <stdint.h>

struct tw_model {
  int32_t works, additive, problems, candidates, trees, groups, keep;
  const int32_t* additive_at;    // places of the additive features among the work features
  const double* prices;          // [groups][additive + 1]; the last is the price of a launch
  const int32_t* starts;         // [trees + 1]: nodes of each tree
  const int32_t* split;          // [trees]: from here on a tree's nodes test features that differ between candidates
  const int32_t* feature;        // of problem nodes: among the problem's numbers; of others: candidate, then work
  const float* threshold;
  const uint32_t* mask;
  const double* leaves;          // [trees][32]
};

// The keep-th smallest value, by quickselect on a copy.
static double kth(double* v, int n, int k) {
  int lo = 0, hi = n - 1;
  while (lo < hi) {
    const double pivot = v[(lo + hi) / 2];
    int i = lo, j = hi;
    while (i <= j) {
      while (v[i] < pivot) i++;
      while (v[j] > pivot) j--;
      if (i <= j) { const double t = v[i]; v[i++] = v[j]; v[j--] = t; }
    }
    if (k <= j) hi = j; else if (k >= i) lo = i; else break;
  }
  return v[k];
}

// seconds[i]: predicted seconds; kept[i]: 1 where the trees had their say, 0 where only the prices did.
extern "C" __attribute__((visibility("default"))) int tw_predict(
    const tw_model* m, int n, const double* table, const int32_t* group, const double* p, const double* d, double* work,
    float* x, uint32_t* left, double* total, int32_t* rows, double* seconds, uint8_t* kept) {
  features(n, table, p, d, work);
  for (int i = 0; i < n; i++) {
    const double* price = m->prices + (int64_t)group[i] * (m->additive + 1);
    double s = price[m->additive];
    for (int j = 0; j < m->additive; j++) s += price[j] * work[(int64_t)m->additive_at[j] * n + i];
    seconds[i] = total[i] = s;
  }
  const double limit = m->keep < n ? kth(total, n, m->keep - 1) : INFINITY;
  int c = 0, ties = m->keep;
  for (int i = 0; i < n; i++) ties -= seconds[i] < limit;
  for (int i = 0; i < n; i++) {
    kept[i] = seconds[i] < limit || (seconds[i] == limit && ties-- > 0);
    if (kept[i]) rows[c++] = i;
  }
  for (int f = 0; f < m->candidates; f++)
    for (int j = 0; j < c; j++) x[f * c + j] = (float)table[(int64_t)f * n + rows[j]];
  for (int f = 0; f < m->works; f++)
    for (int j = 0; j < c; j++) x[(m->candidates + f) * c + j] = (float)work[(int64_t)f * n + rows[j]];
  for (int j = 0; j < c; j++) total[j] = 0.0;
  for (int t = 0; t < m->trees; t++) {
    uint32_t open = 0xFFFFFFFFu;
    for (int v = m->starts[t]; v < m->split[t]; v++)
      if ((float)p[m->feature[v]] > m->threshold[v]) open &= m->mask[v];
    for (int j = 0; j < c; j++) left[j] = open;
    for (int v = m->split[t]; v < m->starts[t + 1]; v++) {
      // A test inside a branch that the problem has closed already decides nothing.
      const uint32_t cut = m->mask[v];
      if ((open & ~cut) == 0) continue;
      const float* column = x + (int64_t)m->feature[v] * c;
      const float threshold = m->threshold[v];
      for (int j = 0; j < c; j++) left[j] &= column[j] > threshold ? cut : 0xFFFFFFFFu;
    }
    const double* leaves = m->leaves + 32 * (int64_t)t;
    for (int j = 0; j < c; j++) total[j] += leaves[__builtin_ctz(left[j])];
  }
  for (int j = 0; j < c; j++) seconds[rows[j]] *= exp(total[j]);
  return c;
}
