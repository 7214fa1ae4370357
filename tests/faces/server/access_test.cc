#include "faces/server/access.h"

#include <gtest/gtest.h>

namespace embd::server {
namespace {

TEST(Access, HostOnLoopbackIsLocalOrAnAddress) {
  const Access access = {.check_host = true, .hosts = {"Embeddings.lan"}};
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

TEST(Access, RefusesWhatNoRequestCanName) {
  for (const char* host : {"embeddings.lan", "Embeddings.LAN", "10.0.0.1", "a_b"})
    EXPECT_TRUE(Access{.hosts = {host}}.check()) << host;
  for (const char* host : {"", "http://embeddings.lan", "embeddings.lan:8080", "a/b", "a b"})
    EXPECT_FALSE(Access{.hosts = {host}}.check()) << host;
  for (const char* origin : {"*", "null", "https://app.example", "http://localhost:3000",
                             "http://[::1]:3000", "moz-extension://0a-1b"})
    EXPECT_TRUE(Access{.origins = {origin}}.check()) << origin;
  for (const char* origin :
       {"", "app.example", "https://", "https://app.example/", "https://App.example",
        "https://app.example:443", "http://app.example:80", "://app.example", "https://a b"})
    EXPECT_FALSE(Access{.origins = {origin}}.check()) << origin;
}

}  // namespace
}  // namespace embd::server
