// What tw_args says about a GEMM, as typed values.
#pragma once
#include "tw/types.hpp"

namespace tw {

// A matrix of one batch item: element (i, j) is data[i * row + j * col].
template <class T>
struct View {
  T* data;
  int64_t row, col;
  TW_INLINE T* at(int64_t i, int64_t j) const { return data + i * row + j * col; }
  TW_INLINE View transposed() const { return {data, col, row}; }
};

template <class T>
TW_INLINE View<T> view(const tw_args& args, int slot, int64_t batch) {
  const int64_t* s = args.strides[slot];
  return {static_cast<T*>(args.tensors[slot]) + batch * s[0], s[1], s[2]};
}

struct Sizes {
  int64_t m, n, k, batch;
  explicit Sizes(const tw_args& a) : m(a.sizes[0]), n(a.sizes[1]), k(a.sizes[2]), batch(a.sizes[3]) {}
  bool empty() const { return m <= 0 || n <= 0 || batch <= 0; }
};

// Run-time choices; 0 means that the kernel decides. Without a runtime there is one thread, whatever was asked for.
struct Launch {
  int threads = 1, split_k, grid_m = 0, grid_n = 0;
  int64_t kc, mc;
  explicit Launch(const tw_args& a)
      : split_k(int(max<int64_t>(0, a.launch[1]))), kc(max<int64_t>(0, a.launch[4])), mc(max<int64_t>(0, a.launch[5])) {
    if (!a.runtime) return;
    threads = int(max<int64_t>(1, a.launch[0]));
    grid_m = int(max<int64_t>(0, a.launch[2]));
    grid_n = int(max<int64_t>(0, a.launch[3]));
  }
};

// Writes a text of at most TW_ERROR_BYTES - 1 characters and returns 1, the failure code of tw_run. "%" in the text
// stands for the next of the two numbers.
inline int fail(tw_args* args, const char* text, int64_t first = 0, int64_t second = 0) {
  int at = 0;
  const int64_t values[2] = {first, second};
  int next = 0;
  for (; *text && at < TW_ERROR_BYTES - 1; ++text) {
    if (*text != '%' || next == 2) {
      args->error[at++] = *text;
      continue;
    }
    char digits[24];
    int count = 0;
    const int64_t value = values[next++];
    uint64_t rest = value < 0 ? uint64_t(0) - uint64_t(value) : uint64_t(value);
    do digits[count++] = char('0' + rest % 10); while (rest /= 10);
    if (value < 0) digits[count++] = '-';
    while (count > 0 && at < TW_ERROR_BYTES - 1) args->error[at++] = digits[--count];
  }
  args->error[at] = 0;
  return 1;
}

// Hands out 64-byte aligned pieces of the caller's workspace. Run it with base = null to learn the size.
class Arena {
 public:
  explicit Arena(void* base) : base_(static_cast<char*>(base)) {}
  template <class T>
  T* take(int64_t count) {
    T* piece = reinterpret_cast<T*>(base_ + used_);
    used_ += round_up(count * int64_t(sizeof(T)), 64);
    return piece;
  }
  int64_t used() const { return used_; }

 private:
  char* base_;
  int64_t used_ = 0;
};

}  // namespace tw
