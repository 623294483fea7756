import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ComposePlatform, findComposeTools } from "#test/helpers/servers/compose-platform.ts";

const tools = findComposeTools(process.env);

/** Ends the server of a container as a crash would: the engine would treat its own kill as intended. */
const CRASH = `
  const { readdirSync, readFileSync } = require("node:fs");
  for (const id of readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name)).map(Number))
    if (id !== 1 && id !== process.pid && readFileSync("/proc/" + id + "/cmdline", "utf8").includes("fairlead.mjs")) process.kill(id, "SIGKILL");
`;
const WRITE = `require("node:fs").writeFileSync("/app/x", "")`;
const SERVICES = ["artifact", "eval", "firestore", "gateway", "memory", "redis", "runner", "session", "storage"];

describe.runIf(tools !== undefined)("deploy/compose.yaml", () => {
  let platform: ComposePlatform;
  beforeAll(async () => {
    if (tools === undefined) return;
    platform = await ComposePlatform.up(tools);
    await platform.untilReady();
  }, 240_000);
  afterAll(async () => void (await platform?.down()), 120_000);

  const ask = (text: string, sessionId = "s", appName = "weather") =>
    platform.call("/run", { appName, userId: "u", sessionId, newMessage: { role: "user", parts: [{ text }] } });

  it("starts six services, Redis and two emulators, each unable to write to its own image", () => {
    expect(platform.containers()).toEqual(SERVICES.map((service) => `${service} Up`));
    const { status, stderr } = platform.exec("session", WRITE);
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("EROFS") });
  });

  it("holds a conversation and keeps it in its stores", async () => {
    await platform.call("/apps/weather/users/u/sessions/s", {});
    const events = await ask("What is the weather in Paris?");
    expect(JSON.stringify(events)).toContain("Paris");
    const session = await platform.call("/apps/weather/users/u/sessions/s");
    expect(session).toMatchObject({ id: "s", events: [{ author: "user" }, ...Array(3).fill({ author: "weather" })] });
  });

  it("stores artifacts", async () => {
    await platform.call("/apps/artist/users/u/sessions/a", {});
    await ask("Draw a red circle", "a", "artist");
    expect(await platform.call("/apps/artist/users/u/sessions/a/artifacts")).toEqual(["red-circle.png"]);
    expect(await platform.call("/apps/artist/users/u/sessions/a/artifacts/red-circle.png")).toMatchObject({
      inlineData: { mimeType: "image/png", data: expect.stringMatching(/^iVBORw0KGgo/) },
    });
  });

  it.each(["session", "runner", "gateway"])(
    "continues the conversation after its %s has crashed",
    async (service) => {
      const sessionId = `after-${service}`;
      await platform.call(`/apps/weather/users/u/sessions/${sessionId}`, {});
      await ask("What is the weather in Rome?", sessionId);
      const before = platform.startedAt(service);
      platform.exec(service, CRASH);
      await expect.poll(() => platform.startedAt(service), { timeout: 60_000, interval: 200 }).not.toBe(before);
      // Until the others have reconnected to it, they answer that the request should be repeated.
      const answer = () => ask("And in Oslo?", sessionId).then(JSON.stringify, String);
      await expect.poll(answer, { timeout: 60_000, interval: 500 }).toContain("Oslo, at");
      const { events } = (await platform.call(`/apps/weather/users/u/sessions/${sessionId}`)) as { events: unknown[] };
      expect(JSON.stringify(events)).toMatch(/Rome.*Oslo/);
    },
    90_000,
  );

  it("leaves nothing behind when it is taken down", async () => {
    expect(await platform.down()).toEqual([]);
  }, 120_000);
});
