// What keeps a bot in a hosted match when its connection breaks: the session is taken up again over another stream
// (seat.proto, "When the connection breaks"). A bot that bowerbird itself started ends with its stream.
import type { ClientDuplexStream } from '@grpc/grpc-js';
import type { Hello } from './target/types/harness/v1/Hello';
import type { PlayRequest } from './target/types/harness/v1/PlayRequest';
import type { PlayResponse__Output } from './target/types/harness/v1/PlayResponse';

type Stream = ClientDuplexStream<PlayRequest, PlayResponse__Output>;

/** For a referee elsewhere: find out that the way to it is gone, and try again soon. */
export const REMOTE = {
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 500,
};

/**
 * A conversation with the referee, over one stream after another. `hear` gets what the referee says; what may not have
 * arrived before a break is said again, so answers should follow from table and decision alone, as in main.ts. `leave`
 * is told once that all is over, with what went wrong if anything did.
 */
export class Session {
  private stream!: Stream;
  private kept = 0; // for how many milliseconds the referee keeps our seats
  private open = 0; // for how many it waits for an answer to what it asked last
  private lost = 0; // since when we have no stream; 0 while we have one

  constructor(
    private readonly play: () => Stream,
    private readonly hello: Hello,
    private readonly hear: (said: PlayResponse__Output) => void,
    private readonly leave: (error?: Error) => void,
  ) {
    this.dial();
  }

  /** What is said to a stream that has just broken is lost: the referee will ask again. */
  say(message: PlayRequest): void {
    this.stream.write(message);
  }

  end(): void {
    this.stream.end();
  }

  private dial(): void {
    const stream = (this.stream = this.play());
    let over = false;
    let refusal: PlayResponse__Output | undefined;
    const end = (error?: Error) => {
      if (over) return; // both 'error' and 'end' may tell of one stream
      over = true;
      this.lost ||= Date.now();
      const mayComeBack = this.hello.session_secret && Date.now() < this.lost + Math.max(this.kept, this.open);
      if (mayComeBack) return void setTimeout(() => this.dial(), 250);
      if (refusal) this.hear(refusal);
      this.leave(error);
    };
    stream.on('data', (said: PlayResponse__Output) => {
      if (this.lost && said.error?.fatal) {
        refusal = said; // it takes the old stream to stand, and we are too early; or the session is over
        return;
      }
      if (this.lost) {
        console.error('the session with the referee goes on');
        this.lost = 0; // this Welcome wants no Ready
        return;
      }
      const secret = said.welcome?.session_secret;
      if (said.welcome && secret) {
        Object.assign(this.hello, { token: '', session_secret: secret });
        this.kept = said.welcome.resume_ms;
      }
      if (said.decision_requests) this.open = said.decision_requests.deadline_ms;
      if (said.goodbye) this.hello.session_secret = ''; // there is nothing to come back to
      this.hear(said);
    });
    stream.on('end', end);
    stream.on('error', end);
    stream.write({ hello: this.hello });
  }
}
