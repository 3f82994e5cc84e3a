/* Real numbers from text and to text, whatever locale the program has set: its decimal separator may be a comma. */
#pragma once
#include <locale.h>
#include <stdlib.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

#include <charconv>
#include <string>

namespace tilewright::detail {

/* The number that a text begins with; 0 if it begins with none. */
inline double real_of(const std::string& text) {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  return strtod_l(text.c_str(), nullptr, plain);
}
/* A number with so many digits, as printf writes it for %f (fixed) and %g (general). */
inline std::string shown_real(double number, std::chars_format format, int digits) {
  std::string out(400 + static_cast<size_t>(digits), '\0');
  out.resize(static_cast<size_t>(std::to_chars(out.data(), out.data() + out.size(), number, format, digits).ptr - out.data()));
  return out;
}

}  // namespace tilewright::detail
