// 8-bit operands with a scale for each tensor, to bf16.
#include <cstring>

#include "reference.hpp"
using namespace tilewright;

EXAMPLE(attention_20_fp8) {
  const example::Heads s;
  const auto number = [](uint8_t code) {  // e4m3
    const int e = code >> 3 & 15, m = code & 7;
    const double size = e ? std::ldexp(1.0 + m / 8.0, e - 7) : std::ldexp(m / 8.0, -6);
    return code & 128 ? -size : size;
  };
  std::mt19937 draw(1);
  const auto codes = [&](size_t count) {
    std::vector<uint8_t> made(count);
    for (auto& c : made) c = uint8_t((draw() & 128) | (draw() % 0x38));  // below 1
    return made;
  };
  const auto q = codes(s.queries()), k = codes(s.cache()), v = codes(s.cache());
  const auto values = [&](const std::vector<uint8_t>& of, double scale) {
    std::vector<double> made;
    for (const uint8_t c : of) made.push_back(number(c) * scale);
    return made;
  };
  const example::Floats scale_q = {0.5f}, scale_k = {2.f}, scale_v = {1.5f};
  std::vector<uint16_t> out(s.queries());
  Dispatcher dispatcher(example::bundle());
  dispatcher.run(s.problem().dtype("fp8").qscale("pertensor"), {{"q", q}, {"k", k}, {"v", v}, {"out", out}, {"scale_q", scale_q}, {"scale_k", scale_k}, {"scale_v", scale_v}});
  example::Floats got;
  for (const uint16_t bits : out) {
    const uint32_t wide = uint32_t(bits) << 16;
    float f;
    std::memcpy(&f, &wide, 4);
    got.push_back(f);
  }
  example::same("fp8", got, example::attend(s, values(q, 0.5), values(k, 2.0), values(v, 1.5)).out, 0.02);
}
