// What keeps a bot in a hosted match when its connection breaks: the session is taken up again over another stream
// (seat.proto, "When the connection breaks"). A bot that bowerbird itself started ends with its stream.
package main

import (
	"context"
	"log"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/keepalive"
	pb "randombot/target/harness/v1"
)

// For a referee elsewhere: find out that the way to it is gone, and try again soon.
var remote = []grpc.DialOption{
	grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 10 * time.Second}),
	grpc.WithConnectParams(grpc.ConnectParams{
		Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, MaxDelay: 500 * time.Millisecond},
		MinConnectTimeout: 2 * time.Second,
	}),
}

// A conversation with the referee, over one stream after another.
type session struct {
	client pb.SeatServiceClient
	hello  *pb.Hello
	stream pb.SeatService_PlayClient
	kept   uint32    // for how many milliseconds the referee keeps our seats
	open   uint32    // for how many it waits for an answer to what it asked last
	lost   time.Time // since when we have no stream; zero while we have one
}

// Begins a stream.
func (s *session) dial() error {
	stream, err := s.client.Play(context.Background(), grpc.MaxCallRecvMsgSize(1<<30))
	if err == nil {
		s.stream = stream
		s.say(&pb.PlayRequest{Message: &pb.PlayRequest_Hello{Hello: s.hello}})
	}
	return err
}

// What is said to a stream that has just broken is lost: the referee will ask again.
func (s *session) say(message *pb.PlayRequest) {
	s.stream.Send(message)
}

// Waits for what the referee says next, over a new stream where it must; an error when the session is over.
// What may not have arrived is said again then, so answers should follow from table and decision alone, as in main.go.
func (s *session) hear() (*pb.PlayResponse, error) {
	said, err := s.stream.Recv()
	for err != nil || !s.lost.IsZero() && said.GetError().GetFatal() { // it takes the old stream to stand: we are too early
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
		return s.hear() // it wants no Ready
	} else if welcome != nil && welcome.SessionSecret != "" {
		s.hello.Token, s.hello.SessionSecret, s.kept = "", welcome.SessionSecret, welcome.ResumeMs
	} else if asked := said.GetDecisionRequests(); asked != nil {
		s.open = asked.DeadlineMs
	} else if said.GetGoodbye() != nil {
		s.hello.SessionSecret = "" // there is nothing to come back to
	}
	return said, nil
}

func (s *session) mayComeBack() bool {
	if s.lost.IsZero() {
		s.lost = time.Now()
	}
	return s.hello.SessionSecret != "" && time.Since(s.lost) < time.Duration(max(s.kept, s.open))*time.Millisecond
}
