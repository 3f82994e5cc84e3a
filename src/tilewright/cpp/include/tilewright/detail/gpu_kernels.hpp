/* The GPU kernels of one artifact: machine code and launch records, loaded when they are first used. */
#pragma once
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "../gpu.hpp"
#include "abi.hpp"
#include "driver.hpp"
#include "library.hpp"

namespace tilewright::detail {

/* A parameter of a kernel and its place among the others. */
struct Parameter {
  std::string path, kind;
  size_t offset = 0;
  TensorMapShape map;  // type, swizzle, element size and box of a tensor map
};
struct GpuKernel {
  void* function = nullptr;
  std::string name;
  unsigned threads = 1, shared = 0, cluster = 1;
  bool early = false;
  std::vector<Parameter> parameters;
  std::vector<size_t> offsets;  // of parameters, then of two null pointers that Triton's kernels end in
  size_t bytes = 0;
};

inline size_t size_of_kind(const std::string& kind) {
  static const std::map<std::string, size_t> sizes = {{"pointer", 8}, {"i64", 8}, {"u64", 8}, {"fp64", 8}, {"i32", 4}, {"u32", 4},
      {"fp32", 4}, {"i16", 2}, {"i8", 1}, {"i1", 1}, {"tensormap", tensor_map_bytes}};
  auto found = sizes.find(kind);
  if (found == sizes.end()) throw BundleError("a launch record has a parameter of unknown kind " + kind, "make the bundle again");
  return found->second;
}
/* Writes a number as a parameter of some kind. */
inline void write_number(unsigned char* into, const std::string& kind, const Json& value) {
  auto put = [&](auto number) { std::memcpy(into, &number, sizeof number); };
  const bool whole = value.kind() == Json::Kind::integer || value.kind() == Json::Kind::boolean;
  const int64_t i = value.kind() == Json::Kind::boolean ? value.boolean() : whole ? value.integer() : static_cast<int64_t>(value.number());
  if (kind == "fp32") put(static_cast<float>(value.number()));
  else if (kind == "fp64") put(value.number());
  else if (size_of_kind(kind) == 8) put(i);
  else if (size_of_kind(kind) == 4) put(static_cast<int32_t>(i));
  else if (kind == "i16") put(static_cast<int16_t>(i));
  else put(static_cast<int8_t>(kind == "i1" ? i != 0 : i));
}

/* Threads that plan share it; what it returns stays where it is. */
class GpuKernels {
 public:
  /* `files` has the files of the artifact by name; `folder` is where they are. */
  GpuKernels(std::shared_ptr<Gpu> gpu, std::string folder, std::map<std::string, std::string> digests)
      : gpu_(std::move(gpu)), folder_(std::move(folder)), digests_(std::move(digests)) {}

  Gpu& gpu() const { return *gpu_; }
  /* A kernel by its name in the artifact: one with a launch record. */
  const GpuKernel& recorded(const std::string& name) {
    std::lock_guard<std::mutex> held(lock_);
    auto known = kernels_.find(name);
    if (known != kernels_.end()) return known->second;
    const Json record = Json::parse(bytes_of(name + ".json"), "launch record " + name);
    if (record.at("schema").dump() != "1") throw BundleError("launch records of schema " + record.at("schema").dump() + " cannot be read", "make the bundle again");
    if (record.at("global_scratch").integer() || record.at("profile_scratch").integer())
      throw BundleError("kernel " + record.at("name").text() + " asks for scratch memory, which launches do not provide");
    const std::string file = name + (record.at("backend").text() == "cuda" ? ".cubin" : ".hsaco");
    GpuKernel made = read(record);
    made.function = gpu_->driver().load(folder_ + "/" + file, bytes_of(file), made.name, made.shared);
    return kernels_.emplace(name, std::move(made)).first->second;
  }
  /* The function that makes arguments, from the library next to a code object. It returns the bytes of an argument, or a
   * negative number if there is no room for them. */
  using MakeArguments = int64_t (*)(const tw_args* args, int32_t split_k, void* into, int64_t room, uint32_t* grid);
  MakeArguments arguments() {
    std::lock_guard<std::mutex> held(lock_);
    if (arguments_) return arguments_;
    const std::string file = "arguments.elf", path = folder_ + "/" + file;
    return arguments_ = function_of<MakeArguments>(open_library(path, digest_of(file)), "tw_arguments", path);
  }
  /* A kernel of a code object, by the name of its instance in the artifact's metadata. */
  const GpuKernel& instance(const std::string& name) {
    std::lock_guard<std::mutex> held(lock_);
    auto known = kernels_.find(name);
    if (known != kernels_.end()) return known->second;
    const Json metadata = Json::parse(bytes_of("metadata.json"), "metadata of a kernel");
    GpuKernel made;
    made.name = metadata.at("symbols").at(name).text();
    made.function = gpu_->driver().load(folder_ + "/kernel.co", bytes_of("kernel.co"), made.name, 0);
    return kernels_.emplace(name, std::move(made)).first->second;
  }

 private:
  const std::string& digest_of(const std::string& file) const {
    auto digest = digests_.find(file);
    if (digest == digests_.end()) throw BundleError("the manifest has no file " + file + " in " + folder_, "make the bundle again");
    return digest->second;
  }
  std::string bytes_of(const std::string& file) const { return checked_bytes(folder_ + "/" + file, digest_of(file)); }
  static GpuKernel read(const Json& record) {
    GpuKernel made;
    made.name = record.at("name").text();
    made.threads = static_cast<unsigned>(record.at("threads").integer());
    made.shared = static_cast<unsigned>(record.at("shared").integer());
    made.early = record.at("pdl").boolean();
    if (const Json* cluster = record.find("cluster")) made.cluster = static_cast<unsigned>(cluster->integer());
    for (const auto& row : record.at("args").items()) {
      Parameter p;
      p.path = row.at("path").text();
      p.kind = row.at("kind").text();
      p.offset = place(made.bytes, p.kind);
      if (p.kind == "tensormap") {
        p.map.type = static_cast<int>(row.at("element_type").integer());
        p.map.swizzle = static_cast<int>(row.at("swizzle").integer());
        p.map.element_bytes = static_cast<int>(row.at("element_bytes").integer());
        for (const auto& one : row.at("box").items()) p.map.box.push_back(one.integer());
      }
      made.offsets.push_back(p.offset);
      made.parameters.push_back(std::move(p));
    }
    for (int i = 0; i < 2; i++) made.offsets.push_back(place(made.bytes, "pointer"));
    return made;
  }
  static size_t place(size_t& end, const std::string& kind) {
    const size_t size = size_of_kind(kind), at = (end + size - 1) / size * size;
    end = at + size;
    return at;
  }
  std::shared_ptr<Gpu> gpu_;
  std::string folder_;
  std::map<std::string, std::string> digests_;
  std::mutex lock_;
  std::map<std::string, GpuKernel> kernels_;
  MakeArguments arguments_ = nullptr;
};

}  // namespace tilewright::detail
