#include "server/access.h"

#include <gtest/gtest.h>

namespace embd::server {
namespace {

TEST(Access, HostOnLoopbackIsLocalOrAnAddress) {
  const Access access = {.check_host = true, .hosts = {"embeddings.lan"}};
  for (const char* host : {"localhost", "LocalHost:8080", "a.localhost", "127.0.0.1", "127.0.0.1:1",
                           "[::1]:8080", "192.168.1.7", "embeddings.lan:80", ""})
    EXPECT_TRUE(access.host_allowed(host)) << host;
  for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8080",
                           "embeddings.lan.evil.example", "[::1].evil.example", "notlocalhost"})
    EXPECT_FALSE(access.host_allowed(host)) << host;
}

TEST(Access, HostIsNotAskedForElsewhere) {
  EXPECT_TRUE(Access{}.host_allowed("anything.example"));
}

TEST(Access, OriginIsOwnOrListed) {
  const Access access = {.origins = {"https://app.example"}};
  EXPECT_TRUE(access.origin_allowed("", "localhost:8080"));
  EXPECT_TRUE(access.origin_allowed("http://localhost:8080", "localhost:8080"));
  EXPECT_TRUE(access.origin_allowed("https://app.example", "localhost:8080"));
  EXPECT_FALSE(access.origin_allowed("http://localhost:8081", "localhost:8080"));
  EXPECT_FALSE(access.origin_allowed("https://evil.example", "localhost:8080"));
  EXPECT_FALSE(access.origin_allowed("null", "null"));
  EXPECT_TRUE((Access{.origins = {"*"}}.origin_allowed("https://any.example", "x")));
}

}  // namespace
}  // namespace embd::server
