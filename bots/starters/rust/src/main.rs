// A bot that plays at random: the least that a bot in Rust needs. The contract is proto/harness/v1/seat.proto.
use std::collections::HashMap;
use std::env::var;
use std::hash::{DefaultHasher, Hash, Hasher};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint};

tonic::include_proto!("harness.v1");
use play_request::Message as Say;
use play_response::Message as Heard;

type Failure = Box<dyn std::error::Error>;

async fn play() -> Result<(), Failure> {
    let hint = "this program is started by bowerbird; try `bowerbird match ...`";
    let address = var("BOWERBIRD_ADDRESS").map_err(|_| format!("BOWERBIRD_ADDRESS is not set: {hint}"))?;
    let offered = var("BOWERBIRD_PROTOCOLS").unwrap_or("1".into());
    if !offered.split(',').any(|version| version == "1") {
        return Err(format!("the referee speaks protocol {offered}; this bot speaks 1").into());
    }
    let authority = var("BOWERBIRD_CA").unwrap_or_default();
    let scheme = if authority.is_empty() { "http" } else { "https" };
    let target = if address.starts_with("unix:") { address.clone() } else { format!("{scheme}://{address}") };
    let mut endpoint = Endpoint::from_shared(target)?;
    if !authority.is_empty() {
        let unread = |error| format!("the certificate of BOWERBIRD_CA cannot be read: {authority}: {error}");
        let pem = Certificate::from_pem(std::fs::read(&authority).map_err(unread)?);
        endpoint = endpoint.tls_config(ClientTlsConfig::new().ca_certificate(pem))?;
    }
    let (mouth, words) = tokio::sync::mpsc::unbounded_channel();
    let say = |message| mouth.send(PlayRequest { message: Some(message) });
    let capabilities = Some(Capabilities { max_tables: 256, max_batch: 256, ..Default::default() });
    let token = var("BOWERBIRD_TOKEN").unwrap_or_default();
    say(Say::Hello(Hello { token, protocol_versions: vec![1], capabilities, ..Default::default() }))?;
    let nobody = |error: tonic::transport::Error| format!("no referee answers at {address}: {error:?}");
    let channel = endpoint.connect().await.map_err(nobody)?;
    let mut client = seat_service_client::SeatServiceClient::new(channel).max_decoding_message_size(1 << 30);
    let mut stream = client.play(UnboundedReceiverStream::new(words)).await?.into_inner();
    let mut tables = HashMap::new(); // by table, its seed and how often we drew from it: so the bot is reproducible
    while let Ok(Some(said)) = stream.message().await {
        match said.message {
            Some(Heard::Welcome(_)) => say(Say::Ready(Ready {}))?,
            Some(Heard::TableOpened(opened)) => drop(tables.insert(opened.table_id, (opened.seed, 0))),
            Some(Heard::TableClosed(closed)) => drop(tables.remove(&closed.table_id)),
            Some(Heard::DecisionRequests(asked)) => {
                let decisions = asked.requests.into_iter().map(|request| {
                    let drawn = tables.get_mut(&request.table_id).expect("a table that was opened");
                    drawn.1 += 1;
                    let mut chance = DefaultHasher::new();
                    drawn.hash(&mut chance);
                    let action_index = Some((chance.finish() % request.legal_actions.len() as u64) as u32);
                    let (table_id, decision_id) = (request.table_id, request.decision_id);
                    Decision { table_id, decision_id, action_index, ..Default::default() }
                });
                say(Say::Decisions(Decisions { decisions: decisions.collect() }))?
            }
            Some(Heard::Ping(ping)) => say(Say::Pong(Pong { ping_id: ping.ping_id }))?,
            Some(Heard::Error(error)) if error.fatal => return Err(format!("{}; {}", error.message, error.hint).into()),
            Some(Heard::Error(error)) => eprintln!("the referee says: {}; {}", error.message, error.hint),
            Some(Heard::Goodbye(_)) => return Ok(()),
            _ => (),
        }
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    if let Err(failure) = play().await {
        eprintln!("{failure}");
        std::process::exit(1);
    }
}
