// Prices, prunes and scores candidates. The features themselves, and DOUBT, are generated before this is included.
// Candidates that go through the trees at once.
enum { LANES = 32, EACH = 16, PARTS = LANES / EACH, STEP = 4 };  // nodes come in multiples of STEP
typedef float floats __attribute__((vector_size(4 * EACH)));
typedef int32_t ints __attribute__((vector_size(4 * EACH)));

enum { BY_PRICES = 0, BY_TREES = 1, BY_COST = 2 };  // who predicted: prices alone, prices and trees, the cost model

struct tw_model {
  int32_t works, additive, problems, candidates, columns, trees, keep, predicted;  // predicted: the cost model's feature
  const int32_t* additive_at;    // places of the additive features among the work features
  const double* prices;          // [groups][additive + 1]; the last is the price of a launch
  const int32_t* starts;         // [trees + 1]: nodes of each tree
  const int32_t* split;          // [trees]: from here on a tree's nodes test features that differ between candidates
  const int32_t* feature;        // of problem nodes: among the problem's numbers; of others: candidate, then work
  const float* threshold;
  const uint32_t* mask;
  const float* leaves;           // [trees][32]
};

struct tw_bench {
  const double* rows;            // [seen][columns]: every candidate that was seen so far
  const int32_t* group;          // [seen]: its price list; -1: a kind of kernel that the model was not shown
  const double *p, *d;           // numbers of the problem and of the device
  const int32_t* at;             // [n]: which rows are asked for
  double *table, *work, *sorted; // scratch
  float* x;                      // scratch, aligned to a vector: [features][LANES], [problems]
  int32_t* kept;                 // scratch
  double *seconds, *score;       // [n]: predicted time; what to sort by
  double* by;                    // [n]: who predicted
  int32_t* best;                 // the place of the smallest score
};

// The k-th smallest value, by quickselect; reorders v.
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

static int room_of(int n) { return (n + WIDTH - 1) / WIDTH * WIDTH; }

// Times by prices, which `sorted` gets too; answers of how many candidates. The others wait for `compare`.
static int price(const tw_model* m, const tw_bench* b, int n) {
  int c = 0;
  for (int i = 0; i < n; i++) {
    const int group = b->group[b->at[i]];
    b->by[i] = group < 0 ? BY_COST : BY_PRICES;
    if (group < 0) continue;
    const double* list = m->prices + (int64_t)group * (m->additive + 1);
    double s = list[m->additive];
    for (int j = 0; j < m->additive; j++) s += list[j] * b->work[(int64_t)m->additive_at[j] * room_of(n) + i];
    b->seconds[i] = b->sorted[c++] = s;
  }
  return c;
}

// The `keep` of `priced` candidates with the smallest prices; the first ones win a tie.
static int prune(const tw_model* m, const tw_bench* b, int n, int priced) {
  const double limit = m->keep < priced ? kth(b->sorted, priced, m->keep - 1) : INFINITY;
  int c = 0, ties = m->keep;
  for (int i = 0; i < n; i++) ties -= b->by[i] == BY_PRICES && b->seconds[i] < limit;
  for (int i = 0; i < n; i++) {
    if (b->by[i] != BY_PRICES || !(b->seconds[i] < limit || (b->seconds[i] == limit && ties-- > 0))) continue;
    b->by[i] = BY_TREES;
    b->kept[c++] = i;
  }
  return c;
}

// Kinds that the model was not shown: what the cost model says, corrected as its favourite among the `c` others is.
static void compare(const tw_model* m, const tw_bench* b, int n, int c) {
  const double* cost = b->work + (int64_t)m->predicted * room_of(n);
  int first = c ? b->kept[0] : 0;
  for (int i = 1; i < c; i++)
    if (cost[b->kept[i]] < cost[first]) first = b->kept[i];
  const double scale = c ? DOUBT * b->seconds[first] / cost[first] : 1e-6;
  for (int i = 0; i < n; i++)
    if (b->by[i] == BY_COST) b->seconds[i] = cost[i] * scale;
}

