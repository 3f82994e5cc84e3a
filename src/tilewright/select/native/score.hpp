// Prices, prunes and scores candidates. The features themselves, and DOUBT, are generated before this is included.
#ifdef __AVX512F__
#include <immintrin.h>
#endif

// Candidates that go through the trees at once.
enum { LANES = 32, EACH = 16, STEP = 4 };  // nodes come in multiples of STEP
typedef float floats __attribute__((vector_size(4 * EACH)));
typedef int32_t ints __attribute__((vector_size(4 * EACH)));

// Who predicted: prices alone, with all trees, the cost model, prices with the first trees.
enum { BY_PRICES = 0, BY_TREES = 1, BY_COST = 2, BY_FIRST = 3 };

struct tw_model {
  int32_t works, additive, problems, candidates, trees, keep, predicted;  // predicted: the cost model's feature
  int32_t first, shorter;        // after the first trees so many candidates are left
  const int32_t* additive_at;    // places of the additive features among the work features
  const double* prices;          // [groups][additive + 1]; the last is the price of a launch
  const int32_t* starts;         // [trees + 1]: nodes of each tree
  const int32_t* split;          // [trees]: from here on a tree's nodes test features that differ between candidates
  const int32_t* feature;        // of problem nodes: among the problem's numbers; of others: LANES x its column
  const float* threshold;
  const uint32_t* mask;
  const float* leaves;           // [trees][32]
};

