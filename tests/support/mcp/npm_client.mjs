// An agent on npm's SDK: starts the server that its arguments name, plays every game at random, and prints what it saw.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "agent", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
await client.listTools(); // the client checks structured content against the schemas that it has listed
const variants = new Set();
let decisions = 0;
for (;;) {
  const { structuredContent: shown, content } = await client.callTool({
    name: "next_decision",
    arguments: { wait_s: 20 },
  });
  if (!content[0].text) throw new Error("a reply without text");
  if (shown.state === "over") {
    if (shown.problem) throw new Error(shown.problem);
    break;
  }
  if (shown.state === "wait") continue;
  variants.add(shown.variant);
  decisions += 1;
  const chosen = shown.legal[Math.floor(Math.random() * shown.legal.length)];
  const answer = { decision: shown.decision, action: Math.random() < 0.5 ? chosen.number : chosen.action };
  const acted = await client.callTool({ name: "act", arguments: answer });
  if (acted.isError) throw new Error(acted.content[0].text);
}
const { structuredContent: standings } = await client.callTool({ name: "standings", arguments: {} });
console.log(JSON.stringify({ variants: [...variants].sort(), decisions, standings }));
await client.close();
