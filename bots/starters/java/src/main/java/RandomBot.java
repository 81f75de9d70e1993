// The smallest bot in Java: it plays at random. The contract is proto/bowerbird/seat/v1/seat.proto.
import bowerbird.seat.v1.*;
import com.google.protobuf.ByteString;
import io.grpc.*;
import java.util.*;
import java.util.logging.*;

public class RandomBot {
  private static final Logger LIBRARY = Logger.getLogger("io.grpc"); // kept here, or its level would be forgotten
  private final Map<String, ByteString> seeds = new HashMap<>(); // by table
  private Session referee;

  public static void main(String[] arguments) throws Exception {
    String address = System.getenv("BOWERBIRD_ADDRESS");
    String authority = System.getenv().getOrDefault("BOWERBIRD_CA", "");
    String offered = System.getenv().getOrDefault("BOWERBIRD_PROTOCOLS", "1");
    if (address == null)
      fail("BOWERBIRD_ADDRESS is not set: this program is started by bowerbird; try `bowerbird match ...`");
    if (!List.of(offered.split(",")).contains("1"))
      fail("the referee speaks protocol " + offered + "; this bot speaks 1");
    LIBRARY.setLevel(Level.WARNING);
    ManagedChannelBuilder<?> channel = authority.isEmpty()
        ? Grpc.newChannelBuilder(address, InsecureChannelCredentials.create()) : Session.remote(address, authority);
    Hello.Builder hello = Hello.newBuilder().setToken(System.getenv().getOrDefault("BOWERBIRD_TOKEN", ""));
    hello.addProtocolVersions(1).getCapabilitiesBuilder().setMaxTables(256).setMaxBatch(256).setResume(true).addFeatures("lone").addFeatures("low");
    RandomBot bot = new RandomBot();
    channel.maxInboundMessageSize(Integer.MAX_VALUE);
    bot.referee = new Session(channel.build(), hello.build(), !authority.isEmpty(), bot::hear);
    bot.referee.dial();
    String failure = bot.referee.end.join();
    if (failure != null) fail(failure);
    System.exit(0);
  }

  private void hear(PlayResponse said) {
    try {
      answer(said);
    } catch (RuntimeException error) { // gRPC would end the stream without a word
      error.printStackTrace();
      fail("the bot failed: " + error);
    }
  }

  private void answer(PlayResponse said) {
    PlayRequest.Builder answer = PlayRequest.newBuilder();
    switch (said.getMessageCase()) {
      case WELCOME -> { if (said.getWelcome().getAwaitsReady()) answer.setReady(Ready.getDefaultInstance()); }
      case TABLE_OPENED -> seeds.put(said.getTableOpened().getTableId(), said.getTableOpened().getSeed());
      case TABLE_CLOSED -> seeds.remove(said.getTableClosed().getTableId());
      case DECISION_REQUESTS -> {
        for (DecisionRequest request : said.getDecisionRequests().getRequestsList()) {
          int seed = Objects.hash(seeds.get(request.getTableId()), request.getDecisionId()); // so it is reproducible
          answer.getDecisionsBuilder().addDecisionsBuilder().setTableId(request.getTableId())
              .setDecisionId(request.getDecisionId())
              .setActionIndex(new SplittableRandom(seed).nextInt(request.getLegalActionsCount()));
        }
      }
      case PING -> answer.setPong(Pong.newBuilder().setPingId(said.getPing().getPingId()));
      case ERROR ->
          System.err.println("the referee says: " + said.getError().getMessage() + "; " + said.getError().getHint());
      default -> { }
    }
    if (answer.getMessageCase() != PlayRequest.MessageCase.MESSAGE_NOT_SET) referee.say(answer.build());
  }

  /** Writes why the bot cannot play to stderr and exits. */
  static void fail(String sentence) {
    System.err.println(sentence);
    System.exit(1);
  }
}
