import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Target } from "../targets/target.ts";
import { eventOf, type Frame, framesOf, GatewayClient, messageOf, type RunRecord, textOf } from "./gateway-client.ts";

const READ_MS = 60_000;
const STARTED = { timeout: 30_000, interval: 50 };

/** The behaviour of any gateway with the sample agents. Each test has a user of its own, and can run beside others. */
export function platformSuite(name: string, open: () => Promise<Target>): void {
  describe(name, { timeout: READ_MS }, () => {
    let target: Target;
    let client: GatewayClient;
    const newUser = (): string => `e2e-${randomUUID()}`;

    beforeAll(async () => {
      target = await open();
      client = new GatewayClient(target.url, target.fetch);
    }, 120_000);
    afterAll(async () => target?.[Symbol.asyncDispose]());

    it("is ready and has the sample agents", async () => {
      expect(await client.json("GET", "/ready")).toEqual({ status: "ready" });
      expect(await client.json("GET", "/list-apps")).toEqual(expect.arrayContaining(["artist", "bench", "weather"]));
    });

    it("keeps sessions with their state, and forgets those that are deleted", async () => {
      const sessions = `/apps/weather/users/${newUser()}/sessions`;
      const { id } = await client.json<{ id: string }>("POST", sessions, { state: { city: "Rome", "user:unit": "C" } });
      await client.json("PATCH", `${sessions}/${id}`, { stateDelta: { city: "Paris" } });
      const state = { city: "Paris", "user:unit": "C" };
      expect(await client.json("GET", `${sessions}/${id}`)).toMatchObject({ id, state });
      expect(await client.json<readonly object[]>("GET", sessions)).toEqual([expect.objectContaining({ id })]);
      await client.json("DELETE", `${sessions}/${id}`);
      expect((await client.send("GET", `${sessions}/${id}`)).status).toBe(404);
    });

    it("runs an agent with a tool, and stores what it said", async () => {
      const talk = await client.newTalk("weather", newUser());
      const answer = await client.json<readonly object[]>(
        "POST",
        "/run",
        messageOf(talk, "What is the weather in Paris?"),
      );
      expect(answer.at(-1)).toMatchObject({ author: "weather" });
      const stored = await client.events(talk);
      expect(stored.slice(1)).toEqual(answer);
      expect(stored.map(textOf).at(-1)).toMatch(/in Paris, at/);
    });

    it("streams an answer in chunks and then complete", async () => {
      const talk = await client.newTalk("bench", newUser());
      const body = { ...messageOf(talk, "n=20 d=10 s=5"), streaming: true };
      const frames = await Array.fromAsync(framesOf(await client.send("POST", "/run_sse", body)));
      const events = frames.map(eventOf);
      expect(events.map(({ partial = false }) => partial)).toEqual([...Array(20).fill(true), false]);
      expect(events.map(textOf)).toEqual([...Array(20).fill("xxxxx"), "x".repeat(100)]);
    });

    it("continues a stream that was cut, without a gap or a repetition", async () => {
      const talk = await client.newTalk("bench", newUser());
      const { runId } = await client.startRun(talk, "n=60 d=25 s=5");
      const seen: Frame[] = [];
      for await (const frame of client.stream(runId)) if (seen.push(frame) === 10) break;
      const rest = await Array.fromAsync(client.stream(runId, seen.at(-1)?.id));
      const whole = await Array.fromAsync(client.stream(runId));
      expect([...seen, ...rest]).toEqual(whole);
      expect(rest.at(-1)).toMatchObject({ event: "end", data: expect.stringContaining('"succeeded"') });
      expect(textOf(eventOf(whole.at(-2) ?? { data: "{}" }))).toBe("x".repeat(300));
    });

    it("keeps each version of an artifact until it is deleted", async () => {
      const { appName, userId, sessionId } = await client.newTalk("artist", newUser());
      const path = `/apps/${appName}/users/${userId}/sessions/${sessionId}/artifacts`;
      const save = (text: string): Promise<object> =>
        client.json("POST", path, {
          filename: "note.txt",
          artifact: { inlineData: { mimeType: "text/plain", data: Buffer.from(text).toString("base64") } },
        });
      const load = async (suffix: string): Promise<string> => {
        const { inlineData } = await client.json<{ inlineData: { data: string } }>("GET", `${path}/note.txt${suffix}`);
        return Buffer.from(inlineData.data, "base64").toString();
      };
      expect([await save("one"), await save("two")]).toMatchObject([{ version: 0 }, { version: 1 }]);
      expect(await client.json("GET", path)).toEqual(["note.txt"]);
      expect([await load(""), await load("/versions/0")]).toEqual(["two", "one"]);
      await client.json("DELETE", `${path}/note.txt`);
      expect(await client.json("GET", path)).toEqual([]);
    });

    it("lets a second message wait, refuses it, or ends the first for it, as the message says", async () => {
      const talk = await client.newTalk("bench", newUser());
      const first = await client.startRun(talk, "n=1000 d=50");
      const refused = await client.send("POST", "/v1/runs", { ...messageOf(talk, "n=1"), policy: "reject" });
      expect(refused.status).toBe(409);
      const second = await client.startRun(talk, "n=1 s=7");
      expect(second.status).toBe("pending");
      await client.json("POST", `/v1/runs/${first.runId}/cancel`, {});
      await client.follow(second.runId, READ_MS);
      const [ended, waited] = await Promise.all([first, second].map(({ runId }) => client.run(runId)));
      expect([ended?.status, waited?.status]).toEqual(["cancelled", "succeeded"]);
      const texts = (await client.events(talk)).map(textOf);
      expect([texts[0], texts.slice(-2)]).toEqual(["n=1000 d=50", ["n=1 s=7", "xxxxxxx"]]);

      const long = await client.startRun(talk, "n=1000 d=50");
      const urgent = await client.startRun(talk, "n=1 s=3", { policy: "interrupt" });
      await client.follow(urgent.runId, READ_MS);
      const statuses = await Promise.all([long, urgent].map(async ({ runId }) => (await client.run(runId)).status));
      expect(statuses).toEqual([expect.stringMatching(/^(?:cancelled|interrupted)$/), "succeeded"]);
    });

    it("cancels a run, notifies its readers, and accepts the next message", async () => {
      const talk = await client.newTalk("bench", newUser());
      const { runId } = await client.startRun(talk, "n=1000 d=50");
      for await (const { id } of client.stream(runId)) if (id !== undefined) break;
      const status = async (): Promise<string> => (await client.json<RunRecord>("GET", `/v1/runs/${runId}`)).status;
      await client.json("POST", `/v1/runs/${runId}/cancel`, {});
      const { frames } = await client.follow(runId, READ_MS);
      expect(frames.at(-1)?.data).toContain('"cancelled"');
      await expect.poll(status, STARTED).toBe("cancelled");
      await client.json("POST", "/run", messageOf(talk, "n=1 s=4"));
      expect((await client.events(talk)).map(textOf).at(-1)).toBe("xxxx");
    });

    it("serves the developer UI with its scripts", async ({ skip }) => {
      skip(target.hasUi === false, "this target has no developer UI");
      const page = await client.send("GET", "/dev-ui/");
      expect([page.status, page.headers.get("content-type")]).toEqual([200, expect.stringMatching(/^text\/html/)]);
      const scripts = [...(await page.text()).matchAll(/<script[^>]+src="([^"]+)"/g)].map(([, path = ""]) => path);
      const base = new URL(`${client.url}/dev-ui/`);
      const prefix = new URL(client.url).pathname.replace(/\/$/, "");
      const answers = scripts.map(async (path) => {
        const { pathname } = new URL(path, base);
        return (await client.send("GET", pathname.slice(prefix.length))).status;
      });
      expect(scripts.length).toBeGreaterThan(0);
      expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
    });
  });
}
