// A fresh key pair for the ssh plugin of a vcjob: RSA of 2048 bits, the private key as PKCS #1 PEM, the
// public one as a line of authorized_keys (RFC 4253, 6.6), which every sshd understands.
#pragma once

#include "controllers/vcjob_plugins.hpp"

namespace tidegate::run {

// Takes some 50 ms.
vcjob::SshKeys makeSshKeys();

}  // namespace tidegate::run
