//! Keeps a bot in a hosted match when its connection breaks: resumes the session on a new stream
//! (seat.proto, "When the connection breaks"). A bot that bowerbird itself started ends with its stream.
use crate::{play_request, play_response::Message as Heard, seat_service_client::SeatServiceClient};
use crate::{Hello, PlayRequest, PlayResponse};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{unbounded_channel, UnboundedSender};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use tonic::{Status, Streaming};

/// For a referee on another machine: trust the certificate that came with the token, and detect a broken connection.
pub fn remote(endpoint: Endpoint, authority: &str) -> Result<Endpoint, crate::Failure> {
    let unread = |error| format!("the certificate authority of BOWERBIRD_CA cannot be read: {authority}: {error}");
    let pem = std::fs::read(authority).map_err(unread)?;
    if !String::from_utf8_lossy(&pem).contains("-----BEGIN CERTIFICATE-----") {
        let need = "the PEM file that came with the token is needed";
        return Err(format!("BOWERBIRD_CA={authority} holds no certificate: {need}").into());
    }
    let endpoint = endpoint.tls_config(ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem)))?;
    let endpoint = endpoint.connect_timeout(Duration::from_secs(2)).keep_alive_timeout(Duration::from_secs(10));
    Ok(endpoint.http2_keep_alive_interval(Duration::from_secs(20)))
}

/// A session with the referee, over one stream after another.
pub struct Session {
    client: SeatServiceClient<Channel>,
    hello: Hello,
    mouth: UnboundedSender<PlayRequest>,
    stream: Streaming<PlayResponse>,
    kept: u32,             // milliseconds for which the referee keeps our seats
    open: u32,             // milliseconds in which it awaits the answer to its last requests
    lost: Option<Instant>, // when we lost the stream; None while we have one
}

type Stream = (UnboundedSender<PlayRequest>, Streaming<PlayResponse>);

async fn dial(client: &mut SeatServiceClient<Channel>, hello: &Hello) -> Result<Stream, Status> {
    let (mouth, words) = unbounded_channel();
    let message = Some(play_request::Message::Hello(hello.clone()));
    mouth.send(PlayRequest { message }).expect("its other end is here");
    Ok((mouth, client.play(UnboundedReceiverStream::new(words)).await?.into_inner()))
}

impl Session {
    pub async fn begin(mut client: SeatServiceClient<Channel>, hello: Hello) -> Result<Self, Status> {
        let (mouth, stream) = dial(&mut client, &hello).await?;
        Ok(Session { client, hello, mouth, stream, kept: 0, open: 0, lost: None })
    }

    /// A message sent on a stream that has just broken is lost: the referee will ask again.
    pub fn say(&self, message: play_request::Message) {
        let _ = self.mouth.send(PlayRequest { message: Some(message) });
    }

    /// Returns the referee's next message, over a new stream if necessary; None when the session is over. The referee
    /// repeats what may not have arrived, so derive answers from table and decision alone, as in main.rs.
    pub async fn hear(&mut self) -> Option<Heard> {
        let mut refusal = None;
        loop {
            match self.stream.message().await {
                // It has not noticed the broken stream yet, or the session is over.
                Ok(Some(PlayResponse { message: Some(Heard::Error(e)) })) if e.fatal && self.lost.is_some() => {
                    refusal = Some(Heard::Error(e))
                }
                Ok(Some(PlayResponse { message: Some(Heard::Welcome(_)) })) if self.lost.take().is_some() => {
                    eprintln!("the session with the referee goes on"); // this Welcome needs no Ready
                }
                Ok(Some(PlayResponse { message: Some(heard) })) => {
                    self.note(&heard);
                    return Some(heard);
                }
                Ok(Some(PlayResponse { message: None })) => (), // an unknown kind
                _ if self.come_back().await => refusal = None,
                _ => return refusal,
            }
        }
    }

    fn note(&mut self, heard: &Heard) {
        match heard {
            Heard::Welcome(welcome) if !welcome.session_secret.is_empty() => {
                self.hello.token.clear();
                self.hello.session_secret = welcome.session_secret.clone();
                self.kept = welcome.resume_ms;
            }
            Heard::DecisionRequests(asked) => self.open = asked.deadline_ms,
            Heard::Goodbye(_) => self.hello.session_secret.clear(), // there is nothing to resume
            _ => (),
        }
    }

    /// Opens another stream; returns whether the session may go on.
    async fn come_back(&mut self) -> bool {
        let until = *self.lost.get_or_insert(Instant::now()) + Duration::from_millis(self.kept.max(self.open).into());
        while !self.hello.session_secret.is_empty() && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(250)).await;
            if let Ok((mouth, stream)) = dial(&mut self.client, &self.hello).await {
                (self.mouth, self.stream) = (mouth, stream);
                return true;
            }
        }
        false
    }
}
