// Convolution as a matrix product per group: blocks of pixels become rows of A, weights become a packed B, and the tiled
// GEMM pipeline with its inner kernels (vector FMA, 8-bit dot products, AMX) multiplies and finishes them.
#pragma once
#include "tw/conv/run.hpp"
#include "tw/conv/stage.hpp"
#include "tw/gemm/tiled.hpp"

namespace tw {

#if defined(TW_NEON)
constexpr bool packs_taps = true;
#else
constexpr bool packs_taps = false;  // not timed
#endif

// The GEMM that multiplies one block of pixels with the weights of one group.
template <class Config, class Source, class Sum, class DList, bool Forward = true>
struct ConvProduct {
  using A = Source;
  using B = typename Config::Weight;
  using Out = typename Config::Out;
  using Acc = Sum;
  using D = DList;
  static constexpr Layout layout_a = Layout::row, layout_b = Layout::row, layout_out = Layout::row;
  static constexpr Pipeline pipeline = Pipeline::tiled;
  static constexpr Inner inner = Config::inner;
  static constexpr int mr = Config::mr, nr = Config::nr, kc = Config::kc, nc = 4096;
  static constexpr int mc = ceil_div(Config::rows, mr) * mr;  // whole tiles: a block of fewer rows never needs more room
  static constexpr bool in_place = (inner == Inner::amx && (is_same<A, bf16> || is_same<A, i8>)) || is_same<A, f32>;
  static constexpr bool pack_a = !in_place, pack_b = true;
  static constexpr BFormat b_format = BFormat::packed;
  static constexpr Scale scale_a = Scale::none, scale_b = Scale::none;
  static constexpr Combine combine = Config::combine;
  static constexpr Activation activation = Config::activation;
  static constexpr const char* digest = Config::digest;
};

template <class Config>
class ConvGemm {
  static constexpr bool forward = Config::direction == Direction::forward;
  static constexpr int source_slot = forward ? slot_input : slot_output, result_slot = forward ? slot_output : slot_input;
  using Source = typename ReadType<forward, typename Config::Input, typename Config::Output>::type;
  using Weight = typename Config::Weight;
  using Sum = typename ReadType<is_same<Source, i8>, int32_t, float>::type;
  using Product = ConvProduct<Config, Source, Sum, typename Config::D>;
  using FB = typename Formats<Product>::B;
  using Stored = typename FB::Stored;
  static constexpr int nr = Config::nr;
  static constexpr int64_t rows = Config::rows;

 public:
  static int64_t workspace(const tw_args& args) { return InArena<ConvGemm>::bytes(args); }

  static int run(tw_args* args) {
    if (int status = MicroKernel<Product>::prepare(args)) return status;
    return InArena<ConvGemm>::run(args);
  }

 private:
  friend InArena<ConvGemm>;
  ConvGemm(const tw_args& args, const Team& team, Arena& arena)
      : args_(args), team_(team), size_(args), reduced_(forward ? size_.c : size_.k),
        results_(forward ? size_.k : size_.c), gemm_(args, Config::D::size) {
    const int64_t longest = padded(size_.taps() * reduced_), panels = FB::panels(results_);
    staged_ = arena.take<Weight>(longest * panels * nr);
    packed_ = arena.take<char>(PackedB<FB>::bytes(results_, longest));
    const int threads = max(1, Launch(args).threads);
    tw_args sub = sizes_of(rows, longest);
    // Backward data has products of several depths; the shallower ones may take longer k blocks.
    tw_args shallow = sizes_of(rows, min<int64_t>(longest, Config::kc));
    const int64_t inner = Tiled<Product>::workspace(sub) + Tiled<Product>::workspace(shallow);
    for (int t = 0; t < threads; ++t) {
      Source* block = arena.take<Source>(rows * leading(longest));
      char* work = arena.take<char>(inner);
      if (t == team.index) block_ = block, work_ = work;
    }
    inner_bytes_ = inner;
  }

  // k in whole blocks of the inner kernel, and rows that do not fall into the same cache sets.
  static int64_t padded(int64_t k) { return round_up(k, max<int64_t>(FB::block, 64 / int64_t(sizeof(Source)))); }
  static int64_t leading(int64_t k) {
    return k * int64_t(sizeof(Source)) % 1024 == 0 ? k + 64 / int64_t(sizeof(Source)) : k;
  }

  tw_args sizes_of(int64_t m, int64_t k) const {
    tw_args sub{};
    sub.sizes[0] = m, sub.sizes[1] = results_, sub.sizes[2] = k, sub.sizes[3] = 1;
    sub.strides[slot_a][1] = leading(k), sub.strides[slot_a][2] = 1;
    return sub;
  }

