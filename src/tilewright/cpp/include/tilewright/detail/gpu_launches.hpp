/* The launches of a plan on a GPU. The selection says each parameter; tensors have made-up addresses there, by which
 * the parameters that hold an address inside of a tensor are found and written over at each launch. */
#pragma once
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "gpu_kernels.hpp"

namespace tilewright::detail {

class GpuLaunches {
 public:
  GpuLaunches(GpuKernels& kernels, const Json& said) : kernels_(kernels) {
    for (const auto& row : said.at("roles").items()) {
      bases_.push_back(row.at("address").integer());
      alignments_.push_back(static_cast<size_t>(row.at("alignment").integer()));
    }
    bases_.push_back(said.at("workspace_address").integer());
    apart_ = said.at("apart").integer();
    workspace_bytes_ = static_cast<size_t>(said.at("workspace").integer());
    for (const auto& row : said.at("launches").items()) {
      if (row.find("clear")) launches_.push_back(clearing(row.at("clear")));
      else if (row.find("packed")) launches_.push_back(packed(row));
      else if (row.find("made_by")) launches_.push_back(made_by_library(row));
      else launches_.push_back(recorded(row));
    }
  }
  ~GpuLaunches() {
    for (const auto& pair : spaces_) kernels_.gpu().driver().free(pair.second);
  }
  GpuLaunches(const GpuLaunches&) = delete;
  GpuLaunches& operator=(const GpuLaunches&) = delete;

  size_t workspace_bytes() const { return workspace_bytes_; }
  size_t count() const { return launches_.size(); }
  size_t alignment(size_t role) const { return alignments_[role]; }
  /* Launches on `stream`, one call at a time: drivers copy parameters when a launch is made. */
  void run(void* const* pointers, void* stream) {
    std::lock_guard<std::mutex> held(lock_);
    std::vector<uint64_t> at;
    for (size_t i = 0; i + 1 < bases_.size(); i++) at.push_back(reinterpret_cast<uint64_t>(pointers[i]));
    at.push_back(workspace_bytes_ ? space(stream) : 0);
    const bool moved = at != last_;
    last_.clear();  // in case a call below throws
    for (auto& launch : launches_) {
      if (moved) move(launch, at);
      auto& driver = kernels_.gpu().driver();
      if (launch.rows)
        driver.clear_rows(at[launch.cells[0].role] + static_cast<uint64_t>(launch.cells[0].offset), launch.pitch, launch.width, launch.rows, stream);
      else
        driver.launch(launch.function, launch.shape, stream, launch.parameters.data(), launch.name);
    }
    last_ = std::move(at);
  }

