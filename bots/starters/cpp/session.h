// Keeps a bot in a hosted match when its connection breaks: resumes the session on a new stream
// (seat.proto, "When the connection breaks"). A bot that bowerbird itself started ends with its stream.
#pragma once
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>

#include <grpcpp/grpcpp.h>
#include "bowerbird/seat/v1/seat.grpc.pb.h"

// A session with the referee, over one stream after another.
class Session {
 public:
  Session(std::shared_ptr<grpc::Channel> channel, harness::v1::Hello hello)
      : channel_(channel), stub_(harness::v1::SeatService::NewStub(channel)), hello_(std::move(hello)) {
    dial();
  }

  // For a referee on another machine: detect a broken connection and retry soon.
  static void remote(grpc::ChannelArguments& arguments) {
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 2'000);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
  }

  // A message sent on a stream that has just broken is lost: the referee will ask again.
  void say(const harness::v1::PlayRequest& message) { stream_->Write(message); }

  void leave() { stream_->WritesDone(); }

  // Waits for the referee's next message, over a new stream if necessary; returns false when the session is over. The
  // referee repeats what may not have arrived, so derive answers from table and decision alone, as in main.cpp.
  bool hear(harness::v1::PlayResponse& said) {
    harness::v1::PlayResponse refusal;
    while (!is_refused_) {
      if (!stream_->Read(&said)) {
        status_ = stream_->Finish();
        if (!may_come_back()) break;
        refusal.Clear();
        std::this_thread::sleep_for(std::chrono::milliseconds(250));
        // The channel connects while a call waits for it, not while we sleep.
        channel_->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(1));
        dial();
      } else if (is_lost_ && said.error().fatal()) {
        refusal = said;  // it has not noticed the broken stream yet, or the session is over
      } else if (is_lost_) {
        is_lost_ = false;  // this Welcome needs no Ready
        std::cerr << "the session with the referee goes on" << std::endl;
      } else {
        note(said);
        return true;
      }
    }
    said = refusal;
    return is_refused_ = refusal.has_error();  // no message follows
  }

  // Why the last stream ended.
  const grpc::Status& status() const { return status_; }

 private:
  void dial() {
    stream_.reset();  // its context must outlive it
    context_ = std::make_unique<grpc::ClientContext>();
    stream_ = stub_->Play(context_.get());
    harness::v1::PlayRequest first;
    *first.mutable_hello() = hello_;
    say(first);
  }

  void note(const harness::v1::PlayResponse& said) {
    if (!said.welcome().session_secret().empty()) {
      hello_.clear_token();
      hello_.set_session_secret(said.welcome().session_secret());
      kept_ = std::chrono::milliseconds(said.welcome().resume_ms());
    }
    if (said.has_decision_requests()) open_ = std::chrono::milliseconds(said.decision_requests().deadline_ms());
    if (said.has_goodbye()) hello_.clear_session_secret();  // there is nothing to resume
  }

  bool may_come_back() {
    const auto now = std::chrono::steady_clock::now();
    if (!std::exchange(is_lost_, true)) lost_at_ = now;
    return !hello_.session_secret().empty() && now < lost_at_ + std::max(kept_, open_);
  }

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<harness::v1::SeatService::Stub> stub_;
  harness::v1::Hello hello_;
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientReaderWriter<harness::v1::PlayRequest, harness::v1::PlayResponse>> stream_;
  grpc::Status status_;
  std::chrono::milliseconds kept_{0}, open_{0};  // how long the referee keeps our seats and awaits an answer
  std::chrono::steady_clock::time_point lost_at_;
  bool is_lost_ = false, is_refused_ = false;
};
