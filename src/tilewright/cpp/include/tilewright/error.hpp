/* Exceptions: what was given, the rule and values that refused it, and what to do. */
#pragma once
#include <map>
#include <stdexcept>
#include <string>

namespace tilewright {

/* Base of all errors. `rule` and `values` are set if a rule refused something. */
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, std::string remedy = "", std::string rule = "",
                 std::map<std::string, std::string> values = {});
  Error(const Error&);
  ~Error() override;
  const std::string& message() const { return message_; }
  const std::string& remedy() const { return remedy_; }
  const std::string& rule() const { return rule_; }
  const std::map<std::string, std::string>& values() const { return values_; }

 private:
  std::string message_, remedy_, rule_;
  std::map<std::string, std::string> values_;
};

/* A problem description that is not valid. */
struct ProblemError : Error {
  using Error::Error;
};
/* A name that is not in a closed list. */
struct UnknownNameError : ProblemError {
  using ProblemError::ProblemError;
};
/* Tensors that do not fit their problem. */
struct TensorError : ProblemError {
  using ProblemError::ProblemError;
};
/* No kernel is left for a problem. `rule` is the first rule that removed one, or bundle.signature if the bundle has no
 * kernel of such dtypes, layouts or epilogue. The remedy ends with a command that makes a bundle with one. */
struct SelectionError : Error {
  using Error::Error;
};
/* A file that cannot be read: damaged, altered, missing, or of another version. */
struct BundleError : Error {
  using Error::Error;
};
/* A bundle for another CPU or GPU. */
struct ArchError : BundleError {
  using BundleError::BundleError;
};
/* No driver, no GPU, or no memory on it. */
struct DeviceError : Error {
  using Error::Error;
};
/* A kernel refused or failed a launch. */
struct LaunchError : Error {
  using Error::Error;
};

}  // namespace tilewright
