// Keeps a bot in a hosted match when its connection breaks: calls Play again
// (seat.proto, "When the connection breaks"). A bot that bowerbird itself started ends with its stream.
import type { ClientDuplexStream } from '@grpc/grpc-js';
import type { Hello } from './target/types/bowerbird/seat/v1/Hello';
import type { PlayRequest } from './target/types/bowerbird/seat/v1/PlayRequest';
import type { PlayResponse__Output } from './target/types/bowerbird/seat/v1/PlayResponse';
import type { SeatServiceClient } from './target/types/bowerbird/seat/v1/SeatService';

/** For a referee on another machine: detect a broken connection and retry soon (seat.proto, "Keepalive"). */
export const REMOTE = {
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 500,
  'grpc.use_local_subchannel_pool': 1, // so that each client makes a connection of its own
};

const GREETING = 20_000; // milliseconds for which a bot on another machine tries to get its first Welcome
const CONNECTING = 2_000; // milliseconds after which we give up a connection that is not made: the library never does
const PAUSE = 250; // milliseconds before another stream

/**
 * A session with the referee, over one stream after another. `hear` receives the referee's messages. After a break the
 * referee repeats what may not have arrived, so derive answers from table and decision alone, as in main.ts. `leave` is
 * called once, at the end, with the error if there was one.
 */
export class Session {
  isWelcomed = false; // whether any Welcome has arrived
  private client?: SeatServiceClient;
  private stream!: ClientDuplexStream<PlayRequest, PlayResponse__Output>;
  private kept = GREETING; // milliseconds after a break in which another stream may follow
  private due = 0; // or until the referee's last requests are due, if that is later
  private lost = 0; // when we lost the stream; 0 while we have one

  /** `redials`: whether another stream may follow. Before the first Welcome over TLS, then with a secret. */
  constructor(
    private readonly connect: () => SeatServiceClient,
    private readonly hello: Hello,
    private redials: boolean,
    private readonly hear: (said: PlayResponse__Output) => void,
    private readonly leave: (error?: Error) => void,
  ) {
    this.dial();
  }

  /** A message sent on a stream that has just broken is lost: the referee will ask again. */
  say(message: PlayRequest): void {
    this.stream.write(message);
  }

  /** Closes our side of the stream after a Goodbye; `leave` follows when the referee has closed its own. */
  end(): void {
    this.redials = false;
    this.stream.removeAllListeners('data').resume().end(); // nothing counts that follows a Goodbye
  }

  private dial(): void {
    this.client?.close();
    const client = (this.client = this.connect());
    const stream = (this.stream = client.Play()); // no deadline: a stream lasts as long as the run
    let over = false;
    const end = (error?: Error, pause = PAUSE) => {
      if (over) return; // one stream may report both 'error' and 'end'
      over = true;
      stream.cancel();
      if (this.mayComeBack(error)) setTimeout(() => this.dial(), pause);
      else this.leave(error);
    };
    stream.on('data', (said: PlayResponse__Output) => {
      if (over) return;
      this.note(said);
      this.hear(said);
      if (said.error?.fatal) end(undefined, Math.max(PAUSE, said.error.retry_after_ms)); // only if it is retryable
    });
    stream.on('end', end);
    stream.on('error', end);
    if (this.redials) client.waitForReady(Date.now() + CONNECTING, (error) => error && end(error));
    stream.write({ hello: this.hello });
  }

  private note({ welcome, decision_requests }: PlayResponse__Output): void {
    if (welcome) {
      if (this.hello.session_secret) console.error('the session with the referee continues');
      Object.assign(this.hello, { token: '', session_secret: welcome.session_secret });
      this.redials = !!welcome.session_secret;
      this.kept = welcome.resume_ms;
      this.lost = 0;
      this.isWelcomed = true;
    }
    if (decision_requests) this.due = performance.now() + decision_requests.remaining_ms;
  }

  private mayComeBack(error?: Error): boolean {
    const now = performance.now();
    this.lost ||= now;
    const isUntrusted = !this.isWelcomed && error?.message.includes('certificate');
    return this.redials && !isUntrusted && now < Math.max(this.lost + this.kept, this.due);
  }
}
