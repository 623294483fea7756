import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EmulatedPlatform, whyNoEmulators } from "#test/helpers/servers/emulated-platform.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { PLATFORM_SERVICES, PlatformClient } from "#tooling/processes/platform-world.ts";

const TIMEOUT = { timeout: 120_000 };
const POLL = { timeout: 60_000, interval: 200 };
const missing = await whyNoEmulators();

describe.skipIf(missing !== undefined)("npm run platform on the emulators", TIMEOUT, () => {
  let platform: EmulatedPlatform;
  let client: PlatformClient;

  beforeAll(async () => {
    platform = await EmulatedPlatform.start("--agents=test/fixtures/platform-agents");
    client = new PlatformClient(platform.url, "teller");
  }, 120_000);

  afterAll(async () => {
    await platform[Symbol.asyncDispose]();
  });

  it("keeps events in Firestore, artifacts in the bucket and streams in Redis", async () => {
    verifies("platform:firestore:sessions", "platform:cloud-storage");
    await client.createSession("stores");
    const response = await client.run("stores", "tell 3 20", "/run_sse", { streaming: true });
    expect((await response.text()).match(/"text":"[^"]*"/g)).toEqual([
      '"text":"1 "',
      '"text":"2 "',
      '"text":"3 "',
      '"text":"1 2 3 "',
    ]);
    const streamed = await platform.streamedText();
    for (const chunk of ["1 ", "2 ", "3 ", "1 2 3 "])
      expect(streamed).toContain(JSON.stringify(`"text":"${chunk}"`).slice(1, -1));
    await client.run("stores", "keep tea");
    const events = await platform.storedEvents("teller", "ada", "stores");
    expect(events.map((json) => /"text":"([^"]*)"|"name":"keep"/.exec(json)?.[0])).toEqual([
      '"text":"tell 3 20"',
      '"text":"1 2 3 "',
      '"text":"keep tea"',
      '"name":"keep"',
      '"name":"keep"',
      '"text":"kept"',
    ]);
    expect((await platform.objectNames()).filter((name) => name.includes("note.txt"))).toHaveLength(1);
  });

  it("refuses turns while Firestore is silent, with a reason in time, and stores nothing of them by halves", async () => {
    await client.createSession("silent");
    expect(await client.say("silent", "one")).toBe("heard one");
    process.kill(platform.pidOf("firestore"), "SIGSTOP");
    let refused: Response;
    try {
      refused = await client.run("silent", "two");
    } finally {
      process.kill(platform.pidOf("firestore"), "SIGCONT");
    }
    // The form of every error's body.
    const { reason, message } = (await refused.json()) as { readonly reason: string; readonly message: string };
    expect([503, 504]).toContain(refused.status);
    expect(["STORE_UNAVAILABLE", "SERVICE_TIMEOUT"]).toContain(reason);
    expect(message).not.toMatch(/127\.0\.0\.1|node_modules|DEADLINE_EXCEEDED/);
    await expect.poll(async () => (await client.run("silent", "three")).status, POLL).toBe(200);
    const lines = await client.conversation("silent");
    expect(lines.slice(0, 2)).toEqual(["user: one", "teller: heard one"]);
    expect(lines.slice(-2)).toEqual(["user: three", "teller: heard three"]);
    // The store may have accepted the refused turn: then it ended as cut off, and its events show that.
    const between = lines.slice(2, -2).filter((line) => line !== "user: three" && line !== "teller: heard three");
    expect(between.filter((line) => line === "teller: heard two").length).toBeLessThanOrEqual(1);
  });

  it("refuses artifacts while the bucket is silent, and continues with all else", async () => {
    await client.createSession("bucket");
    process.kill(platform.pidOf("storage"), "SIGSTOP");
    try {
      expect(await client.say("bucket", "one")).toBe("heard one");
      const listed = await fetch(`${platform.url}/apps/teller/users/ada/sessions/bucket/artifacts`);
      expect([503, 504]).toContain(listed.status);
    } finally {
      process.kill(platform.pidOf("storage"), "SIGCONT");
    }
    const status = async () => (await fetch(`${platform.url}/apps/teller/users/ada/sessions/bucket/artifacts`)).status;
    await expect.poll(status, POLL).toBe(200);
  });

  it("answers again after any of its services was killed, with all that was stored", async () => {
    await client.createSession("kills");
    for (const service of PLATFORM_SERVICES) {
      process.kill(platform.pidOf(service), "SIGKILL");
      await platform.until(new RegExp(`${service} ended \\(SIGKILL\\); starting it again`));
      const status = async () => (await client.run("kills", service).catch(() => undefined))?.status;
      await expect.poll(status, POLL).toBe(200);
    }
    const answers = (await client.conversation("kills")).filter((line) => line.startsWith("teller: heard"));
    expect(new Set(answers)).toEqual(new Set(PLATFORM_SERVICES.map((service) => `teller: heard ${service}`)));
  });

  it("ends with nothing left behind", async () => {
    const names = [...PLATFORM_SERVICES.slice(1), "redis", "firestore", "storage"];
    const pids = names.map((name) => platform.pidOf(name));
    expect(await platform.end()).toBe(0);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});
