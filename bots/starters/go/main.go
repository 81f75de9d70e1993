// A bot that plays at random: the least that a bot in Go needs. The contract is proto/harness/v1/seat.proto.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"log"
	"os"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	pb "randombot/target/harness/v1"
)

func check(fine bool, sentence string, values ...any) {
	if !fine {
		log.Fatalf(sentence, values...) // exits with 1
	}
}

func main() {
	log.SetFlags(0)
	address, offered := os.Getenv("BOWERBIRD_ADDRESS"), os.Getenv("BOWERBIRD_PROTOCOLS")
	check(address != "", "BOWERBIRD_ADDRESS is not set: this program is started by bowerbird; try `bowerbird match ...`")
	check(offered == "" || strings.Contains(","+offered+",", ",1,"), "the referee speaks protocol %s; this bot speaks 1", offered)
	security, err := insecure.NewCredentials(), error(nil)
	if authority := os.Getenv("BOWERBIRD_CA"); authority != "" {
		security, err = credentials.NewClientTLSFromFile(authority, "")
	}
	check(err == nil, "the certificate of BOWERBIRD_CA cannot be used: %v", err)
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(security))
	check(err == nil, "BOWERBIRD_ADDRESS cannot be dialled: %v", err)
	stream, err := pb.NewSeatServiceClient(connection).Play(context.Background(), grpc.MaxCallRecvMsgSize(1<<30))
	check(err == nil, "no referee answers at %s: %v", address, err)
	hello := &pb.Hello{Token: os.Getenv("BOWERBIRD_TOKEN"), ProtocolVersions: []uint32{1}}
	hello.Capabilities = &pb.Capabilities{MaxTables: 256, MaxBatch: 256}
	stream.Send(&pb.PlayRequest{Message: &pb.PlayRequest_Hello{Hello: hello}})
	drawn := map[string][]byte{} // by table, random bytes from its seed alone: so the bot is reproducible
	for heard := false; ; heard = true {
		said, err := stream.Recv()
		check(err == nil || heard, "no referee answers at %s: %v", address, err)
		if err != nil { // the end of a stream that once stood is an end like any other
			return
		} else if said.GetWelcome() != nil {
			stream.Send(&pb.PlayRequest{Message: &pb.PlayRequest_Ready{Ready: &pb.Ready{}}})
		} else if opened := said.GetTableOpened(); opened != nil {
			drawn[opened.TableId] = opened.Seed
		} else if asked := said.GetDecisionRequests(); asked != nil {
			answer := &pb.Decisions{}
			for _, request := range asked.Requests {
				id := request.TableId
				next := sha256.Sum256(drawn[id])
				drawn[id] = next[:]
				index := uint32(binary.BigEndian.Uint64(next[:]) % uint64(len(request.LegalActions)))
				one := &pb.Decision{TableId: id, DecisionId: request.DecisionId, ActionIndex: &index}
				answer.Decisions = append(answer.Decisions, one)
			}
			stream.Send(&pb.PlayRequest{Message: &pb.PlayRequest_Decisions{Decisions: answer}})
		} else if ping := said.GetPing(); ping != nil {
			stream.Send(&pb.PlayRequest{Message: &pb.PlayRequest_Pong{Pong: &pb.Pong{PingId: ping.PingId}}})
		} else if told := said.GetError(); told != nil {
			log.Printf("the referee says: %s; %s", told.Message, told.Hint)
			check(!told.Fatal, "that ends the session")
		} else if said.GetGoodbye() != nil {
			stream.CloseSend()
		}
	}
}
