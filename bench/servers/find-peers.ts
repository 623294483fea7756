import { adkGo } from "./adk-go.ts";
import { adkJs } from "./adk-js.ts";
import { checkWords } from "./check-words.ts";
import type { Contender } from "./contender.ts";

const PEERS = { "adk-go": adkGo, "adk-js": adkJs };

/** The peers that this machine has and whose agent gives the same events, with a message for each other one. */
export async function findPeers(only: string | undefined): Promise<readonly Contender[]> {
  const peers: Contender[] = [];
  for (const [name, find] of Object.entries(PEERS)) {
    if (only !== undefined && only !== name) continue;
    const peer = await find();
    if (peer === undefined) continue;
    try {
      await checkWords(peer);
      peers.push(peer);
    } catch (error) {
      process.stdout.write(`Without ${peer.name}: ${error instanceof Error ? error.message : error}\n`);
    }
  }
  return peers;
}
