// Clients of every speed, on real sockets: who is slow is let go, and holds no more than it has
// sent or been sent. What the bytes of a request may be is serve_test.py's.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <thread>

#include "base/os/file_descriptor.h"
#include "faces/server/server.h"

namespace embd::server {
namespace {

using std::chrono::milliseconds;

class Client {
 public:
  /// `receive_buffer`: how much the system takes for it; 0: what the system likes.
  explicit Client(std::uint16_t port, int receive_buffer = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer > 0)
      setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
  }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  void post(std::string_view path, const std::string& body) {
    send(
        fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}"
                    "\r\n\r\n{}",
                    path, body.size(), body));
  }
  /// Until the server closes.
  std::string receive() {
    std::string all;
    char piece[65536];
    for (;;) {
      pollfd wait = {.fd = socket_.get(), .events = POLLIN, .revents = 0};
      if (poll(&wait, 1, 60'000) <= 0) return "nothing comes";
      const auto bytes = recv(socket_.get(), piece, sizeof piece, 0);
      if (bytes <= 0) return all;
      all.append(piece, static_cast<std::size_t>(bytes));
    }
  }

 private:
  FileDescriptor socket_;
};

std::string status_of(const std::string& answer) {
  return answer.substr(0, answer.find("\r\n"));
}

Models only_model() {
  Models models;
  EXPECT_TRUE(models.add(Model::open(EMBD_TEST_DATA "/embd/plain.weights").value()));
  return models;
}

class ConnectionTest : public testing::Test {
 protected:
  static Limits limits_of(milliseconds header_time, milliseconds idle_time) {
    Limits limits;
    limits.header_time = header_time;
    limits.idle_time = idle_time;
    limits.memory_bytes = std::size_t{16} << 20;
    return limits;
  }
  static constexpr std::chrono::seconds soon_over{1};
  static constexpr std::chrono::seconds long_enough{300};  // on a machine of whatever load

  explicit ConnectionTest(const Limits& limits = limits_of(long_enough, long_enough))
      : service_(only_model(), {.limits = limits}) {
    std::promise<std::uint16_t> listening;
    auto port = listening.get_future();
    thread_ = std::thread([this, &listening] {
      const auto served = serve(service_, {.port = 0}, [&](const std::string& url) {
        listening.set_value(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
      });
      EXPECT_TRUE(served);
    });
    port_ = port.get();
  }
  ~ConnectionTest() override {
    kill(getpid(), SIGTERM);  // which a server takes as its end
    thread_.join();
  }

  bool soon(const std::function<bool()>& holds) {
    for (int i = 0; i < 3000 && !holds(); ++i) std::this_thread::sleep_for(milliseconds(10));
    return holds();
  }
  /// All of it can be had.
  bool memory_is_free() {
    return service_.memory().take(service_.limits().memory_bytes).has_value();
  }
  static std::string tokenize_body(std::size_t words) {
    std::string body = R"({"inputs":")";
    for (std::size_t i = 0; i < words; ++i) body += "a ";
    return body + "\"}";
  }

  Service service_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

class SlowRequestTest : public ConnectionTest {
 protected:
  SlowRequestTest() : ConnectionTest(limits_of(soon_over, long_enough)) {}
};

class IdleClientTest : public ConnectionTest {
 protected:
  IdleClientTest() : ConnectionTest(limits_of(long_enough, soon_over)) {}
};

TEST_F(SlowRequestTest, AHeaderThatComesTooSlowlyIsAnsweredSo) {
  Client client(port_);
  client.send("POST /embed HTTP/1.1\r\nHost: a");
  EXPECT_EQ(status_of(client.receive()), "HTTP/1.1 408 Request Timeout");
}

TEST_F(SlowRequestTest, ABodyThatComesTooSlowlyIsAnsweredSoInTheFormOfItsRoute) {
  Client client(port_);
  client.send("POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"inputs\":");
  const std::string answer = client.receive();
  EXPECT_EQ(status_of(answer), "HTTP/1.1 408 Request Timeout");
  EXPECT_NE(answer.find("\"error_type\""), std::string::npos) << answer;
}

TEST_F(SlowRequestTest, WhoSendsNothingIsLetGoWithoutAnAnswer) {
  Client client(port_);
  EXPECT_EQ(client.receive(), "");
}

TEST_F(IdleClientTest, WhoSendsNothingMoreIsLetGoWithoutAnAnswer) {
  Client client(port_);
  client.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(client.receive().ends_with("{\"status\":\"ok\"}"));
}

TEST_F(IdleClientTest, WhoTakesNothingOfAnAnswerIsLetGo) {
  Client client(port_, 4096);
  // Longer than what the system buffers.
  client.post("/tokenize", tokenize_body(200'000));
  ASSERT_TRUE(soon([&] {
    return service_.metrics().render({}).find(
               R"(embd_requests_total{route="POST /tokenize",status="200"} 1)") !=
           std::string::npos;
  }));
  EXPECT_FALSE(memory_is_free());
  EXPECT_TRUE(soon([&] { return service_.connections() == 0; }));
  EXPECT_TRUE(memory_is_free());
}

TEST_F(ConnectionTest, AnAnnouncedBodyTakesNoMemoryFromOthers) {
  std::vector<std::unique_ptr<Client>> announcers;
  for (int i = 0; i < 8; ++i) {
    announcers.push_back(std::make_unique<Client>(port_));
    announcers.back()->send(
        fmt::format("POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{{",
                    service_.limits().body_bytes));
  }
  Client client(port_);
  client.post("/embed", R"({"inputs":"a cat"})");
  EXPECT_EQ(status_of(client.receive()), "HTTP/1.1 200 OK");
}

TEST_F(ConnectionTest, BodiesShareTheMemory) {
  auto most = service_.memory().take(service_.limits().memory_bytes - 100'000);
  ASSERT_TRUE(most);
  Client client(port_);
  client.post("/embed", "{\"inputs\":\"a\"" + std::string(500'000, ' ') + "}");
  const std::string answer = client.receive();
  EXPECT_EQ(status_of(answer), "HTTP/1.1 429 Too Many Requests");
  EXPECT_NE(answer.find("Retry-After"), std::string::npos);
}

TEST_F(ConnectionTest, AnswersShareTheMemory) {
  auto most = service_.memory().take(service_.limits().memory_bytes - 1'000'000);
  ASSERT_TRUE(most);
  Client client(port_);
  client.post("/tokenize", tokenize_body(100'000));
  EXPECT_EQ(status_of(client.receive()), "HTTP/1.1 429 Too Many Requests");
  Client health(port_);
  health.send("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(status_of(health.receive()), "HTTP/1.1 200 OK");
}

}  // namespace
}  // namespace embd::server
