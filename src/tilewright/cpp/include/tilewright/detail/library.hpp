/* Shared libraries: opened with local symbols, everything resolved at once, never closed.
 * What runs are the bytes that were checked: they are loaded from a private copy, which no other process can change. */
#pragma once
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string>

#include "../error.hpp"
#include "sha256.hpp"

namespace tilewright::detail {

struct Descriptor {
  int number;
  explicit Descriptor(int opened) : number(opened) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};
/* The bytes of a regular file; a pipe without a writer would be waited for forever. */
inline std::string read_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat found;
  if (file.number < 0 || ::fstat(file.number, &found) != 0 || !S_ISREG(found.st_mode))
    throw BundleError(path + " cannot be read, or is not a regular file", "copy the bundle again, with all files");
  std::string bytes(static_cast<size_t>(found.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(file.number, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw BundleError(path + " cannot be read", "copy the bundle again, with all files");
    if (got == 0) break;  // it was truncated; its digest then differs
    done += static_cast<size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}
/* The size of a plain file; -1 if there is none. */
inline int64_t file_size(const std::string& path) {
  struct stat found;
  return stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) ? static_cast<int64_t>(found.st_size) : -1;
}
/* The bytes of a file, compared with their digest. */
inline std::string checked_bytes(const std::string& path, const std::string& digest) {
  std::string bytes = read_file(path);
  if (sha256(bytes) != digest)
    throw BundleError(path + " is not the file that the manifest describes", "copy the bundle again, or make it again");
  return bytes;
}
inline bool write_all(int file, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t put = ::write(file, bytes.data() + done, bytes.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    done += static_cast<size_t>(put);
  }
  return true;
}
/* Loads from memory that has no name. The loader takes two libraries of one path for the same, and numbers of
 * descriptors are used again, so each path is spelled differently. Null if this system has no such memory. */
inline void* open_in_memory(const std::string& bytes) {
#if defined(__linux__) && defined(MFD_ALLOW_SEALING)
  const Descriptor file(::memfd_create("tilewright-bundle", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.number < 0 || !write_all(file.number, bytes)) return nullptr;
  if (::fcntl(file.number, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0) return nullptr;
  static std::atomic<unsigned> count{0};
  std::string path = "/proc/self/fd/";
  for (unsigned number = ++count; number; number /= 2) path += number % 2 ? ".//" : "./";
  return dlopen((path + std::to_string(file.number)).c_str(), RTLD_NOW | RTLD_LOCAL);
#else
  (void)bytes;
  return nullptr;
#endif
}
/* Loads from a file in a folder that only this user can enter; both are removed at once. */
inline void* open_private_copy(const std::string& bytes) {
  const char* base = std::getenv("TMPDIR");
  std::string folder = std::string(base && *base ? base : "/tmp") + "/tilewright-XXXXXX";
  if (!::mkdtemp(folder.data())) return nullptr;
  const std::string path = folder + "/library.so";
  void* handle = nullptr;
  {
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (file.number >= 0 && write_all(file.number, bytes)) handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  ::unlink(path.c_str());
  ::rmdir(folder.c_str());
  return handle;
}
inline void* open_library(const std::string& path, const std::string& digest) {
  const std::string bytes = checked_bytes(path, digest);
  void* handle = open_in_memory(bytes);
  if (!handle) handle = open_private_copy(bytes);
  if (!handle) {
    const char* why = dlerror();
    throw BundleError("library " + path + " cannot be loaded: " + (why ? why : "no private copy of it can be made"), "make the bundle again");
  }
  return handle;
}
template <class Function>
Function function_of(void* library, const char* name, const std::string& path) {
  auto found = reinterpret_cast<Function>(dlsym(library, name));
  if (!found) throw BundleError("library " + path + " does not export " + name, "make the bundle again");
  return found;
}

}  // namespace tilewright::detail
