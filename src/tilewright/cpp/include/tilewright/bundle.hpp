/* Bundle: an opened bundle. Its kernels are loaded when they are first used, after comparing their digests. A GPU is
 * opened when it is first needed. */
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "detail/abi.hpp"
#include "gpu.hpp"
#include "json.hpp"
#include "problem.hpp"

namespace tilewright {
namespace detail {
class GpuKernels;
}

constexpr int64_t bundle_schema = 2, selection_abi = 2;

struct StoredFile {
  std::string file, sha256;
  int64_t bytes = 0;
};
struct KernelRow {
  std::string name, digest, code;
  std::vector<StoredFile> files;  // one library of a CPU kernel; machine code and launch records of a GPU kernel
  int64_t priority = 0;
  Json spec;
};
/* A loaded CPU kernel. */
struct Kernel {
  tw_run_fn run = nullptr;
  tw_workspace_fn workspace = nullptr;
  tw_workspace_fn pack_b_bytes = nullptr;  // of GEMM kernels
  tw_run_fn pack_b = nullptr;
};

class Bundle {
 public:
  /* Opens the bundle in `folder`: reads the manifest, checks versions, arch and files, and loads its selection. */
  static std::shared_ptr<Bundle> open(const std::string& folder, bool verify = false);
  ~Bundle();
  Bundle(const Bundle&) = delete;
  Bundle& operator=(const Bundle&) = delete;

  const std::string& folder() const { return folder_; }
  const std::string& name() const { return name_; }
  const std::string& arch() const { return arch_; }
  const std::string& backend() const { return backend_; }
  bool for_gpu() const { return kind_ != "cpu"; }
  const std::vector<KernelRow>& kernels() const { return kernels_; }
  const Json& report() const { return report_; }
  const tw_runtime* runtime() const { return runtime_; }
  void reserve(int threads) const;
  /* The GPU that the kernels run on: the first of the bundle's arch, or the one that `use_gpu` named. */
  std::shared_ptr<Gpu> gpu();
  void use_gpu(int ordinal);
  /* The device of the kernels, for the cost model: this machine, or the GPU. */
  Json device(int threads);
  /* Reads the trained models, once; the selector `learned` needs them. */
  void load_models();
  /* Calls the selection: describe, rank, lower or choose. Throws the typed error that it answers with. */
  Json ask(const char* what, const Json& request) const;
  /* Loads a kernel once, after comparing its bytes with their digest. */
  const Kernel& load(size_t place);
  /* The GPU kernels of a row of the manifest; each is loaded when a plan first needs it. */
  detail::GpuKernels& gpu_kernels(size_t place);

 private:
  Bundle(const std::string& folder, bool verify);
  template <class Asked>
  Json answered(Asked asked) const;
  std::shared_ptr<Gpu> opened_gpu();
  void version(const Json& manifest, const char* name, int64_t known) const;
  void read(const Json& manifest, const std::string& path);
  void check_arch() const;
  void check_file(const StoredFile& s, bool bytes) const;
  void start(const Json& manifest);

  using Call = int (*)(void*, const char*, const char*, char**);
  std::string folder_, name_, backend_, arch_, kind_;
  std::vector<std::string> machines_, cpu_flags_;
  std::map<std::string, StoredFile> libraries_;
  std::vector<KernelRow> kernels_;
  Json report_;
  const tw_runtime* runtime_ = nullptr;
  int (*reserve_)(int) = nullptr;
  Call call_ = nullptr;
  void (*free_)(char*) = nullptr;
  void (*close_)(void*) = nullptr;
  int (*models_)(void*, const char*, char**) = nullptr;
  bool models_loaded_ = false;
  void* selection_ = nullptr;
  std::mutex lock_;
  std::map<std::string, Kernel> loaded_;
  std::shared_ptr<Gpu> gpu_;
  Json device_;
  std::map<std::string, std::unique_ptr<detail::GpuKernels>> gpu_kernels_;
};

}  // namespace tilewright
