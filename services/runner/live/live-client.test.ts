import { expect, it } from "vitest";
import type { LiveInput } from "#ports/runs/live-runner-service.ts";
import { LiveClient } from "./live-client.ts";

const SOUND = { blob: { mimeType: "audio/pcm", data: "AAAA" } };

/** A client that has sent these messages, during a call. */
async function clientOf(...requests: readonly LiveInput["request"][]): Promise<LiveClient> {
  const client = new LiveClient(60_000, () => {});
  client.attach(() => {}, false);
  async function* messages(): AsyncGenerator<LiveInput> {
    for (const [index, request] of requests.entries()) yield { n: index + 1, request };
    await new Promise<never>(() => {});
  }
  void client.read(messages(), new AbortController().signal);
  await expect.poll(() => client.queue.newest).toBe(requests.length);
  return client;
}

it("reports sound that is not needed again with what is emitted next", async () => {
  const client = await clientOf(SOUND, SOUND);
  client.queue.settle(2);
  expect(client.progress()).toBeUndefined();
  const entry = { kind: "resync" } as const;
  client.emit([entry]);
  expect(client.progress()).toEqual({ kind: "worked", entries: [entry], taken: 2 });
  expect(client.progress()).toBeUndefined();
});

it("reports a second of sound though nothing is emitted", async () => {
  const client = await clientOf(...Array.from({ length: 60 }, () => SOUND));
  client.queue.settle(49);
  expect(client.progress()).toBeUndefined();
  client.queue.settle(50);
  expect(client.progress()).toEqual({ kind: "worked", entries: [], taken: 50 });
});

it("reports at once that a turn is not needed again, so that no later runner gives it to a model twice", async () => {
  const client = await clientOf(SOUND, { content: { role: "user", parts: [{ text: "hello" }] } }, SOUND);
  client.queue.settle(2);
  expect(client.progress()).toEqual({ kind: "worked", entries: [], taken: 2 });
  client.queue.settle(3);
  expect(client.progress()).toBeUndefined();
});

it("reports to a new call what the one before may not have heard", async () => {
  const client = await clientOf({ content: { role: "user", parts: [{ text: "hello" }] } });
  client.queue.settle(1);
  client.progress();
  client.attach(() => {}, false);
  expect(client.progress()).toMatchObject({ taken: 1 });
});
