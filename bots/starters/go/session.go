// Keeps a bot in a hosted match when its connection breaks: resumes the session on a new stream
// (seat.proto, "When the connection breaks"). A bot that bowerbird itself started ends with its stream.
package main

import (
	"context"
	"log"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/keepalive"
	pb "randombot/target/bowerbird/seat/v1"
)

// For a referee on another machine: detect a broken connection and retry soon.
var remote = []grpc.DialOption{
	grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 10 * time.Second}),
	grpc.WithConnectParams(grpc.ConnectParams{
		Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, MaxDelay: 500 * time.Millisecond},
		MinConnectTimeout: 2 * time.Second,
	}),
}

// A session with the referee, over one stream after another.
type session struct {
	client pb.SeatServiceClient
	hello  *pb.Hello
	stream pb.SeatService_PlayClient
	kept   uint32    // milliseconds for which the referee keeps our seats
	open   uint32    // milliseconds in which it awaits the answer to its last requests
	lost   time.Time // when we lost the stream; zero while we have one
}

// Starts a stream.
func (s *session) dial() error {
	stream, err := s.client.Play(context.Background(), grpc.MaxCallRecvMsgSize(1<<30))
	if err == nil {
		s.stream = stream
		s.say(&pb.PlayRequest{Message: &pb.PlayRequest_Hello{Hello: s.hello}})
	}
	return err
}

// A message sent on a stream that has just broken is lost: the referee will ask again.
func (s *session) say(message *pb.PlayRequest) {
	s.stream.Send(message)
}

// Waits for the referee's next message, over a new stream if necessary; returns an error when the session is over.
// The referee repeats what may not have arrived, so derive answers from table and decision alone, as in main.go.
func (s *session) hear() (*pb.PlayResponse, error) {
	said, err := s.stream.Recv()
	for err != nil || !s.lost.IsZero() && said.GetError().GetFatal() { // it has not noticed the broken stream yet
		if !s.mayComeBack() {
			return said, err
		}
		time.Sleep(250 * time.Millisecond)
		if err = s.dial(); err == nil {
			said, err = s.stream.Recv()
		}
	}
	if welcome := said.GetWelcome(); welcome != nil && !s.lost.IsZero() {
		log.Print("the session with the referee goes on")
		s.lost = time.Time{}
		return s.hear() // it needs no Ready
	} else if welcome != nil && welcome.SessionSecret != "" {
		s.hello.Token, s.hello.SessionSecret, s.kept = "", welcome.SessionSecret, welcome.ResumeMs
	} else if asked := said.GetDecisionRequests(); asked != nil {
		s.open = asked.DeadlineMs
	} else if said.GetGoodbye() != nil {
		s.hello.SessionSecret = "" // there is nothing to resume
	}
	return said, nil
}

func (s *session) mayComeBack() bool {
	if s.lost.IsZero() {
		s.lost = time.Now()
	}
	return s.hello.SessionSecret != "" && time.Since(s.lost) < time.Duration(max(s.kept, s.open))*time.Millisecond
}