// The leaves that the problem's own nodes leave open, whatever the candidate. No branches: nobody could predict them.
static inline uint32_t open_leaves(const tw_model* m, const float* p, int t) {
  uint32_t open = 0xFFFFFFFFu;
  for (int v = m->starts[t]; v < m->split[t]; v += STEP)
    for (int i = v; i < v + STEP; i++) {
      open &= m->mask[i] | ((uint32_t)(p[m->feature[i]] > m->threshold[i]) - 1u);
      __asm__("" : "+r"(open));  // a handful of nodes: vectors would only cost
    }
  return open;
}

// The sums of leaves of up to LANES candidates. A tree's masks stay in registers until its leaf is known.
static void score_trees(const tw_model* m, const float* p, const float* x, double* total) {
  uint32_t left[LANES] __attribute__((aligned(64)));
  for (int t = 0; t < m->trees; t++) {
    ints open[PARTS];
    open[0] = open[1] = (ints){} + (int32_t)open_leaves(m, p, t);
    for (int v = m->split[t]; v < m->starts[t + 1]; v += STEP)
      for (int i = v; i < v + STEP; i++) {
        const floats* column = (const floats*)(x + (int64_t)m->feature[i] * LANES);
        const ints cut = (ints){} + (int32_t)m->mask[i];
        const float threshold = m->threshold[i];
        for (int j = 0; j < PARTS; j++) open[j] = column[j] > threshold ? open[j] & cut : open[j];
      }
    for (int j = 0; j < PARTS; j++) *(ints*)(left + EACH * j) = open[j];
    const float* leaves = m->leaves + 32 * (int64_t)t;
    for (int j = 0; j < LANES; j++) total[j] += leaves[__builtin_ctz(left[j])];
  }
}

static void correct(const tw_model* m, const tw_bench* b, int n, const int32_t* kept, int c) {
  double total[LANES] = {0.0};
  float* p = b->x + (int64_t)(m->candidates + m->works) * LANES;  // the problem's numbers after the columns
  for (int i = 0; i < m->problems; i++) p[i] = (float)b->p[i];
  for (int f = 0; f < m->candidates; f++)
    for (int j = 0; j < LANES; j++)
      b->x[f * LANES + j] = j < c ? (float)b->rows[(int64_t)b->at[kept[j]] * m->columns + f] : 0.0f;
  for (int f = 0; f < m->works; f++)
    for (int j = 0; j < LANES; j++)
      b->x[(m->candidates + f) * LANES + j] = j < c ? (float)b->work[(int64_t)f * room_of(n) + kept[j]] : 0.0f;
  score_trees(m, p, b->x, total);
  for (int j = 0; j < c; j++) b->seconds[kept[j]] *= exp(total[j]);
}

// seconds, score and by of the n candidates in `at`; answers how many share the smallest score; `best` is the first of
// them. What the prices removed stays behind the short list, whatever they say of its time.
extern "C" __attribute__((visibility("default"))) int tw_predict(const tw_model* m, const tw_bench* b, int n) {
  features(n, b->rows, b->at, b->table, b->p, b->d, b->work);
  const int priced = price(m, b, n), c = prune(m, b, n, priced);
  if (m->trees)
    for (int i = 0; i < c; i += LANES) correct(m, b, n, b->kept + i, c - i < LANES ? c - i : LANES);
  if (priced < n) compare(m, b, n, c);
  double worst = 0.0;
  for (int i = 0; i < c; i++) worst = b->seconds[b->kept[i]] > worst ? b->seconds[b->kept[i]] : worst;
  int best = 0, ties = 0;
  for (int i = 0; i < n; i++) {
    b->score[i] = b->seconds[i] + (b->by[i] == BY_PRICES ? worst : 0.0);
    if (b->score[i] < b->score[best]) best = i;
  }
  for (int i = 0; i < n; i++) ties += b->score[i] == b->score[best];
  *b->best = best;
  return ties;
}