  GatherAxis axis(int i, int64_t residue) const {
    return forward ? forward_axis(size_.axis[i]) : backward_axis(size_.axis[i], residue);
  }
  int64_t residues(int i) const { return forward ? 1 : min(size_.axis[i].stride, size_.axis[i].in); }

  int work() {
    for (int64_t g = 0; g < size_.g; ++g)
      for (int64_t z = 0; z < residues(0); ++z)
        for (int64_t y = 0; y < residues(1); ++y)
          for (int64_t x = 0; x < residues(2); ++x) {
            const ConvStrides s(args_, source_slot);
            const Source* data = static_cast<const Source*>(args_.tensors[source_slot]) + g * s.group;
            PixelStager<Source> stager{data, s, axis(0, z), axis(1, y), axis(2, x), reduced_};
            if (stager.taps() == 0) stager.az.taps = stager.ay.taps = stager.ax.taps = 0;
            pack_weights(stager, g);
            team_.barrier();
            multiply(stager, g);
            team_.barrier();
          }
    return status_;
  }

  // This thread's panels of B: row (tap, reduced channel), column result channel.
  void pack_weights(const PixelStager<Source>& p, int64_t group) {
    const ConvStrides s(args_, slot_weight);
    const Weight* w = static_cast<const Weight*>(args_.tensors[slot_weight]) + group * s.outer;
    const int64_t along_column = forward ? s.group : s.channel, along_reduced = forward ? s.channel : s.group;
    const int64_t k = padded(p.length()), width = FB::panels(results_) * nr;
    const Range mine = partition(FB::panels(results_), 1, team_.count, team_.index);
    const int64_t begin = mine.begin * nr, end = min(mine.end * nr, results_);
    if (begin >= end) return;
    Stored* panels = reinterpret_cast<Stored*>(packed_) + mine.begin * FB::elements(k);
    if constexpr (packs_taps && is_same<Weight, float> && is_same<Stored, float> && FB::block == 1) {
      if (along_reduced == 1 || along_column == 1) {
        for_taps(p, s, w + begin * along_column, [&](const Weight* tap, int64_t at) {
          const View<const Weight> lines{tap, along_column, along_reduced};
          Stored* to = panels + at * reduced_ * nr;
          if (along_reduced == 1) PanelPacker<Weight, FB, true>::pack(to, FB::elements(k), lines, end - begin, reduced_);
          else RowPacker<Weight, FB>::pack(to, FB::elements(k), lines, end - begin, reduced_);
        });
        const int64_t rest = (k - p.length()) * nr * int64_t(sizeof(Stored));
        for (int64_t i = 0; i < mine.size(); ++i)
          zero_bytes(panels + i * FB::elements(k) + p.length() * nr, rest);
        return;
      }
    }
    for_taps(p, s, w, [&](const Weight* tap, int64_t tap_index) {
      Weight* to = staged_ + tap_index * reduced_ * width;
      for (int64_t first = 0; first < reduced_; first += 32)  // blocks, as one of both sides is read across lines
        for (int64_t at = begin; at < end; at += 32)
          for (int64_t j = at; j < min(end, at + 32); ++j)
            for (int64_t r = first; r < min(reduced_, first + 32); ++r)
              to[r * width + j] = tap[r * along_reduced + j * along_column];
    });
    for (int64_t r = p.length(); r < k; ++r)
      for (int64_t j = begin; j < end; ++j) staged_[r * width + j] = Weight{};
    auto* corrections = reinterpret_cast<int32_t*>(packed_ + PackedB<FB>::corrections_offset(results_, k));
    PackB<Product>::columns(panels, corrections + begin, FB::elements(k), {staged_, width, 1}, begin, end - begin, 0, k);
  }
  // f(weights of a tap, its number) for the taps of a product, `w` being those of a group.
  template <class F>
  void for_taps(const PixelStager<Source>& p, const ConvStrides& s, const Weight* w, const F& f) const {
    int64_t index = 0;
    for (int64_t iz = 0; iz < p.az.taps; ++iz)
      for (int64_t iy = 0; iy < p.ay.taps; ++iy)
        for (int64_t ix = 0; ix < p.ax.taps; ++ix, ++index)
          f(w + (p.az.tap + iz * p.az.tap_step) * s.z + (p.ay.tap + iy * p.ay.tap_step) * s.y +
                (p.ax.tap + ix * p.ax.tap_step) * s.x,
            index);
  }

