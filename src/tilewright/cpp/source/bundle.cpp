#include <tilewright/bundle.hpp>

#include <tilewright/detail/gpu_kernels.hpp>
#include <tilewright/detail/host.hpp>
#include <tilewright/detail/library.hpp>

namespace tilewright {
namespace {

[[noreturn]] void throw_answer(const Json& said) {
  const std::string &type = said.at("type").text(), &message = said.at("message").text(), &remedy = said.at("remedy").text();
  if (type == "UnknownNameError") throw UnknownNameError(message, remedy);
  if (type == "ProblemError") throw ProblemError(message, remedy);
  if (type == "TensorError") throw TensorError(message, remedy);
  if (type == "SelectionError") throw SelectionError(message, remedy, "bundle.signature");
  if (type == "SchemaError") throw BundleError(message, remedy);
  throw Error("internal error (please report it): " + type + ": " + message, remedy);
}
void known_fields(const Json& data, const std::vector<std::string>& names, const std::string& what) {
  for (const auto& pair : data.fields()) {
    bool known = false;
    for (const auto& name : names) known = known || name == pair.first;
    if (!known) throw BundleError("unknown field " + pair.first + " of the " + what, "make the bundle again");
  }
  for (const auto& name : names)
    if (!data.find(name)) throw BundleError("the " + what + " has no " + name, "make the bundle again");
}
StoredFile stored(const Json& row) {
  StoredFile s{row.at("file").text(), row.at("sha256").text(), row.at("bytes").integer()};
  if (s.file.empty() || s.file[0] == '/' || s.file.find("..") != std::string::npos)
    throw BundleError("the manifest names the file " + s.file + ", which is not inside the bundle");
  return s;
}

}  // namespace

std::shared_ptr<Bundle> Bundle::open(const std::string& folder, bool verify) {
  return std::shared_ptr<Bundle>(new Bundle(folder, verify));
}
Bundle::Bundle(const std::string& folder, bool verify) : folder_(folder) {
  const std::string path = folder + "/manifest.json";
  if (detail::file_size(path) < 0) throw BundleError(folder + " holds no manifest.json", "give the folder of a bundle");
  const Json manifest = Json::parse(detail::read_file(path), "bundle manifest " + path);
  read(manifest, path);
  check_arch();
  for (const auto& pair : libraries_) check_file(pair.second, false);  // their bytes are compared when they are loaded
  for (const auto& kernel : kernels_)
    for (const auto& file : kernel.files) check_file(file, verify);
  start(manifest);
}
Bundle::~Bundle() {
  if (selection_) close_(selection_);
}
/* What a call of the selection library answers; throws the typed error that it answers with. */
template <class Asked>
Json Bundle::answered(Asked asked) const {
  char* answer = nullptr;
  const bool failed = asked(&answer) != 0;
  const std::string text = answer ? answer : "null";
  free_(answer);
  const Json said = Json::parse(text, "answer of the selection");
  if (failed) throw_answer(said);
  return said;
}
void Bundle::reserve(int threads) const {
  const int granted = reserve_ ? reserve_(threads) : 1;
  if (granted < threads)
    throw LaunchError("a launch needs " + std::to_string(threads) + " threads, the system grants " + std::to_string(granted),
                      "use fewer threads");
}
std::shared_ptr<Gpu> Bundle::gpu() {
  std::lock_guard<std::mutex> held(lock_);
  return opened_gpu();
}
void Bundle::use_gpu(int ordinal) {
  std::lock_guard<std::mutex> held(lock_);
  if (!for_gpu()) throw ArchError("bundle " + name_ + " is for CPUs (" + arch_ + ")", "make a bundle for a GPU");
  if (gpu_ && gpu_->ordinal() != ordinal) throw DeviceError("bundle " + name_ + " already uses GPU " + std::to_string(gpu_->ordinal()), "open the bundle once per GPU");
  if (!gpu_) gpu_ = Gpu::open(kind_, arch_, ordinal);
}
Json Bundle::device(int threads) {
  if (for_gpu()) {
    const auto one = gpu();
    std::lock_guard<std::mutex> held(lock_);
    if (device_.is_null()) device_ = ask("device", one->facts());
    return device_;
  }
  const auto& h = detail::host();
  return Json::object({{"name", h.name}, {"arch", arch_}, {"units", threads}, {"l1_bytes", h.l1}, {"l2_bytes", h.l2},
                       {"llc_bytes", h.llc}, {"threads", threads}});
}
void Bundle::load_models() {
  std::lock_guard<std::mutex> held(lock_);
  if (models_loaded_) return;
  const std::string models = detail::checked_bytes(folder_ + "/" + libraries_["models"].file, libraries_["models"].sha256);
  answered([&](char** answer) { return models_(selection_, models.c_str(), answer); });
  models_loaded_ = true;
}
Json Bundle::ask(const char* what, const Json& request) const {
  const std::string asked = request.dump();
  return answered([&](char** answer) { return call_(selection_, what, asked.c_str(), answer); });
}
const Kernel& Bundle::load(size_t place) {
  std::lock_guard<std::mutex> held(lock_);
  const KernelRow& row = kernels_.at(place);
  const StoredFile& stored = row.files.at(0);
  auto known = loaded_.find(stored.file);
  if (known != loaded_.end()) return known->second;
  const std::string path = folder_ + "/" + stored.file;
  void* library = detail::open_library(path, stored.sha256);
  const tw_kernel_info* info = detail::function_of<tw_info_fn>(library, "tw_info", path)();
  if (!info || info->abi_version != TW_ABI_VERSION || info->args_size != sizeof(tw_args))
    throw BundleError("kernel " + path + " has another ABI version", "make the bundle again with this version");
  if (!info->digest || row.code != info->digest)
    throw BundleError("kernel " + path + " was generated from another spec", "make the bundle again");
  Kernel kernel;
  kernel.run = detail::function_of<tw_run_fn>(library, "tw_run", path);
  kernel.workspace = detail::function_of<tw_workspace_fn>(library, "tw_workspace", path);
  kernel.pack_b_bytes = reinterpret_cast<tw_workspace_fn>(dlsym(library, "tw_pack_b_bytes"));
  kernel.pack_b = reinterpret_cast<tw_run_fn>(dlsym(library, "tw_pack_b"));
  return loaded_.emplace(stored.file, kernel).first->second;
}
detail::GpuKernels& Bundle::gpu_kernels(size_t place) {
  std::lock_guard<std::mutex> held(lock_);
  const KernelRow& row = kernels_.at(place);
  const std::string folder = row.files.at(0).file.substr(0, row.files[0].file.rfind('/'));
  auto known = gpu_kernels_.find(folder);
  if (known != gpu_kernels_.end()) return *known->second;
  std::map<std::string, std::string> digests;
  for (const auto& file : row.files) digests[file.file.substr(file.file.rfind('/') + 1)] = file.sha256;
  auto made = std::make_unique<detail::GpuKernels>(opened_gpu(), folder_ + "/" + folder, std::move(digests));
  return *gpu_kernels_.emplace(folder, std::move(made)).first->second;
}

std::shared_ptr<Gpu> Bundle::opened_gpu() {
  if (!for_gpu()) throw ArchError("bundle " + name_ + " is for CPUs (" + arch_ + ")", "make a bundle for a GPU");
  if (!gpu_) gpu_ = Gpu::open(kind_, arch_);
  return gpu_;
}
void Bundle::version(const Json& manifest, const char* name, int64_t known) const {
  const Json* got = manifest.find(name);
  if (!got || got->kind() != Json::Kind::integer || got->integer() != known)
    throw BundleError("bundle " + folder_ + " has " + name + " version " + (got ? got->dump() : "none") + "; these headers read " +
                          std::to_string(known),
                      "make the bundle again with this version, or use the headers in the bundle");
}
void Bundle::read(const Json& manifest, const std::string& path) {
  const Json* kind = manifest.kind() == Json::Kind::object ? manifest.find("kind") : nullptr;
  if (!kind || kind->kind() != Json::Kind::text || kind->text() != "tilewright bundle")
    throw BundleError(path + " is not the manifest of a bundle", "make the bundle again");
  version(manifest, "schema", bundle_schema);
  version(manifest, "abi", TW_ABI_VERSION);
  version(manifest, "selection_abi", selection_abi);
  known_fields(manifest, {"schema", "kind", "abi", "selection_abi", "tilewright", "name", "backend", "arch", "libraries", "kernels",
                          "report"}, "manifest");
  name_ = manifest.at("name").text();
  report_ = manifest.at("report");
  backend_ = manifest.at("backend").text();
  known_fields(manifest.at("arch"), {"name", "kind", "machines", "cpu_flags"}, "arch of the manifest");
  arch_ = manifest.at("arch").at("name").text();
  kind_ = manifest.at("arch").at("kind").text();
  for (const auto& one : manifest.at("arch").at("machines").items()) machines_.push_back(one.text());
  for (const auto& one : manifest.at("arch").at("cpu_flags").items()) cpu_flags_.push_back(one.text());
  std::vector<std::string> parts = {"selection", "program", "models"};
  if (!for_gpu()) parts.push_back("runtime");
  known_fields(manifest.at("libraries"), parts, "libraries of the manifest");
  for (const auto& pair : manifest.at("libraries").fields()) {
    known_fields(pair.second, {"file", "sha256", "bytes"}, pair.first);
    libraries_[pair.first] = stored(pair.second);
  }
  for (const auto& row : manifest.at("kernels").items()) {
    known_fields(row, {"name", "files", "digest", "code", "priority", "spec", "numbers", "factor", "basis", "counted"}, "kernel");
    KernelRow made{row.at("name").text(), row.at("digest").text(), row.at("code").text(), {}, row.at("priority").integer(), row.at("spec")};
    for (const auto& file : row.at("files").items()) {
      known_fields(file, {"file", "sha256", "bytes"}, "file of a kernel");
      made.files.push_back(stored(file));
    }
    if (made.files.empty()) throw BundleError("kernel " + made.name + " of the manifest has no files", "make the bundle again");
    kernels_.push_back(std::move(made));
  }
}
void Bundle::check_arch() const {
  const auto& h = detail::host();
  bool fits = machines_.empty();
  std::string wanted, lacking;
  for (const auto& one : machines_) fits = fits || one == h.machine, wanted += (wanted.empty() ? "" : " or ") + one;
  if (!fits)
    throw ArchError("bundle " + name_ + " is for " + wanted + " (" + arch_ + "); this machine is " + h.machine,
                    "make a bundle for this machine");
  for (const auto& flag : cpu_flags_)
    if (!h.flags.count(flag)) lacking += (lacking.empty() ? "" : ", ") + flag;
  if (!lacking.empty())
    throw ArchError("bundle " + name_ + " is for " + arch_ + "; this CPU lacks " + lacking, "make a bundle for an arch of this CPU");
}
void Bundle::check_file(const StoredFile& s, bool bytes) const {
  const std::string path = folder_ + "/" + s.file;
  const int64_t size = detail::file_size(path);
  if (size < 0) throw BundleError("bundle " + folder_ + " lacks " + s.file, "copy the bundle again, with all files");
  if (size != s.bytes) throw BundleError(path + " is not the file that the manifest describes", "copy the bundle again, or make it again");
  if (bytes) detail::checked_bytes(path, s.sha256);
}
void Bundle::start(const Json& manifest) {
  if (!for_gpu()) {
    const std::string runtime = folder_ + "/" + libraries_["runtime"].file;
    void* pool = detail::open_library(runtime, libraries_["runtime"].sha256);
    runtime_ = detail::function_of<const tw_runtime* (*)()>(pool, "tw_runtime_get", runtime)();
    reserve_ = detail::function_of<int (*)(int)>(pool, "tw_runtime_reserve", runtime);
  }
  const std::string selection = folder_ + "/" + libraries_["selection"].file;
  void* library = detail::open_library(selection, libraries_["selection"].sha256);
  call_ = detail::function_of<Call>(library, "tw_selection_call", selection);
  free_ = detail::function_of<void (*)(char*)>(library, "tw_selection_free", selection);
  close_ = detail::function_of<void (*)(void*)>(library, "tw_selection_close", selection);
  models_ = detail::function_of<int (*)(void*, const char*, char**)>(library, "tw_selection_models", selection);
  auto open = detail::function_of<int (*)(const char*, const char*, void**, char**)>(library, "tw_selection_open", selection);
  const std::string program = detail::checked_bytes(folder_ + "/" + libraries_["program"].file, libraries_["program"].sha256);
  Json::Items rows;
  for (const auto& row : manifest.at("kernels").items())
    rows.push_back(Json::object({{"spec", row.at("spec")}, {"numbers", row.at("numbers")}, {"factor", row.at("factor")},
                                 {"basis", row.at("basis")}, {"counted", row.at("counted")}}));
  const std::string listed = Json(std::move(rows)).dump();
  answered([&](char** answer) { return open(program.c_str(), listed.c_str(), &selection_, answer); });
}

}  // namespace tilewright
