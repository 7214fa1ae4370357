#include "base/os/sockets.h"

#include <gtest/gtest.h>

#if !defined(_WIN32)
#include <sys/socket.h>
#include <unistd.h>
#endif

namespace embd::os {
namespace {

TEST(SocketsTest, TellsAddressesFromNames) {
  EXPECT_TRUE(is_ip4_address("127.0.0.1"));
  EXPECT_FALSE(is_ip4_address("127.0.0.1.example"));
  EXPECT_FALSE(is_ip4_address("::1"));
  EXPECT_TRUE(is_ip6_address("::1"));
  EXPECT_FALSE(is_ip6_address("[::1]"));
}

#if !defined(_WIN32)  // the functions that make sockets have other types
TEST(SocketsTest, SaysWhetherThePeerHasLeft) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const FileDescriptor mine(ends[0]);
  FileDescriptor peer(ends[1]);
  EXPECT_EQ(family_of(mine.get()), SocketFamily::other);
  EXPECT_FALSE(has_peer_left(mine.get()));
  ASSERT_EQ(::send(peer.get(), "x", 1, 0), 1);
  ASSERT_TRUE(peer.close());
  EXPECT_FALSE(has_peer_left(mine.get())) << "before what it sent is read";
  char byte = 0;
  ASSERT_EQ(::recv(mine.get(), &byte, 1, 0), 1);
  EXPECT_TRUE(has_peer_left(mine.get()));
}

TEST(SocketsTest, FamilyOfAnInternetSocket) {
  const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
  ASSERT_TRUE(socket.is_open());
  EXPECT_EQ(family_of(socket.get()), SocketFamily::ip4);
}
#endif

}  // namespace
}  // namespace embd::os
