#include <tilewright/detail/index_check.hpp>

#include <algorithm>
#include <cstring>

namespace tilewright::detail {
namespace {

using Mistakes = std::vector<std::string>;
using Pages = std::vector<std::vector<int64_t>>;  // that each sequence uses

std::string text(int64_t number) { return std::to_string(number); }
const IndexTensor* find(const IndexTensors& tensors, const char* role) {
  auto found = tensors.find(role);
  return found == tensors.end() ? nullptr : &found->second;
}
/* The first of `count` places where something is wrong; `count` if none is. */
template <class Wrong>
int64_t first_of(int64_t count, Wrong wrong) {
  int64_t i = 0;
  while (i < count && !wrong(i)) i++;
  return i;
}
/* Offsets begin with 0, never fall, and no sequence is longer than `longest`. Those of rows end with `total`. */
void check_offsets(Mistakes& found, const IndexTensors& tensors, const std::string& role, int64_t total, int64_t longest, bool rows) {
  const IndexTensor* t = find(tensors, role.c_str());
  if (!t) return;
  const int64_t steps = t->shape[0] - 1, last = t->at(steps);
  const auto step = [&](int64_t i) { return t->at(i + 1) - t->at(i); };
  if (t->at(0) != 0) found.push_back(role + " begins with " + text(t->at(0)) + "; it must begin with 0");
  const int64_t falls = first_of(steps, [&](int64_t i) { return step(i) < 0; });
  const int64_t long_one = first_of(steps, [&](int64_t i) { return step(i) > longest; });
  if (falls < steps)
    found.push_back(role + " falls from " + text(t->at(falls)) + " to " + text(t->at(falls + 1)) + " at " + text(falls + 1) + "; it must not fall");
  else if (long_one < steps)
    found.push_back(role + ": sequence " + text(long_one) + " has " + text(step(long_one)) + (rows ? " rows" : " pages") +
                    "; the longest may have " + text(longest));
  if (rows && last != total) found.push_back(role + " ends with " + text(last) + "; the total is " + text(total));
  if (!rows && last > total) found.push_back(role + " ends with " + text(last) + "; the list page_table has " + text(total) + " pages");
}
/* Lengths are between 0 and `most`; `limit` says so. */
void check_lengths(Mistakes& found, const IndexTensors& tensors, const std::string& role, int64_t most, const std::string& limit) {
  const IndexTensor* t = find(tensors, role.c_str());
  if (!t) return;
  const int64_t wrong = first_of(t->shape[0], [&](int64_t i) { return t->at(i) < 0 || t->at(i) > most; });
  if (wrong < t->shape[0]) found.push_back(role + "[" + text(wrong) + "] is " + text(t->at(wrong)) + "; " + limit);
}
/* The last page of a sequence holds no more keys than the longest may have: a bias has no columns for them. */
void check_paged_lengths(Mistakes& found, const IndexLimits& p, const IndexTensors& tensors) {
  const IndexTensor *list = find(tensors, "page_indptr"), *last = find(tensors, "last_page_lens");
  if (!list || !last) return;
  const auto keys = [&](int64_t b) {
    const int64_t pages = list->at(b + 1) - list->at(b);
    return pages > 0 ? (pages - 1) * p.page_size + last->at(b) : 0;
  };
  const int64_t wrong = first_of(p.batch, [&](int64_t b) { return keys(b) > p.seqlen_k; });
  if (wrong < p.batch)
    found.push_back("last_page_lens[" + text(wrong) + "] is " + text(last->at(wrong)) + ": sequence " + text(wrong) + " has " +
                    text(keys(wrong)) + " keys; the longest may have " + text(p.seqlen_k));
}
Pages pages_of(const IndexLimits& p, const IndexTensors& tensors, const IndexTensor& table) {
  const IndexTensor *list = find(tensors, "page_indptr"), *lengths = find(tensors, "seqlens_k");
  Pages used(static_cast<size_t>(p.batch));
  for (int64_t b = 0; b < p.batch; b++) {
    const int64_t rows = lengths ? lengths->at(b) + p.seqlen_new : p.seqlen_k;
    const int64_t begin = list ? list->at(b) : 0, end = list ? list->at(b + 1) : (rows + p.page_size - 1) / p.page_size;
    for (int64_t i = begin; i < end; i++) used[static_cast<size_t>(b)].push_back(list ? table.at(i) : table.at(b, i));
  }
  return used;
}
/* Two sequences that append to one page: the result would depend on which one writes last. */
void check_appends(Mistakes& found, const IndexLimits& p, const IndexTensor& lengths, const Pages& used) {
  std::map<int64_t, int64_t> writers;
  for (int64_t b = 0; b < p.batch; b++) {
    const auto& pages = used[static_cast<size_t>(b)];
    const int64_t last = std::min<int64_t>((lengths.at(b) + p.seqlen_new - 1) / p.page_size, static_cast<int64_t>(pages.size()) - 1);
    for (int64_t i = lengths.at(b) / p.page_size; i <= last; i++) {
      const int64_t page = pages[static_cast<size_t>(i)], writer = writers.emplace(page, b).first->second;
      if (writer == b) continue;
      found.push_back("page_table: sequences " + text(writer) + " and " + text(b) + " both append to page " + text(page));
      return;
    }
  }
}
/* The entries that a sequence uses name a page. */
void check_pages(Mistakes& found, const IndexLimits& p, const IndexTensors& tensors) {
  const IndexTensor *table = find(tensors, "page_table"), *lengths = find(tensors, "seqlens_k");
  if (!table || p.page_size <= 0) return;
  const Pages used = pages_of(p, tensors, *table);
  for (size_t b = 0; b < used.size(); b++) {
    const int64_t count = static_cast<int64_t>(used[b].size());
    const auto page = [&](int64_t i) { return used[b][static_cast<size_t>(i)]; };
    const int64_t wrong = first_of(count, [&](int64_t i) { return page(i) < 0 || page(i) >= p.num_pages; });
    if (wrong < count)
      found.push_back("page_table: sequence " + std::to_string(b) + " names page " + text(page(wrong)) + " at " + text(wrong) +
                      "; pages are 0 to " + text(p.num_pages - 1));
  }
  if (found.empty() && lengths && p.seqlen_new) check_appends(found, p, *lengths, used);
}

}  // namespace

int64_t IndexTensor::at(int64_t i, int64_t j) const {
  int32_t value;
  const int64_t place = i * strides[0] + (j ? j * strides[1] : 0);
  std::memcpy(&value, static_cast<const char*>(data) + place * static_cast<int64_t>(sizeof value), sizeof value);
  return value;
}
bool decides_reads(const std::string& role) {
  for (const char* one : {"cu_seqlens_q", "cu_seqlens_k", "seqlens_k", "page_table", "page_indptr", "last_page_lens"})
    if (role == one) return true;
  return false;
}
std::vector<std::string> index_mistakes(const IndexLimits& p, const IndexTensors& tensors) {
  Mistakes found;
  const int64_t most = p.seqlen_k - p.seqlen_new, longest = p.page_size > 0 ? (p.seqlen_k + p.page_size - 1) / p.page_size : p.seqlen_k;
  const std::string room = p.seqlen_new ? "; " + text(p.seqlen_new) + " are appended to a cache of " + text(p.seqlen_k) : "";
  check_offsets(found, tensors, "cu_seqlens_q", p.total_q, p.seqlen_q, true);
  check_offsets(found, tensors, "cu_seqlens_k", p.total_k, p.seqlen_k, true);
  check_offsets(found, tensors, "page_indptr", p.num_pages, longest, false);
  check_lengths(found, tensors, "seqlens_k", most, "it must be between 0 and " + text(most) + room);
  check_lengths(found, tensors, "last_page_lens", p.page_size, "a page holds " + text(p.page_size));
  if (found.empty()) check_paged_lengths(found, p, tensors);
  if (found.empty()) check_pages(found, p, tensors);
  return found;
}

}  // namespace tilewright::detail
