#include "jobs/hub/url.h"

#include <gtest/gtest.h>

#include <utility>

namespace embd::hub {
namespace {

TEST(ResolvedUrl, IsThatOfRfc3986) {
  // The examples of section 5.4, without those whose scheme is none of ours and without fragments,
  // which are not sent.
  const std::pair<const char*, const char*> examples[] = {
      {"http://g/h", "http://g/h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q"},
      {"g#s", "http://a/b/c/g"},
      {"g?y#s", "http://a/b/c/g?y"},
      {";x", "http://a/b/c/;x"},
      {"g;x", "http://a/b/c/g;x"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {".g", "http://a/b/c/.g"},
      {"g..", "http://a/b/c/g.."},
      {"./../g", "http://a/b/g"},
      {"./g/.", "http://a/b/c/g/"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
      {"g?y/./x", "http://a/b/c/g?y/./x"},
      {"g?y/../x", "http://a/b/c/g?y/../x"},
  };
  for (const auto& [reference, expected] : examples)
    EXPECT_EQ(resolved_url("http://a/b/c/d;p?q", reference), expected) << reference;
}

TEST(ResolvedUrl, AQueryMayLookLikeAnAddress) {
  EXPECT_EQ(resolved_url("https://hub/a/b?c=/d/", "/store/x?from=https://hub/x"),
            "https://hub/store/x?from=https://hub/x");
  EXPECT_EQ(resolved_url("https://hub/a/b?c=/d/", "x?from=//y"), "https://hub/a/x?from=//y");
  EXPECT_EQ(resolved_url("http://hub", "x"), "http://hub/x");
}

TEST(Url, HasItsParts) {
  const auto url = parse_url("HTTPS://me:p%40ss@Hub.example:8443/a/b?c=@d#e");
  ASSERT_TRUE(url) << url.error().message();
  EXPECT_TRUE(url->is_encrypted);
  EXPECT_EQ(url->user, "me:p%40ss");
  EXPECT_EQ(url->host, "hub.example");
  EXPECT_EQ(url->port, "8443");
  EXPECT_EQ(url->target, "/a/b?c=@d");
  EXPECT_EQ(url->authority(), "hub.example:8443");
  EXPECT_EQ(parse_url("http://hub?x")->target, "/?x");
}

TEST(Url, AnIpv6AddressKeepsItsBracketsWhereItIsWritten) {
  const auto url = parse_url("http://[::1]:80/x");
  ASSERT_TRUE(url) << url.error().message();
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->endpoint(), "[::1]:80");
  EXPECT_EQ(url->authority(), "[::1]");
  EXPECT_EQ(parse_url("https://[2001:db8::2]")->endpoint(), "[2001:db8::2]:443");
  EXPECT_EQ(parse_url("https://[2001:db8::2]:80")->authority(), "[2001:db8::2]:80");
}

TEST(Url, OriginsAreEqualWhateverTheirForm) {
  const Url hub = *parse_url("https://Hub/x");
  EXPECT_TRUE(parse_url("https://hub:443/y?z")->has_origin_of(hub));
  for (const char* other : {"http://hub:443", "https://hub:444", "https://hub.com", "https://hu"})
    EXPECT_FALSE(parse_url(other)->has_origin_of(hub)) << other;
}

TEST(Url, WhatIsNoneIsRefusedWithoutItsPassword) {
  for (const char* text : {"", "http", "http:", "http:/x", "http://", "https:///x", "ftp://hub",
                           "//hub", "http://:80", "http://hub:x", "http://a:b:c", "http://[::1",
                           "http://[::1]x", "http://[", "http://[]", "file:///etc/passwd"})
    EXPECT_FALSE(parse_url(text)) << text;
  for (const char* text : {"socks5://me:secret@hub", "http://me:secret@hub:x",
                           "http://me:sec/ret@hub", "me:secret@hub"}) {
    const auto url = parse_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().message().find("ret"), std::string::npos) << url.error().message();
  }
}

TEST(Unescaped, HasTheBytes) {
  EXPECT_EQ(unescaped("p%40s%2fs%3A"), "p@s/s:");
  EXPECT_EQ(unescaped("100%"), "100%");
  EXPECT_EQ(unescaped("%4"), "%4");
  EXPECT_EQ(unescaped("%zz%-1%"), "%zz%-1%");
  EXPECT_EQ(unescaped("%C3%BC"), "ü");
}

}  // namespace
}  // namespace embd::hub
