// Keeps a bot in a hosted match when its connection breaks: calls Play again
// (seat.proto, "When the connection breaks"). A bot that bowerbird itself started ends with its stream.
package main

import (
	"context"
	"log"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/keepalive"
	pb "bot/target/bowerbird/seat/v1"
)

// For a referee on another machine: detect a broken connection and retry soon (seat.proto, "Keepalive").
var remote = []grpc.DialOption{
	grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 5 * time.Second}),
	grpc.WithConnectParams(grpc.ConnectParams{
		Backoff: backoff.Config{
			BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, MaxDelay: 500 * time.Millisecond,
		},
		MinConnectTimeout: 2 * time.Second,
	}),
}

const (
	greeting = 20 * time.Second       // for which a bot on another machine tries to get its first Welcome
	pause    = 250 * time.Millisecond // before another stream
)

// A session with the referee, over one stream after another.
type session struct {
	client   pb.SeatServiceClient
	hello    *pb.Hello
	redials  bool                      // whether another stream may follow: at first over TLS, later with a secret
	kept     time.Duration             // how long after a break another stream may follow
	due      time.Time                 // or until the referee's last requests are due, if that is later
	lost     time.Time                 // when we lost the stream; zero while we have one
	wait     time.Duration             // before the next stream
	stream   pb.SeatService_PlayClient // nil while there is none
	hangUp   context.CancelFunc        // ends the stream at once
	welcomed bool                      // whether any Welcome has arrived
}

func newSession(client pb.SeatServiceClient, hello *pb.Hello, isRemote bool) *session {
	return &session{client: client, hello: hello, redials: isRemote, kept: greeting, wait: pause}
}

// Waits for the referee's next message, over a new stream if necessary; returns an error when the session is over.
// The referee repeats what may not have arrived, so derive answers from table and decision alone, as in main.go.
func (s *session) hear() (*pb.PlayResponse, error) {
	for {
		said, err := s.receive()
		if err == nil {
			s.note(said)
			return said, nil
		}
		s.hangUp()
		s.stream = nil
		if !s.mayComeBack(err) {
			return nil, err
		}
		time.Sleep(s.wait)
		s.wait = pause
	}
}

// A message sent on a stream that has just broken is lost: the referee will ask again.
func (s *session) say(message *pb.PlayRequest) {
	s.stream.Send(message)
}

// Closes our side of the stream after a Goodbye and waits until the referee has closed its own.
func (s *session) leave() {
	for err := s.stream.CloseSend(); err == nil; {
		_, err = s.stream.Recv()
	}
}

func (s *session) receive() (_ *pb.PlayResponse, err error) {
	if s.stream == nil {
		var life context.Context
		life, s.hangUp = context.WithCancel(context.Background()) // no deadline: a stream lasts as long as the run
		if s.stream, err = s.client.Play(life, grpc.MaxCallRecvMsgSize(1<<30)); err != nil {
			return nil, err
		}
		s.say(&pb.PlayRequest{Message: &pb.PlayRequest_Hello{Hello: s.hello}})
	}
	return s.stream.Recv()
}

func (s *session) note(said *pb.PlayResponse) {
	if welcome := said.GetWelcome(); welcome != nil {
		if s.hello.SessionSecret != "" {
			log.Print("the session with the referee continues")
		}
		s.hello.Token, s.hello.SessionSecret = "", welcome.SessionSecret
		s.redials, s.kept = welcome.SessionSecret != "", time.Duration(welcome.ResumeMs)*time.Millisecond
		s.lost, s.welcomed = time.Time{}, true
	} else if asked := said.GetDecisionRequests(); asked != nil {
		s.due = time.Now().Add(time.Duration(asked.RemainingMs) * time.Millisecond)
	} else if told := said.GetError(); told.GetFatal() { // main.go dials again only if it is retryable
		s.wait = max(pause, time.Duration(told.RetryAfterMs)*time.Millisecond)
		s.hangUp()
	}
}

func (s *session) mayComeBack(err error) bool {
	if s.lost.IsZero() {
		s.lost = time.Now()
	}
	isUntrusted := !s.welcomed && strings.Contains(err.Error(), "x509: ") // that would be so again
	now := time.Now()
	return s.redials && !isUntrusted && (now.Before(s.lost.Add(s.kept)) || now.Before(s.due))
}
