#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/optional.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace embd::server {

/// A type of body for Boost.Beast that consists of several strings. They are sent one after the
/// other, without being joined in memory.
struct PartsBody {
  using value_type = std::vector<std::string>;

  static std::uint64_t size(const value_type& parts) noexcept {
    std::uint64_t bytes = 0;
    for (const auto& part : parts) bytes += part.size();
    return bytes;
  }

  class writer {
   public:
    using const_buffers_type = std::vector<boost::asio::const_buffer>;

    template <bool is_request, class Fields>
    writer(const boost::beast::http::header<is_request, Fields>&, const value_type& parts)
        : parts_(parts) {}
    void init(boost::system::error_code& error) { error = {}; }
    boost::optional<std::pair<const_buffers_type, bool>> get(boost::system::error_code& error) {
      error = {};
      const_buffers_type buffers;
      for (const auto& part : parts_)
        if (!part.empty()) buffers.emplace_back(part.data(), part.size());
      if (buffers.empty()) return boost::none;
      return {{std::move(buffers), false}};
    }

   private:
    const value_type& parts_;
  };
};

}  // namespace embd::server
