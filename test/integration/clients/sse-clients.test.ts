import { EventSource } from "eventsource";
import { createParser } from "eventsource-parser";
import { describe, expect, it, vi } from "vitest";
import { findJavaScriptClient } from "#test/helpers/clients/adk-clients.ts";
import { TappedFetch } from "#test/helpers/clients/tapped-fetch.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";

const KEY = { appName: "echo", userId: "u", id: "s" };
const RUN = { appName: "echo", userId: "u", sessionId: "s", newMessage: { role: "user", parts: [{ text: "hi" }] } };
const START = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ ...RUN, streaming: true }),
};
/** Two heartbeats of either form, and nothing after them. */
const SILENCE = /(?:(?:: hb\n+){2}|data: {2,})$/;

interface Frame {
  readonly partial?: boolean;
  readonly content?: { readonly parts: readonly { readonly text: string }[] };
}

/** The text of an event; `~` marks a chunk. */
const brief = ({ partial, content }: Frame): string => `${partial ? "~" : ""}${content?.parts[0]?.text}`;
// The frames of the gateway.
const parsed = (data: string): string => brief(JSON.parse(data) as Frame);

const AdkApiClient = await findJavaScriptClient();

/** What each client makes of `POST /run_sse`. */
const CLIENTS: Readonly<Record<string, (url: string, tap: TappedFetch) => Promise<readonly string[]>>> = {
  "the rule of ADK's client for JavaScript": async (url, tap) => {
    const text = await (await tap.fetch(`${url}/run_sse`, START)).text();
    const blocks = text.split("\n\n").filter((block) => block.startsWith("data: "));
    return blocks.map((block) => parsed(block.slice("data: ".length)));
  },
  "the rule of ADK's client for Python": async (url, tap) => {
    const text = await (await tap.fetch(`${url}/run_sse`, START)).text();
    const lines = text.split("\n").filter((line) => line.startsWith("data:") && line.slice(5).trim() !== "");
    return lines.map((line) => parsed(line.slice(5).trim()));
  },
  "the rule of @microsoft/fetch-event-source": async (url, tap) => {
    const text = await (await tap.fetch(`${url}/run_sse`, START)).text();
    const blocks = text.split(/(?<=^|\n)\n/).slice(0, -1);
    return blocks.map((block) => parsed(block.replace(/^(?:(?!data: ).*\n)*data: /, "")));
  },
  "eventsource-parser": async (url, tap) => {
    const seen: string[] = [];
    const parser = createParser({ onEvent: ({ data }) => seen.push(parsed(data)) });
    const { body } = await tap.fetch(`${url}/run_sse`, START);
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) parser.feed(chunk);
    return seen;
  },
  eventsource: async (url, tap) => {
    const source = new EventSource(`${url}/run_sse`, {
      fetch: (input, init) => tap.fetch(input, { ...init, ...START }),
    });
    const seen: string[] = [];
    source.onmessage = ({ data }) => void seen.push(parsed(data));
    await new Promise<void>((resolve) => {
      // It is at the end of the answer.
      source.onerror = () => resolve();
    });
    source.close();
    return seen;
  },
  ...(AdkApiClient !== undefined && {
    "ADK's client for JavaScript": async (url: string, tap: TappedFetch) => {
      vi.stubGlobal("fetch", tap.fetch);
      const events = await Array.fromAsync(new AdkApiClient({ backendUrl: url }).runAsync({ ...RUN, streaming: true }));
      return events.map((event) => brief(event as Frame));
    },
  }),
};

/** A gateway whose run is silent for two heartbeats at each place where a run can be. */
async function startSilentRun(tap: TappedFetch): Promise<GatewayWorld> {
  const silence = () => expect.poll(() => tap.text, { interval: 5 }).toMatch(SILENCE);
  const world = await startGateway({
    config: { SSE_HEARTBEAT_MS: 10 },
    script: async (run) => {
      await silence();
      await run.partial("one ");
      await silence();
      await run.partial("two");
      await silence();
      await run.say("one two");
      await silence();
    },
  });
  await world.store.createSession(KEY);
  return world;
}

describe("clients of streams", () => {
  it.each(Object.entries(CLIENTS))("%s gets each event of /run_sse that follows a silence", async (_name, read) => {
    verifies("wire:sse:heartbeat", "wire:sse:framing");
    using tap = new TappedFetch();
    await using world = await startSilentRun(tap);
    expect(await read(await world.listen(), tap)).toEqual(["~one ", "~two", "one two"]);
  });

  it("eventsource reads a run's stream to its end once, over a connection that is lost in a silence", async () => {
    verifies("wire:sse:resume", "wire:sse:after-the-end");
    using tap = new TappedFetch();
    await using world = await startSilentRun(tap);
    const url = await world.listen();
    // The answer of the route.
    const { runId } = (await (await fetch(`${url}/v1/runs`, START)).json()) as { runId: string };
    const source = new EventSource(`${url}/v1/runs/${runId}/stream`, { fetch: tap.fetch });
    const seen: string[] = [];
    source.onmessage = ({ data }) => {
      seen.push(parsed(data));
      if (seen.length === 1) tap.cut();
    };
    source.addEventListener("end", ({ data }) => void seen.push(data));
    const codes: unknown[] = [];
    await new Promise<void>((resolve) => {
      source.onerror = ({ code }) => {
        codes.push(code);
        if (source.readyState === EventSource.CLOSED) resolve();
      };
    });
    expect(seen).toEqual(["~one ", "~two", "one two", '{"status":"succeeded"}']);
    // After the cut and after the end it reconnects.
    expect([codes, tap.requests]).toEqual([
      [undefined, undefined, 204],
      [undefined, "1.1", "end"],
    ]);
  });
});
