// Keeps a bot in a hosted match when its connection breaks: resumes the session on a new stream
// (seat.proto, "When the connection breaks"). A bot that bowerbird itself started ends with its stream.
import bowerbird.seat.v1.*;
import io.grpc.*;
import io.grpc.stub.StreamObserver;
import java.io.*;
import java.nio.file.*;
import java.security.cert.*;
import java.util.concurrent.*;
import java.util.function.Consumer;

/** A session with the referee, over one stream after another. */
public class Session {
  private static final long AGAIN_MS = 250;
  private final ManagedChannel channel;
  private final Consumer<PlayResponse> hear;
  private final Consumer<Throwable> leave;
  private Hello hello;
  private StreamObserver<PlayRequest> referee;
  private long kept; // milliseconds for which the referee keeps our seats
  private long open; // milliseconds in which it awaits the answer to its last requests
  private long lost; // when we lost the stream; 0 while we have one

  /**
   * `hear` receives the referee's messages. After a break the referee repeats what may not have arrived, so derive
   * answers from table and decision alone, as in RandomBot. `leave` is called once, at the end, with the error or null.
   */
  public Session(ManagedChannel channel, Hello hello, Consumer<PlayResponse> hear, Consumer<Throwable> leave) {
    this.channel = channel;
    this.hello = hello;
    this.hear = hear;
    this.leave = leave;
  }

  /** For a referee on another machine: trust the certificate sent with the token, and detect a broken connection. */
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

  /** Writes why the bot cannot play to stderr and exits. */
  public static void fail(String sentence) {
    System.err.println(sentence);
    System.exit(1);
  }

  /** Returns the root cause of an error. */
  public static String told(Throwable error) {
    while (error != null && error.getCause() != null) error = error.getCause();
    return error == null ? "the stream ended" : error.getMessage();
  }

  /** Starts a stream. */
  public synchronized void dial() {
    channel.resetConnectBackoff();
    referee = SeatServiceGrpc.newStub(channel).play(new Stream());
    say(PlayRequest.newBuilder().setHello(hello).build());
  }

  /** A message sent on a stream that has just broken is lost: the referee will ask again. */
  public synchronized void say(PlayRequest message) { referee.onNext(message); }

  public synchronized void end() { referee.onCompleted(); }

  private class Stream implements StreamObserver<PlayResponse> {
    private PlayResponse refusal;

    @Override public void onNext(PlayResponse said) {
      if (lost != 0 && said.getError().getFatal()) {
        refusal = said; // it has not noticed the broken stream yet, or the session is over
      } else if (lost != 0) {
        lost = 0; // this Welcome needs no Ready
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
    if (said.hasGoodbye()) hello = hello.toBuilder().clearSessionSecret().build(); // there is nothing to resume
  }
}
