import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";
import { PlatformClient, PlatformWorld } from "#tooling/processes/platform-world.ts";

it.skipIf(whyNoRedis() !== undefined)(
  "has a record of a start that no runner answers after its gateway was killed, in a whole chain",
  { timeout: 90_000 },
  async () => {
    verifies("authentication:audit:held");
    await using folder = await mkdtempDisposable(join(tmpdir(), "audit-held-"));
    const file = join(folder.path, "audit.jsonl");
    await using world = await PlatformWorld.create({ linked: ["runner"] });
    for (const name of ["session", "artifact", "memory", "eval", "runner"] as const) world.start(name);
    world.start("gateway", 0, { AUDIT: "file", AUDIT_FILE: file });
    await world.untilReady();
    const client = new PlatformClient(world.url);
    await client.createSession("talk");
    world.link("runner").set({ kind: "drop" });
    const cut = client.run("talk", "hello", "/v1/runs").catch(() => "cut");
    const actions = async () =>
      [...(await readFile(file, "utf8")).matchAll(/"action":"(\w+)"/g)].map(([, name]) => name);
    await expect.poll(actions, { timeout: 20_000 }).toContain("startRun");
    await world.kill("gateway");
    expect(await cut).toBe("cut");
    expect((await actions()).filter((name) => name === "startRun")).toHaveLength(1);
    await using verification = new CliProcess(["audit", "verify", file]);
    await verification.ended;
    expect(verification.output).toContain("are whole");
  },
);
