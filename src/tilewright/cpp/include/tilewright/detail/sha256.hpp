/* SHA-256 of bytes, as 64 hexadecimal digits. */
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

namespace tilewright::detail {

/* Adds 64 bytes to the state `h`. The variables of a round change their places from one round to the next; eight rounds
 * are written out, so that no value is moved. */
inline void sha256_block(uint32_t* h, const unsigned char* data) {
  static const uint32_t k[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
      0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
      0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
      0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
      0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
      0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
      0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  auto turn = [](uint32_t x, int n) { return x >> n | x << (32 - n); };
  uint32_t w[64];
  for (size_t i = 0; i < 16; i++, data += 4)
    w[i] = static_cast<uint32_t>(data[0]) << 24 | static_cast<uint32_t>(data[1]) << 16 | static_cast<uint32_t>(data[2]) << 8 | data[3];
  for (size_t i = 16; i < 64; i++) {
    const uint32_t x = w[i - 15], y = w[i - 2];
    w[i] = w[i - 16] + (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + w[i - 7] + (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
  }
  uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], last = h[7];
  auto round = [&](uint32_t p, uint32_t q, uint32_t r, uint32_t& s, uint32_t t, uint32_t u, uint32_t v, uint32_t& x, size_t i)
      __attribute__((always_inline)) {
    x += (turn(t, 6) ^ turn(t, 11) ^ turn(t, 25)) + (v ^ (t & (u ^ v))) + k[i] + w[i];
    s += x;
    x += (turn(p, 2) ^ turn(p, 13) ^ turn(p, 22)) + ((p & q) | (r & (p | q)));
  };
  for (size_t i = 0; i < 64; i += 8) {
    round(a, b, c, d, e, f, g, last, i);
    round(last, a, b, c, d, e, f, g, i + 1);
    round(g, last, a, b, c, d, e, f, i + 2);
    round(f, g, last, a, b, c, d, e, i + 3);
    round(e, f, g, last, a, b, c, d, i + 4);
    round(d, e, f, g, last, a, b, c, i + 5);
    round(c, d, e, f, g, last, a, b, i + 6);
    round(b, c, d, e, f, g, last, a, i + 7);
  }
  const uint32_t made[8] = {a, b, c, d, e, f, g, last};
  for (size_t i = 0; i < 8; i++) h[i] += made[i];
}
inline std::string sha256(const std::string& bytes) {
  uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const size_t whole = bytes.size() / 64 * 64;
  std::string tail = bytes.substr(whole);
  tail += static_cast<char>(0x80);
  while (tail.size() % 64 != 56) tail += '\0';
  const uint64_t bits = static_cast<uint64_t>(bytes.size()) * 8;
  for (int i = 7; i >= 0; i--) tail += static_cast<char>(bits >> (8 * i));
  for (size_t at = 0; at < whole; at += 64) sha256_block(h, reinterpret_cast<const unsigned char*>(bytes.data()) + at);
  for (size_t at = 0; at < tail.size(); at += 64) sha256_block(h, reinterpret_cast<const unsigned char*>(tail.data()) + at);
  char out[65];
  for (int i = 0; i < 8; i++) std::snprintf(out + 8 * i, 9, "%08x", h[i]);
  return out;
}

}  // namespace tilewright::detail
