import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { systemClock as clock } from "#kit/platform/clock.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import { SecurityFiles } from "#test/helpers/security/security-files.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { PlatformClient, type PlatformService, PlatformWorld } from "#tooling/processes/platform-world.ts";

const whyNot = whyNoRedis();
const USERS = 3;

/** Turns of several users without a pause, until they are stopped. */
function startLoad(url: string) {
  const failed: unknown[] = [];
  let turns = 0;
  let stopped = false;
  const say = async (index: number): Promise<void> => {
    const client = new PlatformClient(url);
    for (let turn = 0; !stopped; turn += 1) {
      // New sessions, so that principals for their starts are signed all the time.
      const id = `s${index}-${turn}`;
      const created = await client.createSession(id);
      const answered = await client.run(id, "hello");
      if (!created.ok || !answered.ok) failed.push([created.status, answered.status, await answered.text()]);
      turns += 1;
    }
  };
  const users = Array.from({ length: USERS }, (_, index) => say(index));
  const more = async (count: number): Promise<void> => {
    const until = turns + count;
    await expect.poll(() => turns, { timeout: 60_000 }).toBeGreaterThanOrEqual(until);
  };
  const stop = async (): Promise<readonly unknown[]> => {
    stopped = true;
    await Promise.all(users);
    return failed;
  };
  return { more, stop };
}

describe.skipIf(whyNot !== undefined)("the keys of principals and grants", { timeout: 120_000 }, () => {
  it("are replaced while turns are in progress, and none fails; what a removed key has signed is refused", async () => {
    verifies("platform:key-rotation");
    using files = new SecurityFiles();
    await using world = await PlatformWorld.create();
    world.startAll();
    await world.untilReady();
    const load = startLoad(world.url);
    await load.more(10);
    const readsOf = (service: PlatformService, setting: string): number =>
      world
        .process(service)
        .output.split("\n")
        .filter((line) => line.includes("file read again") && line.includes(setting)).length;
    /** Writes the file of a setting, and resolves when the services have read it. */
    const write = async (setting: string, text: string, ...services: readonly PlatformService[]): Promise<void> => {
      const before = services.map((service) => readsOf(service, setting));
      writeFileSync(world.secretsOf(services[0] ?? "gateway")[setting] ?? "", text);
      const isRead = () => services.every((service, index) => readsOf(service, setting) > (before[index] ?? 0));
      await expect.poll(isRead).toBe(true);
      await load.more(10);
    };
    const read = (path: string) => readFileSync(path, "utf8");
    const keys = (name: string) => {
      const { privateKeyFile, publicKeyFile } = files.writeKeys(name);
      return { private: read(privateKeyFile), public: read(publicKeyFile) };
    };
    const former = {
      principals: world.secretsOf("session")["PRINCIPAL_PUBLIC_KEYS_FILE"] ?? "",
      signing: world.secretsOf("gateway")["PRINCIPAL_PRIVATE_KEY_FILE"] ?? "",
      grants: world.secretsOf("session")["GRANT_PRIVATE_KEY_FILE"] ?? "",
    };
    const oldPublic = read(former.principals);
    const oldPrivate = read(former.signing);
    const oldGrants = read(former.grants);
    const principals = keys("principals");
    const grants = keys("grants");

    await write("PRINCIPAL_PUBLIC_KEYS_FILE", oldPublic + principals.public, "session", "runner");
    await write("PRINCIPAL_PRIVATE_KEY_FILE", principals.private, "gateway");
    await write("PRINCIPAL_PUBLIC_KEYS_FILE", principals.public, "session", "runner");
    await write("GRANT_PRIVATE_KEY_FILE", oldGrants + grants.private, "session");
    await write("GRANT_PRIVATE_KEY_FILE", grants.private + oldGrants, "session");
    await write("GRANT_PRIVATE_KEY_FILE", grants.private, "session");
    expect(await load.stop()).toEqual([]);

    const PRINCIPAL_PRIVATE_KEY_FILE = files.write("old.key", oldPrivate);
    const old = files.open("gateway", { ...world.secretsOf("gateway"), PRINCIPAL_PRIVATE_KEY_FILE });
    const address = `127.0.0.1:${world.grpcPort("session")}`;
    await using sessions = new RemoteSessionService({ ...old.peer("session"), address, clock, timeoutMs: 5000 });
    const late = inCallScope({ principal: { tenantId: "default", scopes: ["users:all"] } }, () =>
      sessions.listSessions({ appName: "echo", userId: "ada" }),
    );
    await expect(late).rejects.toMatchObject({ reason: "PRINCIPAL_INVALID" });
  });
});
