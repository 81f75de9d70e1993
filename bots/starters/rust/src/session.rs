//! Keeps a bot in a hosted match when its connection breaks: calls Play again
//! (seat.proto, "When the connection breaks"). A bot that bowerbird itself started ends with its stream.
use crate::{play_request, play_response::Message as Heard, seat_service_client::SeatServiceClient};
use crate::{Failure, Hello, PlayRequest, PlayResponse};
use std::error::Error;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{unbounded_channel, UnboundedSender};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint};
use tonic::Streaming;

const FIRST: Duration = Duration::from_secs(20); // how long to look for a referee on another machine
const AGAIN: Duration = Duration::from_millis(250); // between two calls of Play

/// For a referee on another machine: trust the certificate that came with the token, and detect a broken connection.
pub fn remote(endpoint: Endpoint, authority: &str) -> Result<Endpoint, Failure> {
    let unread = |error| format!("the certificate authority that BOWERBIRD_CA names cannot be read: {authority}: {error}");
    let pem = std::fs::read(authority).map_err(unread)?;
    if !String::from_utf8_lossy(&pem).contains("-----BEGIN CERTIFICATE-----") {
        let need = "the PEM file that came with the token is needed";
        return Err(format!("BOWERBIRD_CA={authority} holds no certificate: {need}").into());
    }
    let endpoint = endpoint.tls_config(ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem)))?;
    Ok(endpoint.http2_keep_alive_interval(Duration::from_secs(10)).keep_alive_timeout(Duration::from_secs(5)))
}

/// A session with the referee, over one stream after another.
pub struct Session {
    endpoint: Endpoint,
    hello: Hello,
    address: String,
    mouth: Option<UnboundedSender<PlayRequest>>, // None before the first stream and after a Goodbye
    stream: Option<Streaming<PlayResponse>>,     // None where the next one is due
    lost: Option<Instant>,                       // since when we have no Welcome; None while we have one
    kept: Duration,                              // how long we then try again: while the referee keeps our seats
    open: Instant,                               // until when it awaits the answer to its last requests
    welcomed: bool,
    over: bool,
}

impl Session {
    pub fn new(endpoint: Endpoint, hello: Hello, address: String, is_remote: bool) -> Self {
        let (open, kept) = (Instant::now(), if is_remote { FIRST } else { Duration::ZERO });
        let (mouth, stream, lost, welcomed, over) = (None, None, Some(open), false, false);
        Session { endpoint, hello, address, mouth, stream, lost, kept, open, welcomed, over }
    }

    /// A message sent on a stream that has just broken is lost: the referee will ask again.
    pub fn say(&self, message: play_request::Message) {
        let _ = self.mouth.as_ref().map(|mouth| mouth.send(PlayRequest { message: Some(message) }));
    }

    /// Returns the referee's next message, over a new stream if necessary; None when the session is over. The referee
    /// repeats what may not have arrived, so derive answers from table and decision alone, as in main.rs.
    pub async fn hear(&mut self) -> Result<Option<Heard>, Failure> {
        loop {
            let (end, again) = match self.next().await {
                Ok(Heard::Error(error)) if error.fatal && !self.over => {
                    (Err(format!("{}; {}", error.message, error.hint)), error.retryable.then_some(error.retry_after_ms))
                }
                Ok(heard) => return Ok(Some(self.note(heard))),
                Err(_) if self.welcomed => (Ok(None), Some(0)),
                Err(failure) => {
                    let why = root(&*failure);
                    let again = (!why.contains("certificate")).then_some(0); // that would be wrong again
                    (Err(format!("no referee answers at {}: {why}", self.address)), again)
                }
            };
            self.stream = None;
            let until = self.open.max(*self.lost.get_or_insert(Instant::now()) + self.kept);
            match again.map(|ms| AGAIN.max(Duration::from_millis(ms.into()))) {
                Some(wait) if !self.over && Instant::now() + wait < until => tokio::time::sleep(wait).await,
                _ => return Ok(end?),
            }
        }
    }

    /// Waits for the next message of a kind that we know, on a new stream if there is none.
    async fn next(&mut self) -> Result<Heard, Failure> {
        if self.stream.is_none() {
            let channel = tokio::time::timeout(Duration::from_secs(5), self.endpoint.connect()).await??; // with TLS
            let mut client = SeatServiceClient::new(channel).max_decoding_message_size(1 << 30);
            let (mouth, words) = unbounded_channel();
            self.mouth = Some(mouth);
            self.say(play_request::Message::Hello(self.hello.clone()));
            self.stream = Some(client.play(UnboundedReceiverStream::new(words)).await?.into_inner());
        }
        while let Some(said) = self.stream.as_mut().expect("it was made above").message().await? {
            if let Some(heard) = said.message {
                return Ok(heard);
            }
        }
        Err("the stream ended".into())
    }

    fn note(&mut self, heard: Heard) -> Heard {
        if let Heard::Welcome(welcome) = &heard {
            if std::mem::replace(&mut self.welcomed, true) {
                eprintln!("the session with the referee continues");
            }
            (self.hello.token, self.hello.session_secret) = (String::new(), welcome.session_secret.clone());
            (self.kept, self.lost) = (Duration::from_millis(welcome.resume_ms.into()), None);
        } else if let (Heard::DecisionRequests(asked), false) = (&heard, self.hello.session_secret.is_empty()) {
            self.open = Instant::now() + Duration::from_millis(asked.remaining_ms.into());
        } else if let Heard::Goodbye(_) = &heard {
            (self.over, self.mouth) = (true, None); // closes our side of the stream
        }
        heard
    }
}

/// Returns the root cause of a failure.
fn root(failure: &dyn Error) -> String {
    let causes = std::iter::successors(Some(failure), |&error| error.source());
    causes.last().expect("the failure itself is one").to_string()
}
