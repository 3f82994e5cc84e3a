#include <tilewright/error.hpp>

#include <utility>

namespace tilewright {

Error::Error(const std::string& message, std::string remedy, std::string rule, std::map<std::string, std::string> values)
    : std::runtime_error(remedy.empty() ? message + "." : message + ". Fix: " + remedy + "."),
      message_(message), remedy_(std::move(remedy)), rule_(std::move(rule)), values_(std::move(values)) {}
Error::Error(const Error&) = default;
Error::~Error() = default;

}  // namespace tilewright
