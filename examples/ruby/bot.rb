# A random bot in Ruby, written only from the contract: proto/bowerbird/seat/v1/seat.proto.
$LOAD_PATH.unshift(File.join(__dir__, "target")) # where build.sh puts the stubs
require "digest"
require "grpc"
require "bowerbird/seat/v1/seat_services_pb"

class RandomBot
  include Bowerbird::Seat::V1 # the messages and the client

  def initialize
    @seeds = {} # by table
    @outbox = Queue.new
    @welcomed = @over = false
  end

  # Plays until the stream ends. Returns what went wrong; nil if nothing did.
  def play(address, token)
    arguments = { "grpc.max_receive_message_length" => -1 } # no limit here: the referee has its own in Limits
    stub = SeatService::Stub.new(address, :this_channel_is_insecure, channel_args: arguments)
    capabilities = Capabilities.new(max_tables: 256, max_batch: 256, features: %w[lone low misdeal show])
    say(hello: Hello.new(token: token, protocol_versions: [1], capabilities: capabilities))
    outgoing = Enumerator.new { |stream| while (message = @outbox.pop) do stream << message end }
    call = stub.play(outgoing, return_op: true)
    Thread.new { sleep(0.1) until call.status; @outbox.close } # the library waits for us when the referee has ended
    call.execute.each do |response|
      error = response.error
      return "#{error.message}; #{error.hint}" if error&.fatal && !@over
      hear(response)
    end
    "no referee answers at #{address}: the stream ended" unless @welcomed
  rescue GRPC::BadStatus => failure
    "no referee answers at #{address}: #{failure.details}" unless @welcomed # otherwise a local bot simply ends
  end

  private

  def say(**message)
    @outbox << PlayRequest.new(**message) unless @over
  end

  # Answers one message from the referee.
  def hear(response)
    case response.message # the name of the field that is set; nil if we do not know it
    when :welcome
      @welcomed = true
      say(ready: Ready.new) if response.welcome.awaits_ready
    when :table_opened then @seeds[response.table_opened.table_id] = response.table_opened.seed
    when :table_closed then @seeds.delete(response.table_closed.table_id)
    when :decision_requests
      say(decisions: Decisions.new(decisions: response.decision_requests.requests.map { |request| decide(request) }))
    when :ping then say(pong: Pong.new(ping_id: response.ping.ping_id))
    when :error then warn("the referee says: #{response.error.message}; #{response.error.hint}")
    when :goodbye
      @over = true
      @outbox.close # ends our side of the stream
    end
  end

  # Chooses an action. It depends only on the table's seed and the decision's number, so the bot is reproducible.
  def decide(request)
    drawn = Digest::SHA256.digest("#{@seeds[request.table_id]} #{request.decision_id}").unpack1("Q>")
    index = drawn % request.legal_actions.size
    Decision.new(table_id: request.table_id, decision_id: request.decision_id, action_index: index)
  end
end

address = ENV["BOWERBIRD_ADDRESS"]
offered = ENV.fetch("BOWERBIRD_PROTOCOLS", "1")
abort("BOWERBIRD_ADDRESS is not set: this program is started by bowerbird; try `bowerbird match ...`") unless address
abort("the referee speaks protocol #{offered}; this bot speaks 1") unless offered.split(",").include?("1")
abort("this bot has no TLS: it plays on the referee's machine only") if ENV["BOWERBIRD_CA"]
failure = RandomBot.new.play(address, ENV.fetch("BOWERBIRD_TOKEN", ""))
abort(failure) if failure
