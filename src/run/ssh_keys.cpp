#include "run/ssh_keys.hpp"

#include <openssl/core_names.h>
#include <openssl/encoder.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <memory>
#include <string>

#include "core/error.hpp"

namespace tidegate::run {
namespace {

struct KeyFree {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct EncoderFree {
  void operator()(OSSL_ENCODER_CTX* encoder) const { OSSL_ENCODER_CTX_free(encoder); }
};
struct NumberFree {
  void operator()(BIGNUM* number) const { BN_free(number); }
};

std::string privatePem(const EVP_PKEY* key) {
  const std::unique_ptr<OSSL_ENCODER_CTX, EncoderFree> encoder(
      OSSL_ENCODER_CTX_new_for_pkey(key, EVP_PKEY_KEYPAIR, "PEM", "type-specific", nullptr));
  unsigned char* data = nullptr;
  std::size_t length = 0;
  TIDEGATE_CHECK(encoder && OSSL_ENCODER_to_data(encoder.get(), &data, &length) == 1, "no PEM of an RSA key");
  std::string pem(reinterpret_cast<const char*>(data), length);
  OPENSSL_free(data);
  return pem;
}

// RFC 4251, 5: a length of four bytes, then the bytes.
void addString(std::string& out, const std::string& bytes) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(bytes.size() >> shift & 0xff);
  out += bytes;
}

// An mpint: big-endian, with a zero byte before a leading one bit.
void addNumber(std::string& out, const EVP_PKEY* key, const char* name) {
  BIGNUM* raw = nullptr;
  TIDEGATE_CHECK(EVP_PKEY_get_bn_param(key, name, &raw) == 1, "an RSA key without numbers");
  const std::unique_ptr<BIGNUM, NumberFree> number(raw);
  std::string bytes(static_cast<std::size_t>(BN_num_bytes(number.get())), '\0');
  BN_bn2bin(number.get(), reinterpret_cast<unsigned char*>(bytes.data()));
  if ((static_cast<unsigned char>(bytes.front()) & 0x80) != 0) bytes.insert(bytes.begin(), '\0');
  addString(out, bytes);
}

std::string base64(const std::string& bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

std::string publicLine(const EVP_PKEY* key) {
  std::string blob;
  addString(blob, "ssh-rsa");
  addNumber(blob, key, OSSL_PKEY_PARAM_RSA_E);
  addNumber(blob, key, OSSL_PKEY_PARAM_RSA_N);
  return "ssh-rsa " + base64(blob) + "\n";
}

}  // namespace

vcjob::SshKeys makeSshKeys() {
  const std::unique_ptr<EVP_PKEY, KeyFree> key(EVP_RSA_gen(2048));
  TIDEGATE_CHECK(key != nullptr, "OpenSSL makes no RSA key");
  return {.privateKey = privatePem(key.get()), .publicKey = publicLine(key.get())};
}

}  // namespace tidegate::run
