/* Registry: which kernels of which bundles a dispatcher may choose from. Its JSON form is that of the Python package. */
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bundle.hpp"

namespace tilewright {

struct Entry {
  std::shared_ptr<Bundle> bundle;
  size_t place = 0;
  int64_t priority = 0;
  const KernelRow& row() const { return bundle->kernels()[place]; }
};
struct MergeReport {
  std::vector<std::string> added, replaced, kept;  // digests
};

class Registry {
 public:
  explicit Registry(std::string name = "default");
  explicit Registry(std::shared_ptr<Bundle> bundle);

  const std::string& name() const { return name_; }
  /* Kernels, highest priority first, then by digest. */
  const std::vector<Entry>& entries() const { return entries_; }
  size_t size() const { return entries_.size(); }

  MergeReport add(std::shared_ptr<Bundle> bundle);
  /* A higher priority wins; a tie keeps the existing kernel and is reported. */
  MergeReport merge(const Registry& other);
  Registry filter(const std::function<bool(const KernelRow&)>& keep) const;
  void set_priority(const std::string& digest, int64_t priority);
  std::string export_json() const;
  /* A registry of the kernels that `text` names, which must be in `bundle`. */
  static Registry import_json(const std::string& text, const std::shared_ptr<Bundle>& bundle);

 private:
  MergeReport take(const std::vector<Entry>& others);
  void sort();
  std::string name_;
  std::vector<Entry> entries_;
};

}  // namespace tilewright
