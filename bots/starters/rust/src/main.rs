// The smallest bot in Rust: it plays at random. The contract is proto/bowerbird/seat/v1/seat.proto.
use std::collections::HashMap;
use std::env::var;
use std::hash::{DefaultHasher, Hash, Hasher};
use tonic::transport::Endpoint;

mod session;
tonic::include_proto!("bowerbird.seat.v1");
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
        endpoint = session::remote(endpoint, &authority)?;
    }
    let features = vec!["lone".into(), "low".into()];
    let capabilities = Some(Capabilities { max_tables: 256, max_batch: 256, resume: true, features, ..Default::default() });
    let token = var("BOWERBIRD_TOKEN").unwrap_or_default();
    let hello = Hello { token, protocol_versions: vec![1], capabilities, ..Default::default() };
    let mut referee = session::Session::new(endpoint, hello, address, !authority.is_empty());
    let mut seeds = HashMap::new(); // by table
    while let Some(heard) = referee.hear().await? {
        match heard {
            Heard::Welcome(welcome) if welcome.awaits_ready => referee.say(Say::Ready(Ready {})),
            Heard::TableOpened(opened) => drop(seeds.insert(opened.table_id, opened.seed)),
            Heard::TableClosed(closed) => drop(seeds.remove(&closed.table_id)),
            Heard::DecisionRequests(asked) => {
                let decisions = asked.requests.into_iter().map(|request| {
                    let (table_id, decision_id) = (request.table_id, request.decision_id);
                    let mut chance = DefaultHasher::new(); // from seed and number alone, so the bot is reproducible
                    (seeds.get(&table_id), decision_id).hash(&mut chance);
                    let index = (chance.finish() % request.legal_actions.len() as u64) as u32;
                    let choice = Some(decision::Choice::ActionIndex(index));
                    Decision { table_id, decision_id, choice, ..Default::default() }
                });
                referee.say(Say::Decisions(Decisions { decisions: decisions.collect() }))
            }
            Heard::Ping(ping) => referee.say(Say::Pong(Pong { ping_id: ping.ping_id })),
            Heard::Error(error) => eprintln!("the referee says: {}; {}", error.message, error.hint),
            Heard::Welcome(_) | Heard::HandEnded(_) | Heard::Goodbye(_) => (),
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
