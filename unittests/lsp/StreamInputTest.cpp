// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/StreamInput.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace qdadvise;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

struct Heard {
  std::vector<std::string> messages, faults;
};

/// What comes out of a stream of these bytes.
Heard heardOf(const std::string &bytes) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  EXPECT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::close(ends[1]);
  Heard heard;
  StreamInput input(
      ends[0], [&](const std::string &fault) { heard.faults.push_back(fault); }, [] {});
  while (!input.isEndOfInput()) {
    std::string json;
    if (llvm::succeeded(input.readMessage(json)))
      heard.messages.push_back(json);
  }
  ::close(ends[0]);
  return heard;
}

std::string framed(const std::string &json) {
  return "Content-Length: " + std::to_string(json.size()) + "\r\n\r\n" + json;
}

const std::string good = R"({"jsonrpc":"2.0","method":"exit"})";

TEST(StreamInput, PassesMessagesOn) {
  const Heard heard =
      heardOf(framed(good) + "Content-Type: x\r\ncontent-length: " + std::to_string(good.size()) +
              "\r\n\r\n" + good);
  EXPECT_THAT(heard.messages, ElementsAre(good, good));
  EXPECT_TRUE(heard.faults.empty());
}

TEST(StreamInput, SkipsWhatTheTransportWouldEndOn) {
  for (const char *bad : {"{", "[]", "7", R"({"method":"x"})", R"({"jsonrpc":"1.0","method":"x"})",
                          R"({"jsonrpc":"2.0"})", ""}) {
    const Heard heard = heardOf(framed(bad) + framed(good));
    EXPECT_THAT(heard.messages, ElementsAre(good)) << bad;
    EXPECT_EQ(heard.faults.size(), 1U) << bad;
  }
}

TEST(StreamInput, SkipsBadHeaders) {
  for (const char *bad :
       {"Content-Type: x\r\n\r\n", "Content-Length: -4\r\n\r\n", "Content-Length: many\r\n\r\n"}) {
    const Heard heard = heardOf(bad + framed(good));
    EXPECT_THAT(heard.messages, ElementsAre(good)) << bad;
    EXPECT_FALSE(heard.faults.empty()) << bad;
  }
  EXPECT_THAT(heardOf(std::string(20000, 'x') + "\r\n\r\n" + framed(good)).messages,
              ElementsAre(good));
}

TEST(StreamInput, TakesNoMemoryForAMessageThatIsTooLong) {
  const Heard heard = heardOf("Content-Length: 18446744073709551615\r\n\r\nx");
  EXPECT_TRUE(heard.messages.empty());
}

TEST(StreamInput, SkipsWhatIsTooDeepToParse) {
  const Heard heard = heardOf(framed(std::string(30000, '[')) + framed(good));
  EXPECT_THAT(heard.messages, ElementsAre(good));
  EXPECT_THAT(heard.faults, ElementsAre(HasSubstr("200 brackets")));
  EXPECT_EQ(faultOf(R"({"jsonrpc":"2.0","method":"[[[[\"[[[["})"), "");
}

TEST(StreamInput, EndsWithinAMessage) {
  EXPECT_TRUE(heardOf("Content-Length: 100\r\n\r\n{").messages.empty());
  EXPECT_TRUE(heardOf("Content-Le").messages.empty());
}

} // namespace
