// Runs cases of the contract through a bundle: bundle_cases BUNDLE CASES. Results are written back into the file.
//
// CASES is a folder: cases.txt has a line per case, "NAME PROBLEM", and NAME.<role> has the memory of a tensor after
// eight bytes that say where its first element is.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <tilewright/tilewright.hpp>

static std::vector<char> read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string folder = argv[2];
  tilewright::Dispatcher dispatcher(tilewright::Bundle::open(argv[1]));
  std::ifstream list(folder + "/cases.txt");
  std::string name, problem;
  while (list >> name && std::getline(list, problem)) {
    try {
      const auto& plan = dispatcher.plan(tilewright::Problem::parse(problem));
      std::vector<std::vector<char>> memory;
      std::vector<void*> pointers;
      for (const auto& tensor : plan.tensors()) {
        memory.push_back(read(folder + "/" + name + "." + tensor.role));
        int64_t first;
        std::memcpy(&first, memory.back().data(), sizeof first);
        pointers.push_back(memory.back().data() + sizeof first + first);
      }
      plan.run_pointers(pointers.data());
      for (size_t i = 0; i < memory.size(); i++) {
        if (!plan.tensors()[i].written) continue;
        std::ofstream out(folder + "/" + name + "." + plan.tensors()[i].role, std::ios::binary);
        out.write(memory[i].data(), static_cast<std::streamsize>(memory[i].size()));
      }
      std::printf("%s ok %s\n", name.c_str(), plan.kernel().c_str());
    } catch (const tilewright::SelectionError& error) {
      std::printf("%s refused %s\n", name.c_str(), error.what());
    } catch (const std::exception& error) {
      std::printf("%s error %s\n", name.c_str(), error.what());
    }
  }
}
