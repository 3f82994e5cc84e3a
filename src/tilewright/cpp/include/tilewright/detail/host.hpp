/* The CPU of this machine: features, caches and threads, read as the Python package reads them. */
#pragma once
#include <sched.h>
#include <unistd.h>
#include <sys/utsname.h>
#if defined(__aarch64__)
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace tilewright::detail {

struct Host {
  std::string machine, name;
  std::set<std::string> flags;  // those that every core has
  int64_t l1 = 32 << 10, l2 = 256 << 10, llc = 8 << 20;
  int threads = 1;
};

inline std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}
inline void read_cpuinfo(Host& host) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  const std::string field = host.machine == "aarch64" || host.machine == "arm64" ? "Features" : "flags";
  std::string last;  // most cores have the flags of the core before
  while (std::getline(file, line)) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string key = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    if (key == "model name" && host.name.empty()) host.name = line.substr(std::min(line.size(), colon + 2));
    if (key != field || line == last) continue;
    std::istringstream words(line.substr(colon + 1));
    std::set<std::string> mine;
    for (std::string word; words >> word;) mine.insert(word);
    if (last.empty()) {
      host.flags = mine;
    } else {
      for (auto it = host.flags.begin(); it != host.flags.end();) it = mine.count(*it) ? std::next(it) : host.flags.erase(it);
    }
    last = line;
  }
#if defined(__aarch64__) && defined(PR_SVE_GET_VL)
  if (host.flags.count("sve")) {
    const int length = prctl(PR_SVE_GET_VL);
    if (length >= 0) host.flags.insert("sve_vl" + std::to_string((length & 0xFFFF) * 8));
  }
#endif
}
inline void read_caches(Host& host) {
  for (int i = 0; i < 16; i++) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    const std::string level = first_line(folder + "level"), kind = first_line(folder + "type"), size = first_line(folder + "size");
    if (level.empty() || kind == "Instruction" || size.size() < 2 || size.back() != 'K') continue;
    const int64_t bytes = std::strtoll(size.c_str(), nullptr, 10) << 10;
    (level == "1" ? host.l1 : level == "2" ? host.l2 : host.llc) = bytes;
  }
}
inline int default_threads() {
  const char* asked = std::getenv("TILEWRIGHT_THREADS");
  if (asked && std::atoi(asked) > 0) return std::atoi(asked);
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) return std::max(1, CPU_COUNT(&mask));
  return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));  // more CPUs than cpu_set_t holds
}
inline const Host& host() {
  static const Host found = [] {
    Host h;
    utsname names;
    if (uname(&names) == 0) h.machine = names.machine;
    read_cpuinfo(h);
    read_caches(h);
    h.threads = default_threads();
    if (h.name.empty()) h.name = h.machine;
    return h;
  }();
  return found;
}

}  // namespace tilewright::detail
