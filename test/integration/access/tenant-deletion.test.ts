import { expect, it } from "vitest";
import type { JsonObject } from "#kit/platform/json.ts";
import { describeWithStores, type ServiceStores } from "#test/helpers/servers/service-stores.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { PlatformWorld } from "#tooling/processes/platform-world.ts";

const options = { timeout: 120_000, isSkipped: whyNoRedis() !== undefined };

/** The six services, with sessions, files and memory of two users. */
async function startPlatform({ settings }: ServiceStores) {
  const world = await PlatformWorld.create({ settings });
  world.startAll();
  await world.untilReady();
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(world.url + path, {
      method,
      ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  for (const userId of ["ada", "bob"]) {
    const base = `/apps/echo/users/${userId}`;
    const requests = [
      ["POST", `${base}/sessions/s`, { state: { "user:tea": userId } }],
      ["POST", `${base}/sessions/s/artifacts`, { filename: "a.txt", artifact: { text: `file of ${userId}` } }],
      ["POST", "/run", { appName: "echo", userId, sessionId: "s", newMessage: { parts: [{ text: `of ${userId}` }] } }],
      ["PATCH", `${base}/memory`, { sessionId: "s" }],
    ] as const;
    for (const [method, path, body] of requests)
      expect([path, (await send(method, path, body)).status]).toEqual([path, 200]);
  }
  const kinds = async (userId: string) => {
    const { text } = await send("GET", `/v1/tenants/default/export?userId=${userId}`);
    return [
      ...new Set(
        text
          .trimEnd()
          .split("\n")
          .map((line) => (JSON.parse(line) as JsonObject)["kind"]),
      ),
    ].sort();
  };
  const deletions = async () => JSON.parse((await send("GET", "/v1/tenant-deletions")).text) as JsonObject;
  const remove = () => send("DELETE", "/v1/tenants/default?userId=ada");
  return { world, send, kinds, deletions, remove, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

describeWithStores("a deletion on six services", options, (nextStores) => {
  it("that a killed service interrupts is ended by another call, and leaves nothing of the user", async () => {
    verifies("tenants:delete", "tenants:delete:nothing-begins");
    await using platform = await startPlatform(nextStores());
    const { world, send, kinds, deletions, remove } = platform;
    const whole = ["artifact", "end", "event", "memory", "run", "session", "user-state"];
    expect(await kinds("ada")).toEqual(whole);

    await world.kill("memory");
    const interrupted = await remove();
    expect([interrupted.status, interrupted.text]).toEqual([503, expect.stringContaining("UNAVAILABLE")]);
    expect(await deletions()).toMatchObject({ deletions: [{ tenantId: "default", userId: "ada" }] });
    const refused = await send("POST", "/apps/echo/users/ada/sessions/next", {});
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("DATA_IN_DELETION")]);

    // The session service keeps which deletions have not ended.
    await world.kill("session");
    for (const service of ["session", "memory"] as const) world.start(service);
    await world.untilReady();
    expect(await deletions()).toMatchObject({ deletions: [{ userId: "ada" }] });
    const ended = await remove();
    expect([ended.status, JSON.parse(ended.text)]).toEqual([200, expect.objectContaining({ isDone: true })]);
    expect(await kinds("ada")).toEqual(["end"]);
    expect(await deletions()).toEqual({ deletions: [] });
    expect(await kinds("bob")).toEqual(whole);
    expect((await send("POST", "/apps/echo/users/ada/sessions/next", {})).status).toBe(200);
  });
});
