// The smallest bot in C++: it plays at random. The contract is proto/bowerbird/seat/v1/seat.proto.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <random>

#include <grpcpp/grpcpp.h>
#include "bowerbird/seat/v1/seat.grpc.pb.h"
#include "session.h"

using namespace bowerbird::seat::v1;

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
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  if (!certificate.empty()) {
    std::ifstream authority(certificate);
    std::getline(authority, tls.pem_root_certs, '\0');
    if (!authority.is_open() || authority.bad()) fail("the certificate authority that BOWERBIRD_CA names cannot be read: " + certificate);
    if (tls.pem_root_certs.find("-----BEGIN CERTIFICATE-----") == std::string::npos)
      fail("BOWERBIRD_CA=" + certificate + " holds no certificate: the PEM file that came with the token is needed");
    Session::remote(arguments);
  }
  const auto security = certificate.empty() ? grpc::InsecureChannelCredentials() : grpc::SslCredentials(tls);
  Hello hello;
  hello.set_token(given("BOWERBIRD_TOKEN"));
  hello.add_protocol_versions(1);
  hello.mutable_capabilities()->set_max_tables(256);
  hello.mutable_capabilities()->set_max_batch(256);
  for (auto word : {"lone", "low", "misdeal", "show"}) hello.mutable_capabilities()->add_features(word);
  hello.mutable_capabilities()->set_resume(true);
  Session referee(grpc::CreateCustomChannel(address, security, arguments), hello, !certificate.empty());

  std::map<std::string, std::string> seeds;  // by table
  for (PlayResponse said; referee.hear(said);) {
    PlayRequest answer;
    if (said.welcome().awaits_ready()) answer.mutable_ready();
    if (said.has_ping()) answer.mutable_pong()->set_ping_id(said.ping().ping_id());
    if (said.has_table_opened()) seeds[said.table_opened().table_id()] = said.table_opened().seed();
    if (said.has_table_closed()) seeds.erase(said.table_closed().table_id());
    for (const auto& request : said.decision_requests().requests()) {
      auto& decision = *answer.mutable_decisions()->add_decisions();
      decision.set_table_id(request.table_id());
      decision.set_decision_id(request.decision_id());
      const auto from = seeds[request.table_id()] + std::to_string(request.decision_id());
      std::seed_seq chance(from.begin(), from.end());  // from seed and number alone, so the bot is reproducible
      decision.set_action_index(std::mt19937(chance)() % request.legal_actions_size());
    }
    const auto& error = said.error();
    if (said.has_error()) std::cerr << "the referee says: " << error.message() << "; " << error.hint() << std::endl;
    if (error.fatal() && !error.retryable()) return 1;
    if (said.has_goodbye()) return referee.leave(), 0;
    if (answer.message_case() != PlayRequest::MESSAGE_NOT_SET) referee.say(answer);
  }
  if (!referee.is_welcomed()) fail("no referee answers at " + address + ": " + referee.status().error_message());
  return 0;  // the end of a stream that once worked is a normal end
}