  // Pixels with a constant distance from one to the next in every tensor form a run: a row, or a plane, or all of them.
  template <class F>
  bool uniform(const PixelStager<Source>& p, int level, const F& strides_of) const {
    const ConvStrides s = strides_of();
    const int64_t x = s.x * p.ax.step, y = s.y * p.ay.step, z = s.z * p.az.step;
    if (level >= 2 && p.ay.count > 1 && y != p.ax.count * x) return false;
    if (level >= 3 && p.az.count > 1 && z != p.ax.count * p.ay.count * x) return false;
    return level < 4 || size_.n == 1 || s.outer == p.ax.count * p.ay.count * p.az.count * x;
  }
  // A 1x1 filter that moves by one pixel, and no padding after the last one: the source is the matrix already.
  static bool in_place(const PixelStager<Source>& p) {
    const auto same = [](const GatherAxis& a) {
      return a.taps == 1 && a.move == 1 && a.start == 0 && a.step == 1 && a.count <= a.source;
    };
    return same(p.az) && same(p.ay) && same(p.ax) && p.s.channel == 1 && p.length() == padded(p.length());
  }
  int level_of(const PixelStager<Source>& p) const {
    for (int level = 4; level > 1; --level) {
      bool fits = p.ax.count > 1 && uniform(p, level, [&] { return ConvStrides(args_, result_slot); });
      if (in_place(p)) fits = fits && uniform(p, level, [&] { return ConvStrides(args_, source_slot); });
      for (int i = 0; i < Config::D::size; ++i)
        fits = fits && uniform(p, level, [&] { return ConvStrides(args_, slot_conv_d + i); });
      if (fits) return level;
    }
    return 1;
  }

  void multiply(const PixelStager<Source>& p, int64_t group) {
    const int level = level_of(p);
    const int64_t sizes[4] = {p.ax.count, p.ay.count, p.az.count, size_.n};
    int64_t length = 1, runs = 1;
    for (int i = 0; i < 4; ++i) (i < level ? length : runs) *= sizes[i];
    const int64_t blocks = ceil_div(length, rows);
    const Range mine = partition(runs * blocks, 1, team_.count, team_.index);
    for (int64_t u = mine.begin; u < mine.end; ++u) {
      const int64_t first = u % blocks * rows;
      block(p, group, u / blocks * length + first, min(rows, length - first));
    }
  }

  void block(const PixelStager<Source>& p, int64_t group, int64_t first, int64_t count) {
    const int64_t k = padded(p.length());
    tw_args sub = sizes_of(count, k);
    sub.scalars[0] = args_.scalars[0], sub.scalars[1] = args_.scalars[1];
    if (!in_place(p)) p.rows(block_, leading(k), first, count);
    sub.tensors[slot_a] = block_;
    sub.tensors[slot_b] = packed_;
    sub.workspace = work_;
    sub.workspace_bytes = inner_bytes_;
    const int64_t x = first % p.ax.count, rest = first / p.ax.count, y = rest % p.ay.count, z = rest / p.ay.count % p.az.count;
    const int64_t at[4] = {rest / p.ay.count / p.az.count, p.az.first + z * p.az.step, p.ay.first + y * p.ay.step,
                           p.ax.first + x * p.ax.step};
    if (in_place(p)) point<Source>(sub, slot_a, source_slot, group, at, 1);
    point<typename Config::Out>(sub, slot_out, result_slot, group, at, p.ax.step);
    point_d<0>(typename Config::D{}, sub, group, at, p.ax.step);
    if (int status = Tiled<Product>::run(&sub)) status_ = status;
  }
  template <class T>
  void point(tw_args& sub, int to, int slot, int64_t group, const int64_t (&at)[4], int64_t step) const {
    const ConvStrides s(args_, slot);
    sub.tensors[to] = static_cast<T*>(args_.tensors[slot]) + group * s.group + at[0] * s.outer + at[1] * s.z +
                      at[2] * s.y + at[3] * s.x;
    sub.strides[to][1] = s.x * step;
    sub.strides[to][2] = s.channel;
  }
  template <int I>
  void point_d(List<>, tw_args&, int64_t, const int64_t (&)[4], int64_t) const {}
  template <int I, class T, Broadcast B, class... Rest>
  void point_d(List<DTensor<T, B>, Rest...>, tw_args& sub, int64_t group, const int64_t (&at)[4], int64_t step) const {
    point<T>(sub, slot_d + I, slot_conv_d + I, group, at, step);
    point_d<I + 1>(List<Rest...>{}, sub, group, at, step);
  }

  const tw_args& args_;
  const Team team_;
  const ConvSizes size_;
  const int64_t reduced_, results_;
  RowArgs gemm_;
  Weight* staged_;
  char* packed_;
  Source* block_ = nullptr;
  char* work_ = nullptr;
  int64_t inner_bytes_ = 0;
  int status_ = 0;
};

}  // namespace tw