 private:
  /* A parameter that holds an address inside of a tensor (or of the workspace, which comes last). */
  struct Cell {
    size_t at, role;
    int64_t offset;
    bool is_map, encoded;
    TensorMapShape map;
  };
  struct Launch {
    std::string name;
    void* function = nullptr;
    LaunchShape shape;
    std::vector<unsigned char> memory;
    unsigned char* block = nullptr;  // aligned, inside of `memory`
    std::vector<void*> parameters;
    std::vector<Cell> cells;
    size_t pitch = 0, width = 0, rows = 0;  // of memory to clear instead
  };
  static Launch with_block(size_t bytes) {
    Launch made;
    made.memory.resize(bytes + tensor_map_bytes);
    const auto start = reinterpret_cast<uintptr_t>(made.memory.data());
    made.block = made.memory.data() + ((start + tensor_map_bytes - 1) / tensor_map_bytes * tensor_map_bytes - start);
    return made;
  }
  static void grid_of(LaunchShape& shape, const Json& grid) {
    for (size_t i = 0; i < 3; i++) shape.grid[i] = static_cast<unsigned>(grid.items().at(i).integer());
  }
  Launch recorded(const Json& row) {
    const GpuKernel& kernel = kernels_.recorded(row.at("kernel").text());
    Launch made = with_block(kernel.bytes);
    made.name = kernel.name;
    made.function = kernel.function;
    grid_of(made.shape, row.at("grid"));
    made.shape.threads = kernel.threads;
    made.shape.shared = kernel.shared;
    made.shape.cluster = kernel.cluster;
    made.shape.early = kernel.early && row.at("early").boolean();
    for (size_t offset : kernel.offsets) made.parameters.push_back(made.block + offset);
    for (const auto& p : kernel.parameters) {
      const Json* value = row.at("values").find(p.path);
      if (!value) throw BundleError("kernel " + kernel.name + " has a parameter " + p.path + " that no launch gives", "make the bundle again");
      if (p.kind == "tensormap") tensor_map(made, p, *value);
      else number(made, p.offset, p.kind, *value);
    }
    return made;
  }
  /* One parameter: a structure of numbers, each aligned to its size. */
  Launch packed(const Json& row) {
    const GpuKernel& kernel = kernels_.instance(row.at("kernel").text());
    size_t bytes = 0;
    std::vector<size_t> offsets;
    for (const auto& pair : row.at("packed").items()) {
      const size_t size = size_of_kind(pair.items()[0].text());
      bytes = (bytes + size - 1) / size * size;
      offsets.push_back(bytes);
      bytes += size;
    }
    Launch made = with_argument(row, kernel, bytes);
    grid_of(made.shape, row.at("grid"));
    if (const Json* most = row.find("most_blocks")) {
      Gpu& gpu = kernels_.gpu();
      const int64_t held = gpu.facts().at("units").integer() * std::max(1, gpu.driver().blocks_per_unit(kernel.function, made.shape.threads));
      made.shape.grid[0] = static_cast<unsigned>(std::min(held, most->integer()));
      made.shape.grid[1] = made.shape.grid[2] = 1;
    }
    for (size_t i = 0; i < offsets.size(); i++) {
      const auto& pair = row.at("packed").items()[i].items();
      number(made, offsets[i], pair[0].text(), pair[1]);
    }
    return made;
  }
  /* One parameter and the grid, made by the library next to the code object. Two sizes side by side may look like an
   * address, so the parameter is made a second time on tensors elsewhere: what is an address moves along. */
  Launch made_by_library(const Json& row) {
    const Json& from = row.at("made_by");
    const int64_t elsewhere = from.at("elsewhere").integer();
    const GpuKernel& kernel = kernels_.instance(row.at("kernel").text());
    const auto here = words_of(from, 0), there = words_of(from, elsewhere);
    Launch made = with_argument(row, kernel, here.bytes);
    std::copy(here.grid, here.grid + 3, made.shape.grid);
    std::memcpy(made.block, here.words.data(), here.bytes);
    for (size_t i = 0; i < here.bytes / sizeof(uint64_t); i++)
      if (there.words[i] - here.words[i] == static_cast<uint64_t>(elsewhere)) address(made, i * sizeof(uint64_t), static_cast<int64_t>(here.words[i]));
    return made;
  }
  struct Words {
    std::vector<uint64_t> words;
    size_t bytes;
    uint32_t grid[3];
  };
  /* The argument that a library makes, with all tensors moved by some bytes. */
  Words words_of(const Json& from, int64_t by) {
    constexpr size_t room = 1 << 18;
    Words made{std::vector<uint64_t>(room / sizeof(uint64_t)), 0, {1, 1, 1}};
    tw_args args{};
    args.struct_size = sizeof args;
    args.abi_version = TW_ABI_VERSION;
    const auto &sizes = from.at("sizes").items(), &tensors = from.at("tensors").items();
    if (sizes.size() > TW_MAX_SIZES || tensors.size() > TW_MAX_TENSORS) throw BundleError("a launch has too many sizes", "make the bundle again");
    for (size_t i = 0; i < sizes.size(); i++) args.sizes[i] = sizes[i].integer();
    for (size_t i = 0; i < tensors.size(); i++) args.tensors[i] = reinterpret_cast<void*>(static_cast<uintptr_t>(tensors[i].integer() + by));
    const int64_t bytes = kernels_.arguments()(&args, static_cast<int32_t>(from.at("split_k").integer()), made.words.data(), room, made.grid);
    if (bytes < 0) throw LaunchError("the argument of a kernel has more than " + std::to_string(room) + " bytes");
    made.bytes = static_cast<size_t>(bytes);
    return made;
  }
  /* A launch of an instance with one parameter of some bytes. */
  static Launch with_argument(const Json& row, const GpuKernel& kernel, size_t bytes) {
    Launch made = with_block((bytes + 7) / 8 * 8);
    made.name = kernel.name;
    made.function = kernel.function;
    made.shape.threads = static_cast<unsigned>(row.at("threads").integer());
    made.parameters.push_back(made.block);
    return made;
  }
  Launch clearing(const Json& row) {
    Launch made = with_block(8);
    made.name = "clear";
    number(made, 0, "pointer", row.at("address"));
    made.pitch = static_cast<size_t>(row.at("pitch").integer());
    made.width = static_cast<size_t>(row.at("width").integer());
    made.rows = static_cast<size_t>(row.at("rows").integer());
    if (made.cells.empty()) throw BundleError("a launch clears no tensor", "make the bundle again");
    return made;
  }
  void number(Launch& made, size_t at, const std::string& kind, const Json& value) {
    write_number(made.block + at, kind, value);
    if (kind == "pointer") address(made, at, value.integer());
  }
  /* Notes a parameter that holds an address inside of a tensor. */
  void address(Launch& made, size_t at, int64_t value) {
    size_t role = 0;
    int64_t offset = 0;
    if (inside(value, role, offset)) made.cells.push_back({at, role, offset, false, false, {}});
  }
  void tensor_map(Launch& made, const Parameter& p, const Json& value) {
    Cell cell{p.offset, 0, 0, true, false, p.map};
    for (const auto& one : value.at("shape").items()) cell.map.shape.push_back(one.integer());
    for (const auto& one : value.at("strides").items()) cell.map.strides.push_back(one.integer());
    all_but_last(value.find("box"), cell.map.box);
    all_but_last(value.find("steps"), cell.map.steps);
    if (inside(value.at("address").integer(), cell.role, cell.offset)) made.cells.push_back(std::move(cell));
    else kernels_.gpu().driver().encode(made.block + p.offset, cell.map, static_cast<uint64_t>(value.at("address").integer()));
  }
  /* Numbers of all dimensions but the last, whose number stays (a step of it is 1). */
  static void all_but_last(const Json* given, std::vector<int64_t>& into) {
    if (!given || given->is_null()) return;
    const int64_t last = into.empty() ? 1 : into.back();
    into.clear();
    for (const auto& one : given->items()) into.push_back(one.integer());
    into.push_back(last);
  }
  bool inside(int64_t address, size_t& role, int64_t& offset) const {
    for (size_t i = 0; i < bases_.size(); i++)
      if (address >= bases_[i] && address - bases_[i] < apart_ / 2) return role = i, offset = address - bases_[i], true;
    return false;
  }
  void move(Launch& launch, const std::vector<uint64_t>& at) {
    auto& driver = kernels_.gpu().driver();
    for (auto& cell : launch.cells) {
      const uint64_t address = at[cell.role] + static_cast<uint64_t>(cell.offset);
      if (!cell.is_map) {
        std::memcpy(launch.block + cell.at, &address, sizeof address);
      } else if (cell.encoded) {
        driver.move(launch.block + cell.at, address);
      } else {
        driver.encode(launch.block + cell.at, cell.map, address);
        cell.encoded = true;
      }
    }
  }
  /* Zeroed memory for the launches of a stream; every launch leaves it as it was. */
  uint64_t space(void* stream) {
    auto known = spaces_.find(stream);
    if (known == spaces_.end()) known = spaces_.emplace(stream, kernels_.gpu().driver().allocate(workspace_bytes_)).first;
    return known->second;
  }
  GpuKernels& kernels_;
  std::vector<int64_t> bases_;
  std::vector<size_t> alignments_;
  int64_t apart_ = 0;
  size_t workspace_bytes_ = 0;
  std::vector<Launch> launches_;
  std::vector<uint64_t> last_;
  std::map<void*, uint64_t> spaces_;
  std::mutex lock_;
};

}  // namespace tilewright::detail
