// Keeps a bot in a hosted match when its connection breaks: calls Play again
// (seat.proto, "When the connection breaks"). A bot that bowerbird itself started ends with its stream.
#pragma once
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <grpcpp/grpcpp.h>
#include "bowerbird/seat/v1/seat.grpc.pb.h"

// A session with the referee, over one stream after another.
class Session {
  using Hello = bowerbird::seat::v1::Hello;
  using PlayRequest = bowerbird::seat::v1::PlayRequest;
  using PlayResponse = bowerbird::seat::v1::PlayResponse;
  using SeatService = bowerbird::seat::v1::SeatService;
  using Stream = grpc::ClientReaderWriter<PlayRequest, PlayResponse>;
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::milliseconds;
  static constexpr Milliseconds GREETING{20'000};  // for which a bot on another machine tries to get its first Welcome
  static constexpr Milliseconds PAUSE{250};        // before another stream

 public:
  Session(std::shared_ptr<grpc::Channel> channel, Hello hello, bool is_remote)
      : channel_(channel), stub_(SeatService::NewStub(channel)), hello_(std::move(hello)), redials_(is_remote) {}

  // For a referee on another machine: detect a broken connection and retry soon (seat.proto, "Keepalive").
  static void remote(grpc::ChannelArguments& arguments) {
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5'000);
    arguments.SetInt("grpc.http2.ping_timeout_ms", 5'000);  // otherwise a minute, in later versions
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 2'000);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
  }

  // Waits for the referee's next message, over a new stream if necessary; returns false when the session is over. The
  // referee repeats what may not have arrived, so derive answers from table and decision alone, as in main.cpp.
  bool hear(PlayResponse& said) {
    while (!receive(said)) {
      status_ = stream_->Finish();
      stream_.reset();
      if (!may_come_back()) return false;
      std::this_thread::sleep_for(std::exchange(wait_, PAUSE));
      // The channel connects while a call waits for it, not while we sleep.
      channel_->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(1));
    }
    note(said);
    return true;
  }

  // A message sent on a stream that has just broken is lost: the referee will ask again.
  void say(const PlayRequest& message) { stream_->Write(message); }

  // Closes our side of the stream after a Goodbye and waits until the referee has closed its own.
  void leave() {
    PlayResponse ignored;
    for (stream_->WritesDone(); stream_->Read(&ignored);) continue;
    stream_->Finish();
  }

  // Whether any Welcome has arrived.
  bool is_welcomed() const { return is_welcomed_; }

  // Why the last stream ended.
  const grpc::Status& status() const { return status_; }

 private:
  bool receive(PlayResponse& said) {
    if (!stream_) {
      context_ = std::make_unique<grpc::ClientContext>();  // no deadline: a stream lasts as long as the run
      stream_ = stub_->Play(context_.get());
      PlayRequest first;
      *first.mutable_hello() = hello_;
      say(first);
    }
    return stream_->Read(&said);
  }

  void note(const PlayResponse& said) {
    if (said.has_welcome()) {
      if (!hello_.session_secret().empty()) std::cerr << "the session with the referee continues" << std::endl;
      hello_.clear_token();
      hello_.set_session_secret(said.welcome().session_secret());
      redials_ = !said.welcome().session_secret().empty();
      kept_ = Milliseconds(said.welcome().resume_ms());
      lost_.reset();
      is_welcomed_ = true;
    }
    if (said.has_decision_requests()) due_ = Clock::now() + Milliseconds(said.decision_requests().remaining_ms());
    if (said.error().fatal()) {  // main.cpp dials again only if it is retryable
      wait_ = std::max(PAUSE, Milliseconds(said.error().retry_after_ms()));
      context_->TryCancel();
    }
  }

  bool may_come_back() {
    const auto now = Clock::now();
    if (!lost_) lost_ = now;
    // What gRPC says when it does not trust the referee's certificate, and when it cannot read the one to trust.
    const auto says = [&](const char* words) { return status_.error_message().find(words) != std::string::npos; };
    const bool is_untrusted = !is_welcomed_ && (says("certificate") || says("empty address list"));
    return redials_ && !is_untrusted && now < std::max(*lost_ + kept_, due_);
  }

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<SeatService::Stub> stub_;
  Hello hello_;
  bool redials_;  // whether another stream may follow: before the first Welcome over TLS, then with a secret
  Milliseconds kept_ = GREETING;           // how long after a break another stream may follow
  Clock::time_point due_;                  // or until the referee's last requests are due, if that is later
  std::optional<Clock::time_point> lost_;  // when we lost the stream; nothing while we have one
  Milliseconds wait_ = PAUSE;              // before the next stream
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<Stream> stream_;  // nothing while there is none
  grpc::Status status_;
  bool is_welcomed_ = false;
};
