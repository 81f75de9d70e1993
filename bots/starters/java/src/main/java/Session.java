// Keeps a bot in a hosted match when its connection breaks: calls Play again
// (seat.proto, "When the connection breaks"). A bot that bowerbird itself started ends with its stream.
import bowerbird.seat.v1.*;
import io.grpc.*;
import io.grpc.stub.StreamObserver;
import java.io.*;
import java.security.GeneralSecurityException;
import java.security.cert.*;
import java.util.concurrent.*;
import java.util.function.Consumer;

/** A session with the referee, over one stream after another. */
public class Session {
  /** Complete at the end of the session, with what went wrong; null if nothing did. */
  public final CompletableFuture<String> end = new CompletableFuture<>();
  private static final long FIRST_MS = 20_000, AGAIN_MS = 250;
  private final ManagedChannel channel;
  private final Consumer<PlayResponse> hear;
  private Hello hello;
  private StreamObserver<PlayRequest> referee;
  private boolean welcomed, over;
  private Long lost = now(); // since when we have no Welcome, in milliseconds; null while we have one
  private long kept; // how long we then try again: while the referee keeps our seats
  private long open = lost; // until when it awaits the answer to its last requests

  /**
   * `hear` receives the referee's messages. After a break the referee repeats what may not have arrived, so derive
   * answers from table and decision alone, as in RandomBot.
   */
  public Session(ManagedChannel channel, Hello hello, boolean isRemote, Consumer<PlayResponse> hear) {
    this.channel = channel;
    this.hello = hello;
    this.kept = isRemote ? FIRST_MS : 0;
    this.hear = hear;
  }

  /** For a referee on another machine: trust the certificate sent with the token, and detect a broken connection. */
  public static ManagedChannelBuilder<?> remote(String address, String authority) throws IOException {
    try (InputStream pem = new FileInputStream(authority)) {
      if (CertificateFactory.getInstance("X.509").generateCertificates(pem).isEmpty())
        throw new CertificateException("an empty file");
    } catch (CertificateException error) {
      String need = "the PEM file that came with the token is needed";
      RandomBot.fail("BOWERBIRD_CA=" + authority + " holds no certificate: " + need);
    } catch (IOException error) {
      RandomBot.fail("the certificate authority that BOWERBIRD_CA names cannot be read: " + authority + ": " + error);
    }
    ChannelCredentials trusting = TlsChannelCredentials.newBuilder().trustManager(new File(authority)).build();
    return Grpc.newChannelBuilder(address, trusting)
        .keepAliveTime(10, TimeUnit.SECONDS).keepAliveTimeout(5, TimeUnit.SECONDS);
  }

  /** Starts a stream. */
  public synchronized void dial() {
    channel.resetConnectBackoff();
    referee = SeatServiceGrpc.newStub(channel).play(new Stream());
    say(PlayRequest.newBuilder().setHello(hello).build());
  }

  /** A message sent on a stream that has just broken is lost: the referee will ask again. */
  public synchronized void say(PlayRequest message) { if (!over) referee.onNext(message); }

  private class Stream implements StreamObserver<PlayResponse> {
    private String why; // what is to be told if this stream was the last; null at an ordinary end
    private boolean again = true;
    private long wait = AGAIN_MS;

    @Override public void onNext(PlayResponse said) {
      var error = said.getError();
      if (error.getFatal() && !over) {
        why = error.getMessage() + "; " + error.getHint();
        again = error.getRetryable();
        wait = Math.max(wait, error.getRetryAfterMs());
      } else {
        note(said);
        hear.accept(said);
      }
    }

    @Override public void onError(Throwable error) {
      if (lost == null) lost = now();
      if (why == null && !welcomed) {
        while (error.getCause() != null) error = error.getCause();
        why = "no referee answers at " + System.getenv("BOWERBIRD_ADDRESS") + ": " + error;
        again = !(error instanceof GeneralSecurityException); // that certificate would be wrong again
      }
      if (again && !over && now() + wait < Math.max(lost + kept, open))
        CompletableFuture.delayedExecutor(wait, TimeUnit.MILLISECONDS).execute(Session.this::dial);
      else end.complete(why);
    }

    @Override public void onCompleted() { onError(new EOFException("the stream ended")); }
  }

  private void note(PlayResponse said) {
    if (said.hasWelcome()) {
      if (welcomed) System.err.println("the session with the referee continues");
      welcomed = true;
      lost = null;
      kept = said.getWelcome().getResumeMs();
      hello = hello.toBuilder().clearToken().setSessionSecret(said.getWelcome().getSessionSecret()).build();
    } else if (said.hasDecisionRequests() && !hello.getSessionSecret().isEmpty()) {
      open = now() + said.getDecisionRequests().getRemainingMs();
    } else if (said.hasGoodbye()) {
      over = true;
      referee.onCompleted(); // closes our side of the stream
    }
  }

  private static long now() { return System.nanoTime() / 1_000_000; }
}
