// Keeps a bot in a hosted match when its connection breaks: resumes the session on a new stream
// (seat.proto, "When the connection breaks"). A bot that bowerbird itself started ends with its stream.
import type { ClientDuplexStream } from '@grpc/grpc-js';
import type { Hello } from './target/types/bowerbird/seat/v1/Hello';
import type { PlayRequest } from './target/types/bowerbird/seat/v1/PlayRequest';
import type { PlayResponse__Output } from './target/types/bowerbird/seat/v1/PlayResponse';

type Stream = ClientDuplexStream<PlayRequest, PlayResponse__Output>;

/** For a referee on another machine: detect a broken connection and retry soon. */
export const REMOTE = {
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 500,
};

/**
 * A session with the referee, over one stream after another. `hear` receives the referee's messages. After a break the
 * referee repeats what may not have arrived, so derive answers from table and decision alone, as in main.ts. `leave` is
 * called once, at the end, with the error if there was one.
 */
export class Session {
  private stream!: Stream;
  private kept = 0; // milliseconds for which the referee keeps our seats
  private open = 0; // milliseconds in which it awaits the answer to its last requests
  private lost = 0; // when we lost the stream; 0 while we have one

  constructor(
    private readonly play: () => Stream,
    private readonly hello: Hello,
    private readonly hear: (said: PlayResponse__Output) => void,
    private readonly leave: (error?: Error) => void,
  ) {
    this.dial();
  }

  /** A message sent on a stream that has just broken is lost: the referee will ask again. */
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
      if (over) return; // one stream may report both 'error' and 'end'
      over = true;
      this.lost ||= Date.now();
      const mayComeBack = this.hello.session_secret && Date.now() < this.lost + Math.max(this.kept, this.open);
      if (mayComeBack) return void setTimeout(() => this.dial(), 250);
      if (refusal) this.hear(refusal);
      this.leave(error);
    };
    stream.on('data', (said: PlayResponse__Output) => {
      if (this.lost && said.error?.fatal) {
        refusal = said; // it has not noticed the broken stream yet, or the session is over
        return;
      }
      if (this.lost) {
        console.error('the session with the referee goes on');
        this.lost = 0; // this Welcome needs no Ready
        return;
      }
      const secret = said.welcome?.session_secret;
      if (said.welcome && secret) {
        Object.assign(this.hello, { token: '', session_secret: secret });
        this.kept = said.welcome.resume_ms;
      }
      if (said.decision_requests) this.open = said.decision_requests.deadline_ms;
      if (said.goodbye) this.hello.session_secret = ''; // there is nothing to resume
      this.hear(said);
    });
    stream.on('end', end);
    stream.on('error', end);
    stream.write({ hello: this.hello });
  }
}
