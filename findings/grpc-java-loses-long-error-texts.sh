#!/usr/bin/env bash
# grpc-java 1.81.0 with a server of grpcio 1.85.1 (Python), which is called by both.
#
# One would guess: if a call ends with NOT_FOUND and a text of 9,000 characters, the client gets both, or a shortened
# text.
# What happens: grpcio gets both. In grpc-java the headers are over 8 KiB, so the status is INTERNAL, without the text.
#
# Prints what it saw; exits with 1 if that is no longer so.
set -euo pipefail
for program in mvn java javac; do command -v "$program" >/dev/null || exit 2; done
folder=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check --only-binary :all: grpcio==1.85.1 || exit 2
cat >pom.xml <<'XML'
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>look</groupId>
  <artifactId>look</artifactId>
  <version>1</version>
  <dependencies>
    <dependency><groupId>io.grpc</groupId><artifactId>grpc-netty-shaded</artifactId><version>1.81.0</version></dependency>
    <dependency><groupId>io.grpc</groupId><artifactId>grpc-stub</artifactId><version>1.81.0</version></dependency>
  </dependencies>
</project>
XML
mvn --batch-mode --quiet dependency:copy-dependencies -DoutputDirectory=lib >maven.txt 2>&1 || exit 2
cat >Look.java <<'JAVA'
import io.grpc.*;
import io.grpc.stub.ClientCalls;
import java.io.*;

public class Look {
  static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
    public InputStream stream(byte[] value) { return new ByteArrayInputStream(value); }
    public byte[] parse(InputStream stream) {
      try { return stream.readAllBytes(); } catch (IOException error) { throw new UncheckedIOException(error); }
    }
  };

  public static void main(String[] words) {
    var channel = Grpc.newChannelBuilder(words[0], InsecureChannelCredentials.create()).build();
    for (var name : new String[] {"Short", "Long"}) {
      var method = MethodDescriptor.newBuilder(BYTES, BYTES).setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName("test.Echo/" + name).build();
      try {
        ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT, new byte[0]);
      } catch (StatusRuntimeException error) {
        System.out.println(error.getStatus().getCode());
      }
    }
    channel.shutdownNow();
  }
}
JAVA
javac -cp "lib/*" Look.java
cat >server.py <<'PYTHON'
import sys
from concurrent.futures import ThreadPoolExecutor

import grpc


def ends(length):
    return grpc.unary_unary_rpc_method_handler(
        lambda request, context: context.abort(grpc.StatusCode.NOT_FOUND, "x" * length)
    )


handlers = {"Short": ends(4000), "Long": ends(9000)}
server = grpc.server(ThreadPoolExecutor(4), handlers=[grpc.method_handlers_generic_handler("test.Echo", handlers)])
port = server.add_insecure_port("127.0.0.1:0")
server.start()
with grpc.insecure_channel(f"127.0.0.1:{port}", [("grpc.absolute_max_metadata_size", 16384)]) as channel:
    for name in handlers:
        try:
            channel.unary_unary(f"/test.Echo/{name}")(b"")
        except grpc.RpcError as error:
            print(error.code().name, file=sys.stderr)
print(port, flush=True)
sys.stdin.read()
server.stop(0).wait()
PYTHON
mkfifo input
venv/bin/python server.py <input >port 2>grpcio & server=$!
exec 3>input
for _ in $(seq 300); do [ -s port ] && break; sleep 0.1; done
java -cp "lib/*:." Look "127.0.0.1:$(cat port)" >java
exec 3>&-
echo "grpcio:    $(tr '\n' ' ' <grpcio)"
echo "grpc-java: $(tr '\n' ' ' <java)"
[ "$(tr '\n' ' ' <grpcio)$(tr '\n' ' ' <java)" = "NOT_FOUND NOT_FOUND NOT_FOUND INTERNAL " ]
