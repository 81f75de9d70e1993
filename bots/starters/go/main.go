// The smallest bot in Go: it plays at random. Arguments are features that it asks for, such as events_only.
// The contract is proto/bowerbird/seat/v1/seat.proto.
package main

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/binary"
	"fmt"
	"log"
	"os"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	pb "bot/target/bowerbird/seat/v1"
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
	options := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	authority := os.Getenv("BOWERBIRD_CA")
	if authority != "" {
		pem, err := os.ReadFile(authority)
		check(err == nil, "the certificate authority that BOWERBIRD_CA names cannot be read: %v", err)
		trusted := x509.NewCertPool()
		check(trusted.AppendCertsFromPEM(pem), "BOWERBIRD_CA=%s holds no certificate: the PEM file that came with the token is needed", authority)
		options = append(remote, grpc.WithTransportCredentials(credentials.NewClientTLSFromCert(trusted, "")))
	}
	connection, err := grpc.NewClient(address, options...)
	check(err == nil, "BOWERBIRD_ADDRESS cannot be dialled: %v", err)
	hello := &pb.Hello{Token: os.Getenv("BOWERBIRD_TOKEN"), ProtocolVersions: []uint32{1}}
	hello.Capabilities = &pb.Capabilities{MaxTables: 256, MaxBatch: 256, Resume: true, Features: append([]string{"lone", "low", "misdeal", "show"}, os.Args[1:]...)}
	referee := newSession(pb.NewSeatServiceClient(connection), hello, authority != "")
	seeds := map[string][]byte{} // by table
	for {
		said, err := referee.hear()
		check(err == nil || referee.welcomed, "no referee answers at %s: %v", address, err)
		if err != nil { // the end of a stream that once worked is a normal end
			return
		} else if welcome := said.GetWelcome(); welcome != nil && welcome.AwaitsReady {
			referee.say(&pb.PlayRequest{Message: &pb.PlayRequest_Ready{Ready: &pb.Ready{}}})
		} else if opened := said.GetTableOpened(); opened != nil {
			seeds[opened.TableId] = opened.Seed
		} else if closed := said.GetTableClosed(); closed != nil {
			delete(seeds, closed.TableId)
		} else if asked := said.GetDecisionRequests(); asked != nil {
			answer := &pb.Decisions{}
			for _, request := range asked.Requests { // from the table's seed and the decision's number, so it is reproducible
				chance := sha256.Sum256(fmt.Appendf(nil, "%x %d", seeds[request.TableId], request.DecisionId))
				index := uint32(binary.BigEndian.Uint64(chance[:]) % uint64(len(request.LegalActions)))
				one := &pb.Decision{TableId: request.TableId, DecisionId: request.DecisionId}
				one.Choice = &pb.Decision_ActionIndex{ActionIndex: index}
				answer.Decisions = append(answer.Decisions, one)
			}
			referee.say(&pb.PlayRequest{Message: &pb.PlayRequest_Decisions{Decisions: answer}})
		} else if ping := said.GetPing(); ping != nil {
			referee.say(&pb.PlayRequest{Message: &pb.PlayRequest_Pong{Pong: &pb.Pong{PingId: ping.PingId}}})
		} else if told := said.GetError(); told != nil {
			log.Printf("the referee says: %s; %s", told.Message, told.Hint)
			check(!told.Fatal || told.Retryable, "that ends the session")
		} else if said.GetGoodbye() != nil {
			referee.leave()
			return
		}
	}
}
