import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { cannotRun } from "./browser.ts";
import { UiWorld } from "./ui-world.ts";

/** Is silent before each chunk and before its answer. */
const SLOW_AGENT = `
import { setTimeout } from "node:timers/promises";
import { BaseAgent, modelContent } from "fairlead/kit";

class Slow extends BaseAgent {
  async *runAsyncImpl(context) {
    for (const [text, partial] of [["one ", true], ["two", true], ["one two", false]]) {
      await setTimeout(200);
      yield context.createEvent({ content: modelContent(text), ...(partial && { partial }) });
    }
  }
}
export const rootAgent = new Slow({ name: "slow" });
`;

const CLIENTS = fileURLToPath(new URL("sse-clients-page.mjs", import.meta.url));
const TEXTS = ["one ", "two", "one two"];

async function bundled(): Promise<string> {
  const bundle = await rolldown({ input: CLIENTS });
  const { output } = await bundle.generate({ format: "iife" });
  await bundle.close();
  return output[0].code;
}

interface Seen {
  readonly status?: string;
  readonly content?: { readonly parts: readonly { readonly text: string }[] };
}

const RUN = {
  ...{ appName: "slow", userId: "u", streaming: true },
  newMessage: { role: "user", parts: [{ text: "go" }] },
};

describe.skipIf(cannotRun("clients of streams in a browser"))("clients of streams in a browser", () => {
  it("read each event once, with silences, and end with the run", async () => {
    verifies("wire:sse:heartbeat", "wire:sse:framing", "wire:sse:after-the-end");
    await using world = await UiWorld.start(agentsFolder({ "slow/agent.ts": SLOW_AGENT }).path, {
      SSE_HEARTBEAT_MS: "40",
      AUTO_CREATE_SESSION: "true",
    });
    const { page } = await world.openPage("/version");
    await page.evaluate(await bundled());
    const read = async (client: string, ...words: readonly unknown[]) => {
      const call = page.evaluate<readonly Seen[]>(`streamClients.${client}(${JSON.stringify(words).slice(1, -1)})`);
      return (await call).map(({ status, content }) => status ?? content?.parts[0]?.text);
    };
    const run = (client: string) => read(client, "/run_sse", { ...RUN, sessionId: `${client} of a request` });
    const follow = async (client: string) => {
      const options = { method: "POST", headers: { "content-type": "application/json" } };
      const body = JSON.stringify({ ...RUN, sessionId: `${client} of a run` });
      // The answer of the route.
      const { runId } = (await (await fetch(`${world.url}/v1/runs`, { ...options, body })).json()) as { runId: string };
      return read(client, `/v1/runs/${runId}/stream`);
    };
    expect(await run("fetchEventSource")).toEqual(TEXTS);
    expect(await run("sse")).toEqual(TEXTS);
    expect(await follow("fetchEventSource")).toEqual([...TEXTS, "succeeded"]);
    // It reports events by name only.
    expect(await follow("sse")).toEqual(TEXTS);
    expect(await follow("eventSource")).toEqual([...TEXTS, "succeeded"]);
  });
});
