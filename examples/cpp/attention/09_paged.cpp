// Keys and values in pages of 8 rows, found by a page table.
#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_09_paged) {
  example::Heads s;
  s.rows = 4;
  example::Operands x(s);
  // Three pages per sequence, in an order of their own.
  const std::vector<int32_t> pages = {5, 0, 3, 1, 4, 2}, lengths = {24, 24};
  const size_t page = size_t(8 * s.kv * s.width);
  example::Floats k(x.k.size()), v(x.v.size());
  for (size_t i = 0; i < pages.size(); i++) {
    std::copy_n(x.k.begin() + long(i * page), page, k.begin() + long(size_t(pages[i]) * page));
    std::copy_n(x.v.begin() + long(i * page), page, v.begin() + long(size_t(pages[i]) * page));
  }
  Dispatcher dispatcher(example::bundle());
  const Problem problem = s.problem().family("fwd_pagedkv").paged(8, 6);
  dispatcher.run(problem, {{"q", x.q}, {"k", k}, {"v", v}, {"out", x.out}, {"seqlens_k", lengths}, {"page_table", pages}});
  example::same("paged", x.out, example::attend(s, x.q, x.k, x.v).out);
}
