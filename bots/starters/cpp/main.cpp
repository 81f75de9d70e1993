// A bot that plays at random: the least that a bot in C++ needs. The contract is proto/harness/v1/seat.proto.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <random>

#include <grpcpp/grpcpp.h>
#include "harness/v1/seat.grpc.pb.h"

using namespace harness::v1;

std::string given(const char* name, const char* otherwise = "") {
  const char* value = std::getenv(name);
  return value ? value : otherwise;
}

[[noreturn]] void fail(const std::string& sentence) {
  std::cerr << sentence << std::endl;
  std::exit(1);
}

int main() {
  const auto address = given("BOWERBIRD_ADDRESS"), offered = given("BOWERBIRD_PROTOCOLS", "1");
  if (address.empty()) fail("BOWERBIRD_ADDRESS is not set: this program is started by bowerbird; try `bowerbird match ...`");
  if (("," + offered + ",").find(",1,") == std::string::npos) fail("the referee speaks protocol " + offered + "; this bot speaks 1");
  grpc::SslCredentialsOptions tls;
  const auto certificate = given("BOWERBIRD_CA");
  std::ifstream authority(certificate);
  if (!certificate.empty() && !authority) fail("the certificate of BOWERBIRD_CA cannot be read: " + certificate);
  tls.pem_root_certs.assign(std::istreambuf_iterator<char>(authority), {});
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  const auto security = tls.pem_root_certs.empty() ? grpc::InsecureChannelCredentials() : grpc::SslCredentials(tls);
  const auto stub = SeatService::NewStub(grpc::CreateCustomChannel(address, security, arguments));
  grpc::ClientContext context;
  const auto stream = stub->Play(&context);
  PlayRequest hello;
  hello.mutable_hello()->set_token(given("BOWERBIRD_TOKEN"));
  hello.mutable_hello()->add_protocol_versions(1);
  hello.mutable_hello()->mutable_capabilities()->set_max_tables(256);
  hello.mutable_hello()->mutable_capabilities()->set_max_batch(256);
  stream->Write(hello);

  std::map<std::string, std::mt19937_64> chance;  // by table, from its seed alone: so the bot is reproducible
  bool heard = false, refused = false;
  for (PlayResponse said; stream->Read(&said); heard = true) {
    PlayRequest answer;
    if (said.has_welcome()) answer.mutable_ready();
    if (said.has_ping()) answer.mutable_pong()->set_ping_id(said.ping().ping_id());
    if (said.has_table_opened()) {
      const auto& seed = said.table_opened().seed();
      std::seed_seq bytes(seed.begin(), seed.end());
      chance[said.table_opened().table_id()].seed(bytes);
    }
    if (said.has_table_closed()) chance.erase(said.table_closed().table_id());
    for (const auto& request : said.decision_requests().requests()) {
      auto& decision = *answer.mutable_decisions()->add_decisions();
      decision.set_table_id(request.table_id());
      decision.set_decision_id(request.decision_id());
      decision.set_action_index(chance[request.table_id()]() % request.legal_actions_size());
    }
    const auto& error = said.error();
    if (said.has_error()) std::cerr << "the referee says: " << error.message() << "; " << error.hint() << std::endl;
    refused |= error.fatal();
    if (said.has_goodbye()) stream->WritesDone();
    if (answer.message_case() != PlayRequest::MESSAGE_NOT_SET) stream->Write(answer);
  }
  const auto status = stream->Finish();
  if (!heard) fail("no referee answers at " + address + ": " + status.error_message());
  return refused ? 1 : 0;
}
