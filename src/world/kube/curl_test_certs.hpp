// For tests: a certificate authority that lives in memory, and certificates of it.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

#include "core/error.hpp"

namespace tidegate::kube {

struct TestCertificate {
  std::string certificate;  // PEM
  std::string key;          // PEM
};

class TestAuthority {
 public:
  TestAuthority() : key_(makeKey()) {
    static int number = 0;
    certificate_ = make("test-authority-" + std::to_string(++number), *key_, "");
  }

  std::string pem() const { return pemOf(*certificate_); }
  // `names`: a subjectAltName as OpenSSL writes it ("IP:127.0.0.1,DNS:h"); empty: none.
  TestCertificate issue(const std::string& commonName, const std::string& names) const {
    const Key key = makeKey();
    return {.certificate = pemOf(*make(commonName, *key, names)), .key = pemOf(*key)};
  }

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
    void operator()(BIO* bio) const { BIO_free(bio); }
  };
  using Key = std::unique_ptr<EVP_PKEY, Free>;
  using Certificate = std::unique_ptr<X509, Free>;
  using Bio = std::unique_ptr<BIO, Free>;

  static Key makeKey() { return Key(EVP_EC_gen("P-256")); }

  static std::string textOf(BIO& bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(&bio, &data);
    return {data, static_cast<std::size_t>(size)};
  }
  static std::string pemOf(X509& certificate) {
    const Bio bio(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(bio.get(), &certificate);
    return textOf(*bio);
  }
  static std::string pemOf(EVP_PKEY& key) {
    const Bio bio(BIO_new(BIO_s_mem()));
    PEM_write_bio_PrivateKey(bio.get(), &key, nullptr, nullptr, 0, nullptr, nullptr);
    return textOf(*bio);
  }
  static void extend(X509& certificate, int which, const std::string& value) {
    const std::unique_ptr<X509_EXTENSION, Free> extension(
        X509V3_EXT_conf_nid(nullptr, nullptr, which, value.c_str()));
    TIDEGATE_CHECK(extension != nullptr, "OpenSSL does not like " + value);
    X509_add_ext(&certificate, extension.get(), -1);
  }

  // Signed by this authority; its own certificate by itself.
  Certificate make(const std::string& commonName, EVP_PKEY& key, const std::string& names) const {
    static int serial = 0;
    Certificate out(X509_new());
    X509_set_version(out.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(out.get()), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(out.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(out.get()), 3600);
    X509_set_pubkey(out.get(), &key);
    X509_NAME* subject = X509_get_subject_name(out.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(commonName.c_str()), -1, -1, 0);
    const bool own = certificate_ == nullptr;
    X509_set_issuer_name(out.get(), own ? subject : X509_get_subject_name(certificate_.get()));
    extend(*out, NID_basic_constraints, own ? "critical,CA:TRUE" : "CA:FALSE");
    if (!names.empty()) extend(*out, NID_subject_alt_name, names);
    X509_sign(out.get(), key_.get(), EVP_sha256());
    return out;
  }

  Key key_;
  Certificate certificate_;
};

}  // namespace tidegate::kube
