fn main() {
    let stubs = tonic_prost_build::configure().build_server(false);
    stubs.compile_protos(&["proto/bowerbird/seat/v1/seat.proto"], &["proto"]).unwrap();
}