struct tw_bench {
  const double* rows;            // [seen][columns]: every candidate that was seen so far
  const int32_t* group;          // [seen]: its price list; -1: a kind of kernel that the model was not shown
  const double *p, *d;           // numbers of the problem and of the device
  const int32_t* at;             // [n]: which rows are asked for
  int32_t* place;                // scratch [n]: where a candidate lies among the features
  int32_t* row;                  // scratch [room]: its row, by that place
  double *table, *work, *sorted; // scratch
  float* x;                      // scratch, aligned to a vector: [features][LANES], [problems]
  int32_t* kept;                 // scratch: the short list, and what the first trees left of it
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

static inline int kind_of(const tw_bench* b, int i) {
  return KIND < 0 ? 0 : (int)b->rows[(int64_t)b->at[i] * COLUMNS + KIND];
}

// The features of all candidates; answers how far one feature is from the next. Candidates of a kind lie side by side
// and fill whole vectors (the last is repeated), so that nobody computes the formulas of the other kinds for them.
static int features(const tw_bench* b, int n) {
  int from[KINDS + 1] = {0}, next[KINDS];
  for (int i = 0; i < n; i++) from[kind_of(b, i) + 1]++;
  for (int k = 0; k < KINDS; k++) {
    next[k] = from[k];
    from[k + 1] = from[k] + (from[k + 1] + WIDTH - 1) / WIDTH * WIDTH;
  }
  for (int i = 0; i < n; i++) b->row[b->place[i] = next[kind_of(b, i)]++] = b->at[i];
  for (int k = 0; k < KINDS; k++) {
    for (int i = next[k]; i < from[k + 1]; i++) b->row[i] = b->row[i - 1];
    if (from[k] < from[k + 1])
      by_kind[k](from[k], from[k + 1], from[KINDS], b->rows, b->row, b->table, b->p, b->d, b->work);
  }
  return from[KINDS];
}

// Times by prices; the other candidates wait for `compare`.
static void price(const tw_model* m, const tw_bench* b, int n, int room) {
  for (int i = 0; i < n; i++) {
    const int group = b->group[b->at[i]];
    b->by[i] = group < 0 ? BY_COST : BY_PRICES;
    if (group < 0) continue;
    const double* list = m->prices + (int64_t)group * (m->additive + 1);
    double s = list[m->additive];
    for (int j = 0; j < m->additive; j++) s += list[j] * b->work[m->additive_at[j] * room + b->place[i]];
    b->seconds[i] = s;
  }
}

// Moves the `keep` candidates with the smallest times from one way to predict to another; the first ones win a tie.
// `kept` gets their places; answers how many they are.
static int shorten(const tw_bench* b, int n, double from, double to, int keep, int32_t* kept) {
  int c = 0, ties = keep;
  for (int i = 0; i < n; i++)
    if (b->by[i] == from) b->sorted[c++] = b->seconds[i];
  const double limit = keep < c ? kth(b->sorted, c, keep - 1) : INFINITY;
  for (int i = 0; i < n; i++) ties -= b->by[i] == from && b->seconds[i] < limit;
  c = 0;
  for (int i = 0; i < n; i++) {
    if (b->by[i] != from || !(b->seconds[i] < limit || (b->seconds[i] == limit && ties-- > 0))) continue;
    b->by[i] = to;
    kept[c++] = i;
  }
  return c;
}

// Kinds that the model was not shown: what the cost model says, corrected as its favourite among the `c` others is.
static void compare(const tw_model* m, const tw_bench* b, int n, int room, int c) {
  const double* cost = b->work + m->predicted * room;
  int first = c ? b->kept[0] : 0;
  for (int i = 1; i < c; i++)
    if (cost[b->place[b->kept[i]]] < cost[b->place[first]]) first = b->kept[i];
  const double scale = c ? DOUBT * b->seconds[first] / cost[b->place[first]] : 1e-6;
  for (int i = 0; i < n; i++)
    if (b->by[i] == BY_COST) b->seconds[i] = cost[b->place[i]] * scale;
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

// The leaf of each candidate, whose number is the lowest bit that is open (as a float it has that exponent).
static inline floats leaf_of(ints open, const float* leaves) {
  const ints at = ((((ints)__builtin_convertvector(open & -open, floats)) >> 23) & 255) - 127;
#ifdef __AVX512F__  // all 32 leaves in two registers
  return (floats)_mm512_permutex2var_ps(_mm512_loadu_ps(leaves), (__m512i)at, _mm512_loadu_ps(leaves + EACH));
#else
  floats found;
  for (int i = 0; i < EACH; i++) found[i] = leaves[at[i]];
  return found;
#endif
}

// The sums of leaves of the trees `from` to `to`, for up to PARTS vectors of candidates. A tree's masks stay in
// registers until its leaf is known.
template <int PARTS>
static void score_trees(const tw_model* m, int from, int to, const float* p, const float* x, double* total) {
  float leaf[LANES] __attribute__((aligned(64)));
  for (int t = from; t < to; t++) {
    ints open[PARTS];
    for (int j = 0; j < PARTS; j++) open[j] = (ints){} + (int32_t)open_leaves(m, p, t);
    for (int v = m->split[t]; v < m->starts[t + 1]; v += STEP)
      for (int i = v; i < v + STEP; i++) {
        const floats* column = (const floats*)(x + m->feature[i]);
        const ints cut = (ints){} + (int32_t)m->mask[i];
        const float threshold = m->threshold[i];
        for (int j = 0; j < PARTS; j++) open[j] = column[j] > threshold ? open[j] & cut : open[j];
      }
    for (int j = 0; j < PARTS; j++) *(floats*)(leaf + EACH * j) = leaf_of(open[j], m->leaves + 32 * (int64_t)t);
    for (int j = 0; j < PARTS * EACH; j++) total[j] += leaf[j];
  }
}

// Corrects the times of c candidates (at most LANES) by the trees `from` to `to`.
static void correct(const tw_model* m, const tw_bench* b, int room, int from, int to, const int32_t* kept, int c) {
  double total[LANES] = {0.0};
  float* p = b->x + (int64_t)(m->candidates + m->works) * LANES;  // the problem's numbers after the columns
  for (int i = 0; i < m->problems; i++) p[i] = (float)b->p[i];
  const int lanes = c <= EACH ? EACH : LANES;
  for (int f = 0; f < m->candidates; f++)
    for (int j = 0; j < lanes; j++)
      b->x[f * LANES + j] = j < c ? (float)b->rows[(int64_t)b->at[kept[j]] * COLUMNS + f] : 0.0f;
  for (int f = 0; f < m->works; f++)
    for (int j = 0; j < lanes; j++)
      b->x[(m->candidates + f) * LANES + j] = j < c ? (float)b->work[f * room + b->place[kept[j]]] : 0.0f;
  if (c <= EACH) score_trees<1>(m, from, to, p, b->x, total);
  else score_trees<LANES / EACH>(m, from, to, p, b->x, total);
  for (int j = 0; j < c; j++) b->seconds[kept[j]] *= exp(total[j]);
}

static void correct_all(const tw_model* m, const tw_bench* b, int room, int from, int to, const int32_t* kept, int c) {
  if (from < to)
    for (int i = 0; i < c; i += LANES) correct(m, b, room, from, to, kept + i, c - i < LANES ? c - i : LANES);
}

// seconds, score and by of the n candidates in `at`; answers how many share the smallest score; `best` is the first of
// them. What prices or the first trees removed stays behind the short list, whatever they say of its time.
extern "C" __attribute__((visibility("default"))) int tw_predict(const tw_model* m, const tw_bench* b, int n) {
  const int room = features(b, n), first = m->first < m->trees ? m->first : 0;
  price(m, b, n, room);
  const int c = shorten(b, n, BY_PRICES, first ? BY_FIRST : BY_TREES, m->keep, b->kept);
  int32_t* left = b->kept;
  int few = c;
  if (first) {
    correct_all(m, b, room, 0, first, b->kept, c);
    left += c;
    few = shorten(b, n, BY_FIRST, BY_TREES, m->shorter, left);
  }
  correct_all(m, b, room, first, m->trees, left, few);
  compare(m, b, n, room, c);
  double worst = 0.0;
  for (int i = 0; i < few; i++) worst = b->seconds[left[i]] > worst ? b->seconds[left[i]] : worst;
  int best = 0, ties = 0;
  for (int i = 0; i < n; i++) {
    b->score[i] = b->seconds[i] + (b->by[i] == BY_PRICES || b->by[i] == BY_FIRST ? worst : 0.0);
    if (b->score[i] < b->score[best]) best = i;
  }
  for (int i = 0; i < n; i++) ties += b->score[i] == b->score[best];
  *b->best = best;
  return ties;
}
