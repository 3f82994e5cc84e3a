#include <tilewright/registry.hpp>

#include <algorithm>
#include <utility>

namespace tilewright {

Registry::Registry(std::string name) : name_(std::move(name)) {}
Registry::Registry(std::shared_ptr<Bundle> bundle) : name_(bundle->name()) { add(std::move(bundle)); }
MergeReport Registry::add(std::shared_ptr<Bundle> bundle) {
  std::vector<Entry> all;
  for (size_t i = 0; i < bundle->kernels().size(); i++) all.push_back({bundle, i, bundle->kernels()[i].priority});
  return take(all);
}
MergeReport Registry::merge(const Registry& other) { return take(other.entries_); }
Registry Registry::filter(const std::function<bool(const KernelRow&)>& keep) const {
  Registry part(name_ + ", filtered");
  for (const auto& entry : entries_)
    if (keep(entry.row())) part.entries_.push_back(entry);
  return part;
}
void Registry::set_priority(const std::string& digest, int64_t priority) {
  bool found = false;
  for (auto& entry : entries_)
    if (entry.row().digest.compare(0, digest.size(), digest) == 0) {
      entry.priority = priority;
      found = true;
    }
  if (!found) throw UnknownNameError("no kernel of registry " + name_ + " has a digest that begins with '" + digest + "'");
  sort();
}
std::string Registry::export_json() const {
  Json::Items rows;
  for (const auto& entry : entries_)
    rows.push_back(Json::object({{"digest", entry.row().digest}, {"priority", entry.priority}, {"source", "bundle"}, {"spec", entry.row().spec}}));
  return Json::object({{"schema", 1}, {"name", name_}, {"kernels", Json(std::move(rows))}, {"sets", Json(Json::Items{})}}).dump();
}
Registry Registry::import_json(const std::string& text, const std::shared_ptr<Bundle>& bundle) {
  const Json data = Json::parse(text, "registry");
  if (data.kind() != Json::Kind::object || !data.find("schema") || data.at("schema").dump() != "1")
    throw BundleError("this is not a registry of schema 1", "export it again");
  Registry made(data.at("name").text());
  for (const auto& row : data.at("kernels").items()) {
    size_t place = 0;
    while (place < bundle->kernels().size() && bundle->kernels()[place].digest != row.at("digest").text()) place++;
    if (place == bundle->kernels().size())
      throw BundleError("kernel " + row.at("digest").text().substr(0, 12) + " is not in bundle " + bundle->name(), "open the bundle that has it");
    made.entries_.push_back({bundle, place, row.at("priority").integer()});
  }
  made.sort();
  return made;
}
MergeReport Registry::take(const std::vector<Entry>& others) {
  MergeReport report;
  for (const auto& other : others) {
    auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.row().digest == other.row().digest; });
    if (known == entries_.end()) {
      entries_.push_back(other);
      report.added.push_back(other.row().digest);
    } else if (known->priority < other.priority) {
      *known = other;
      report.replaced.push_back(other.row().digest);
    } else {
      report.kept.push_back(other.row().digest);
    }
  }
  sort();
  return report;
}
void Registry::sort() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.row().digest < b.row().digest;
  });
}

}  // namespace tilewright
