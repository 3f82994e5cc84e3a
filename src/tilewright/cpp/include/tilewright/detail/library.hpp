/* Shared libraries: opened with local symbols, everything resolved at once, never closed. */
#pragma once
#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "../error.hpp"
#include "sha256.hpp"

namespace tilewright::detail {

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw BundleError(path + " cannot be read", "copy the bundle again, with all files");
  file.seekg(0, std::ios::end);
  std::string bytes(static_cast<size_t>(std::max<std::streamoff>(0, file.tellg())), '\0');
  file.seekg(0);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
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
inline void* open_library(const std::string& path, const std::string& digest) {
  checked_bytes(path, digest);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw BundleError("library " + path + " cannot be loaded: " + dlerror(), "make the bundle again");
  return handle;
}
template <class Function>
Function function_of(void* library, const char* name, const std::string& path) {
  auto found = reinterpret_cast<Function>(dlsym(library, name));
  if (!found) throw BundleError("library " + path + " does not export " + name, "make the bundle again");
  return found;
}

}  // namespace tilewright::detail
