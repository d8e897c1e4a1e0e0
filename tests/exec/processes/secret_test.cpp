// SPDX-License-Identifier: MIT
#include "exec/processes/secret.hpp"

#include <fstream>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/processes/launch.hpp"
#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

using testing::AllOf;
using testing::HasSubstr;

bool same(const Secret& a, const Secret& b) {
  const Nonce nonce = sha256({});
  return a.proof(Secret::End::accepting, nonce, nonce) ==
         b.proof(Secret::End::accepting, nonce, nonce);
}

template <class Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

/// A folder for files, and an environment that points to it.
class SecretTest : public testing::Test {
 protected:
  SecretTest() {
    setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
    unsetenv(kSecretVariable);
  }
  ~SecretTest() override {
    unsetenv("XDG_RUNTIME_DIR");
    unsetenv(kSecretVariable);
    std::filesystem::remove_all(folder_);
  }
  std::filesystem::path write(const std::string& text) {
    const std::filesystem::path path = folder_ / "secret";
    std::ofstream(path) << text;
    return path;
  }
  std::filesystem::path of_user() const {
    return folder_ / ("paceline-" + std::to_string(getuid()) + ".secret");
  }
  std::filesystem::path folder_ = [] {
    std::string name = std::filesystem::temp_directory_path() / "paceline-secret-XXXXXX";
    return std::filesystem::path(mkdtemp(name.data()));
  }();
};

TEST_F(SecretTest, ByDefaultNoOtherProcessHasIt) {
  EXPECT_FALSE(same(Secret(), Secret()));
  EXPECT_NE(random_nonce(), random_nonce());
}

TEST_F(SecretTest, ProofsDependOnBothNoncesAndOnTheEnd) {
  const Secret secret("a shared text");
  const Nonce a = random_nonce();
  const Nonce b = random_nonce();
  const Digest proof = secret.proof(Secret::End::accepting, a, b);
  EXPECT_EQ(proof, Secret("a shared text").proof(Secret::End::accepting, a, b));
  EXPECT_NE(proof, secret.proof(Secret::End::connecting, a, b));
  EXPECT_NE(proof, secret.proof(Secret::End::accepting, b, a));
  EXPECT_NE(proof, secret.proof(Secret::End::accepting, a, a));
  EXPECT_NE(proof, Secret("another text").proof(Secret::End::accepting, a, b));
}

TEST_F(SecretTest, OfAFileTheLineBreakAtItsEndDoesNotCount) {
  const Secret one = Secret::of_file(write("0123456789abcdef"));
  EXPECT_TRUE(same(one, Secret::of_file(write("0123456789abcdef \r\n"))));
  EXPECT_FALSE(same(one, Secret::of_file(write("0123456789abcdee"))));
}

TEST_F(SecretTest, ShortAndMissingFilesAreErrors) {
  EXPECT_THAT(error_of([&] { Secret::of_file(write("short\n")); }),
              HasSubstr("' has 5 bytes, expected at least 16"));
  EXPECT_THAT(error_of([&] { Secret::of_file(write("")); }), HasSubstr("has 0 bytes"));
  EXPECT_THAT(error_of([&] { Secret::of_file(folder_ / "absent"); }),
              AllOf(HasSubstr("cannot read the secret in '"), HasSubstr("No such file")));
}

TEST_F(SecretTest, ProcessesOfOneUserShareTheirs) {
  std::vector<std::future<Secret>> secrets;
  for (int i = 0; i < 8; ++i) {
    secrets.push_back(std::async(std::launch::async, [] { return Secret::of_user(); }));
  }
  const Secret one = Secret::of_user();
  for (auto& other : secrets) EXPECT_TRUE(same(one, other.get()));
  struct stat file {};
  ASSERT_EQ(stat(of_user().c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777U, 0600U);
  const auto files = std::filesystem::directory_iterator(folder_);
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);  // no temporary files
}

TEST_F(SecretTest, AFileThatOthersCanReadIsNoSecretOfTheUser) {
  Secret::of_user();
  chmod(of_user().c_str(), 0644);
  EXPECT_THAT(error_of([] { Secret::of_user(); }),
              HasSubstr("is not a file that only this user can read"));
  std::filesystem::remove(of_user());
  std::filesystem::create_symlink(write("0123456789abcdef"), of_user());
  EXPECT_THAT(error_of([] { Secret::of_user(); }), HasSubstr("is not a file"));
}

TEST_F(SecretTest, AGroupTakesItsFileThenTheEnvironmentThenThatOfTheUser) {
  const Endpoint here{"127.0.0.1", 7700};
  const Endpoint there{"10.0.0.1", 7700};
  EXPECT_THAT(
      error_of([&] { secret_of_group("", there); }),
      AllOf(HasSubstr("'10.0.0.1:7700' is reached over the network"), HasSubstr("--secret-file")));
  EXPECT_THAT(error_of([&] { secret_of_group("", {"a.name", 7700}); }), HasSubstr("network"));
  EXPECT_TRUE(same(secret_of_group("", here), Secret::of_user()));
  EXPECT_TRUE(same(secret_of_group("", {"::1", 7700}), Secret::of_user()));
  EXPECT_TRUE(same(secret_of_group("", {"localhost", 7700}), Secret::of_user()));
  setenv(kSecretVariable, "a text of the environment", 1);
  EXPECT_TRUE(same(secret_of_group("", there), Secret("a text of the environment")));
  const std::filesystem::path file = write("a text of a file");
  EXPECT_TRUE(same(secret_of_group(file, there), Secret("a text of a file")));
  setenv(kSecretVariable, "short", 1);
  EXPECT_THAT(error_of([&] { secret_of_group("", there); }),
              HasSubstr("PACELINE_SECRET has 5 bytes"));
}

}  // namespace
}  // namespace paceline
