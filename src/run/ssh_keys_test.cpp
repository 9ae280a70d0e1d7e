#include "run/ssh_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>

#include <memory>

namespace tidegate::run {
namespace {

TEST(SshKeys, ArePkcs1AndAnAuthorizedKeysLine) {
  const vcjob::SshKeys keys = makeSshKeys();
  EXPECT_THAT(keys.privateKey, testing::StartsWith("-----BEGIN RSA PRIVATE KEY-----\n"));
  // The type, an exponent of 65537 and a modulus of 257 bytes begin the same in every such key.
  EXPECT_THAT(keys.publicKey, testing::StartsWith("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ"));
  EXPECT_EQ(keys.publicKey.back(), '\n');
}

TEST(SshKeys, ThePrivateKeyReadsBack) {
  const vcjob::SshKeys keys = makeSshKeys();
  BIO* text = BIO_new_mem_buf(keys.privateKey.data(), static_cast<int>(keys.privateKey.size()));
  EVP_PKEY* key = PEM_read_bio_PrivateKey(text, nullptr, nullptr, nullptr);
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(EVP_PKEY_get_bits(key), 2048);
  EVP_PKEY_free(key);
  BIO_free(text);
}

TEST(SshKeys, AreFresh) {
  EXPECT_NE(makeSshKeys().publicKey, makeSshKeys().publicKey);
}

}  // namespace
}  // namespace tidegate::run
