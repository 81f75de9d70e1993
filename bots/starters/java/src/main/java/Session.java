// What keeps a bot in a hosted match when its connection breaks: the session is taken up again over another stream
// (seat.proto, "When the connection breaks"). A bot that bowerbird itself started ends with its stream.
import bowerbird.harness.v1.*;
import io.grpc.*;
import io.grpc.stub.StreamObserver;
import java.io.*;
import java.nio.file.*;
import java.security.cert.*;
import java.util.concurrent.*;
import java.util.function.Consumer;

/** A conversation with the referee, over one stream after another. */
public class Session {
  private static final long AGAIN_MS = 250;
  private final ManagedChannel channel;
  private final Consumer<PlayResponse> hear;
  private final Consumer<Throwable> leave;
  private Hello hello;
  private StreamObserver<PlayRequest> referee;
  private long kept; // for how many milliseconds the referee keeps our seats
  private long open; // for how many it waits for an answer to what it asked last
  private long lost; // since when we have no stream; 0 while we have one

  /**
   * `hear` gets what the referee says; what may not have arrived before a break is said again, so answers should follow
   * from table and decision alone, as in RandomBot. `leave` is told once that all is over: what went wrong, or null.
   */
  public Session(ManagedChannel channel, Hello hello, Consumer<PlayResponse> hear, Consumer<Throwable> leave) {
    this.channel = channel;
    this.hello = hello;
    this.hear = hear;
    this.leave = leave;
  }

  /** To a referee elsewhere: trust the certificate that came with the token, find out when the way to it is gone. */
  public static ManagedChannelBuilder<?> remote(String address, String authority) throws IOException {
    try {
      InputStream pem = new ByteArrayInputStream(Files.readAllBytes(Path.of(authority)));
      if (CertificateFactory.getInstance("X.509").generateCertificates(pem).isEmpty())
        throw new CertificateException("an empty file");
    } catch (CertificateException error) {
      fail("BOWERBIRD_CA=" + authority + " holds no certificate: the PEM file that came with the token is needed");
    } catch (IOException error) {
      fail("the certificate authority of BOWERBIRD_CA cannot be read: " + authority + ": " + error);
    }
    ChannelCredentials trusting = TlsChannelCredentials.newBuilder().trustManager(new File(authority)).build();
    return Grpc.newChannelBuilder(address, trusting)
        .keepAliveTime(20, TimeUnit.SECONDS).keepAliveTimeout(10, TimeUnit.SECONDS);
  }

  /** Why the bot cannot play, on stderr; it ends there. */
  public static void fail(String sentence) {
    System.err.println(sentence);
    System.exit(1);
  }

  /** What is at the bottom of an error. */
  public static String told(Throwable error) {
    while (error != null && error.getCause() != null) error = error.getCause();
    return error == null ? "the stream ended" : error.getMessage();
  }

  /** Begins a stream. */
  public synchronized void dial() {
    channel.resetConnectBackoff();
    referee = SeatServiceGrpc.newStub(channel).play(new Stream());
    say(PlayRequest.newBuilder().setHello(hello).build());
  }

  /** What is said to a stream that has just broken is lost: the referee will ask again. */
  public synchronized void say(PlayRequest message) { referee.onNext(message); }

  public synchronized void end() { referee.onCompleted(); }

  private class Stream implements StreamObserver<PlayResponse> {
    private PlayResponse refusal;

    @Override public void onNext(PlayResponse said) {
      if (lost != 0 && said.getError().getFatal()) {
        refusal = said; // it takes the old stream to stand, and we are too early; or the session is over
      } else if (lost != 0) {
        lost = 0; // this Welcome wants no Ready
        System.err.println("the session with the referee goes on");
      } else {
        note(said);
        hear.accept(said);
      }
    }

    @Override public void onError(Throwable error) {
      long now = System.currentTimeMillis();
      if (lost == 0) lost = now;
      if (!hello.getSessionSecret().isEmpty() && now < lost + Math.max(kept, open)) {
        CompletableFuture.delayedExecutor(AGAIN_MS, TimeUnit.MILLISECONDS).execute(Session.this::dial);
        return;
      }
      if (refusal != null) hear.accept(refusal);
      leave.accept(error);
    }

    @Override public void onCompleted() { onError(null); }
  }

  private void note(PlayResponse said) {
    if (!said.getWelcome().getSessionSecret().isEmpty()) {
      hello = hello.toBuilder().clearToken().setSessionSecret(said.getWelcome().getSessionSecret()).build();
      kept = said.getWelcome().getResumeMs();
    }
    if (said.hasDecisionRequests()) open = said.getDecisionRequests().getDeadlineMs();
    if (said.hasGoodbye()) hello = hello.toBuilder().clearSessionSecret().build(); // there is nothing to come back to
  }
}
