/* Runs kernels of the C ABI for a Python on another machine: commands on stdin, answers on stdout.
 *
 * Every message starts with 64-bit numbers, little-endian as both machines are. Python sends the launch arguments as the
 * bytes of `tw_args` and the memory that its tensors lie in; the runner puts that memory into blocks of its own with
 * the same alignment, calls the kernel, and sends the written blocks back. Each block has a guard on both sides, so a
 * kernel that writes beyond its tensors or its workspace is reported. */
#include "tilewright_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string>
#include <vector>

namespace {

enum Command : int64_t { kLoad = 1, kWorkspace = 2, kRun = 3 };
enum Fault : int64_t { kNone = 0, kFailed = 1 };

constexpr int64_t kAlignment = 4096;  // keeps the alignment class of every address that Python sends
constexpr int64_t kGuardBytes = 4096;
constexpr int kGuard = 0xA5;

struct Library {
  void* handle;
  tw_workspace_fn workspace;
  tw_run_fn run;
};

std::vector<Library> libraries;
const tw_runtime* runtime = nullptr;
int (*reserve_threads)(int) = nullptr;

void read_bytes(void* target, int64_t bytes) {
  if (bytes > 0 && fread(target, 1, size_t(bytes), stdin) != size_t(bytes)) exit(3);
}

int64_t read_number() {
  int64_t value = 0;
  if (fread(&value, sizeof value, 1, stdin) != 1) exit(0);  // Python closed the pipe
  return value;
}

void send_bytes(const void* source, int64_t bytes) { fwrite(source, 1, size_t(bytes), stdout); }

void send_number(int64_t value) { send_bytes(&value, sizeof value); }

void send_failure(const std::string& text) {
  send_number(kFailed);
  send_number(int64_t(text.size()));
  send_bytes(text.data(), int64_t(text.size()));
}

/* Memory at an address that has the wanted remainder by kAlignment, with a guard before and after it. */
class Block {
 public:
  Block(int64_t bytes, int64_t remainder) : bytes_(bytes) {
    const int64_t total = 2 * kGuardBytes + 2 * kAlignment + bytes;
    memory_ = static_cast<char*>(aligned_alloc(kAlignment, size_t((total + kAlignment - 1) / kAlignment * kAlignment)));
    if (memory_ == nullptr) exit(4);
    data_ = memory_ + kGuardBytes + remainder;
    memset(data_ - kGuardBytes, kGuard, size_t(kGuardBytes));
    memset(data_ + bytes, kGuard, size_t(kGuardBytes));
  }
  ~Block() { free(memory_); }
  Block(const Block&) = delete;

  char* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

  bool guards_hold() const {
    for (int64_t i = 1; i <= kGuardBytes; ++i)
      if ((data_[-i] & 0xFF) != kGuard || (data_[bytes_ + i - 1] & 0xFF) != kGuard) return false;
    return true;
  }

 private:
  char* memory_;
  char* data_;
  int64_t bytes_;
};

void load() {
  std::string path(size_t(read_number()), '\0');
  read_bytes(&path[0], int64_t(path.size()));
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return send_failure(dlerror());
  auto info = reinterpret_cast<tw_info_fn>(dlsym(handle, "tw_info"));
  auto workspace = reinterpret_cast<tw_workspace_fn>(dlsym(handle, "tw_workspace"));
  auto run = reinterpret_cast<tw_run_fn>(dlsym(handle, "tw_run"));
  if (info == nullptr || workspace == nullptr || run == nullptr) return send_failure("not a kernel: " + path);
  const tw_kernel_info* said = info();
  if (said->abi_version != TW_ABI_VERSION || said->args_size != sizeof(tw_args))
    return send_failure("the kernel has another ABI version or size of arguments");
  libraries.push_back({handle, workspace, run});
  send_number(kNone);
  send_number(int64_t(libraries.size()) - 1);
  send_number(int64_t(strlen(said->digest)));
  send_bytes(said->digest, int64_t(strlen(said->digest)));
}

const Library& read_library() { return libraries.at(size_t(read_number())); }

void workspace() {
  const Library& kernel = read_library();
  tw_args args;
  read_bytes(&args, sizeof args);
  const int64_t needed = kernel.workspace(&args);
  send_number(kNone);
  send_number(needed);
}

struct Blocks {
  std::vector<Block*> all;
  ~Blocks() {
    for (Block* block : all) delete block;
  }
};

void read_blocks(Blocks& blocks) {
  const int64_t count = read_number();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t bytes = read_number(), remainder = read_number();
    blocks.all.push_back(new Block(bytes, remainder));
    read_bytes(blocks.all.back()->data(), bytes);
  }
}

void read_tensors(tw_args& args, const Blocks& blocks) {
  const int64_t count = read_number();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t slot = read_number(), block = read_number(), offset = read_number();
    args.tensors[slot] = blocks.all[size_t(block)]->data() + offset;
  }
}

void run() {
  const Library& kernel = read_library();
  tw_args args;
  read_bytes(&args, sizeof args);
  Blocks blocks;
  read_blocks(blocks);
  read_tensors(args, blocks);
  Block scratch(args.workspace_bytes, 0);
  memset(scratch.data(), 0xFF, size_t(args.workspace_bytes));  // NaN: nobody may count on zeros
  args.workspace = args.workspace_bytes > 0 ? scratch.data() : nullptr;
  const int threads = int(args.launch[0]);
  args.runtime = threads > 1 ? runtime : nullptr;
  if (threads > 1 && reserve_threads(threads) < threads) return send_failure("the machine does not grant the threads");
  if (const int code = kernel.run(&args)) return send_failure("status " + std::to_string(code) + ": " + args.error);
  if (!scratch.guards_hold()) return send_failure("the kernel wrote beyond its workspace");
  for (const Block* block : blocks.all)
    if (!block->guards_hold()) return send_failure("the kernel wrote beyond a tensor");
  send_number(kNone);
  for (const Block* block : blocks.all) send_bytes(block->data(), block->bytes());
}

void open_runtime(const char* path) {
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  runtime = reinterpret_cast<const tw_runtime* (*)()>(dlsym(handle, "tw_runtime_get"))();
  reserve_threads = reinterpret_cast<int (*)(int)>(dlsym(handle, "tw_runtime_reserve"));
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    fprintf(stderr, "usage: runner tw_runtime.so\n");
    return 2;
  }
  open_runtime(words[1]);
  for (;;) {
    switch (read_number()) {
      case kLoad: load(); break;
      case kWorkspace: workspace(); break;
      case kRun: run(); break;
      default: return 5;
    }
    fflush(stdout);
  }
}
