// A bot that plays at random: the least that a bot in Java needs. The contract is proto/harness/v1/seat.proto.
import bowerbird.harness.v1.*;
import io.grpc.*;
import io.grpc.stub.StreamObserver;
import java.io.File;
import java.util.*;
import java.util.concurrent.CountDownLatch;
import java.util.logging.*;

public class RandomBot implements StreamObserver<PlayResponse> {
  private final Map<String, Random> chance = new HashMap<>(); // by table, from its seed alone: so it is reproducible
  private static final Logger LIBRARY = Logger.getLogger("io.grpc"); // held: else its level is forgotten
  private final CountDownLatch over = new CountDownLatch(1);
  private StreamObserver<PlayRequest> referee;
  private boolean heard, refused;

  public static void main(String[] arguments) throws Exception {
    String address = System.getenv("BOWERBIRD_ADDRESS"), authority = System.getenv("BOWERBIRD_CA");
    String offered = System.getenv().getOrDefault("BOWERBIRD_PROTOCOLS", "1");
    if (address == null)
      fail("BOWERBIRD_ADDRESS is not set: this program is started by bowerbird; try `bowerbird match ...`");
    if (!List.of(offered.split(",")).contains("1")) fail("the referee speaks protocol " + offered + "; this bot speaks 1");
    if (authority != null && !new File(authority).canRead()) fail("BOWERBIRD_CA cannot be read: " + authority);
    LIBRARY.setLevel(Level.WARNING);
    ChannelCredentials security = authority == null ? InsecureChannelCredentials.create()
        : TlsChannelCredentials.newBuilder().trustManager(new File(authority)).build();
    Channel channel = Grpc.newChannelBuilder(address, security).maxInboundMessageSize(Integer.MAX_VALUE).build();
    RandomBot bot = new RandomBot();
    bot.referee = SeatServiceGrpc.newStub(channel).play(bot);
    Hello.Builder hello = Hello.newBuilder().setToken(System.getenv().getOrDefault("BOWERBIRD_TOKEN", ""));
    hello.addProtocolVersions(1).setCapabilities(Capabilities.newBuilder().setMaxTables(256).setMaxBatch(256));
    bot.referee.onNext(PlayRequest.newBuilder().setHello(hello).build());
    bot.over.await();
    System.exit(bot.refused ? 1 : 0);
  }

  @Override public void onNext(PlayResponse said) {
    heard = true;
    refused |= said.getError().getFatal();
    PlayRequest.Builder answer = PlayRequest.newBuilder();
    switch (said.getMessageCase()) {
      case WELCOME -> answer.setReady(Ready.getDefaultInstance());
      case TABLE_OPENED ->
          chance.put(said.getTableOpened().getTableId(), new Random(said.getTableOpened().getSeed().hashCode()));
      case TABLE_CLOSED -> chance.remove(said.getTableClosed().getTableId());
      case DECISION_REQUESTS -> {
        for (DecisionRequest request : said.getDecisionRequests().getRequestsList())
          answer.getDecisionsBuilder().addDecisionsBuilder().setTableId(request.getTableId())
              .setDecisionId(request.getDecisionId())
              .setActionIndex(chance.get(request.getTableId()).nextInt(request.getLegalActionsCount()));
      }
      case PING -> answer.setPong(Pong.newBuilder().setPingId(said.getPing().getPingId()));
      case ERROR ->
          System.err.println("the referee says: " + said.getError().getMessage() + "; " + said.getError().getHint());
      case GOODBYE -> referee.onCompleted();
      default -> { }
    }
    if (answer.getMessageCase() != PlayRequest.MessageCase.MESSAGE_NOT_SET) referee.onNext(answer.build());
  }

  @Override public void onError(Throwable error) {
    Throwable why = error;
    while (why.getCause() != null) why = why.getCause();
    if (!heard) fail("no referee answers at " + System.getenv("BOWERBIRD_ADDRESS") + ": " + why.getMessage());
    over.countDown(); // the end of a stream that once stood is an end like any other
  }

  @Override public void onCompleted() { over.countDown(); }

  private static void fail(String sentence) {
    System.err.println(sentence);
    System.exit(1);
  }
}
