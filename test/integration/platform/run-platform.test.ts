import { describe, expect, it } from "vitest";
import { postgresMissing } from "#tooling/emulators/postgres-programs.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { findS3Server } from "#tooling/emulators/s3-server.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";
import { PlatformClient } from "#tooling/processes/platform-world.ts";

const TIMEOUT_MS = 60_000;
const SCRIPT = "deploy/run-platform.ts";
const s3 = await findS3Server();
/** The stores, and the processes of the platform with them. */
const PLATFORMS = [
  { stores: "sqlite", artifacts: "files", transport: "redis", processes: 7, missing: undefined },
  {
    ...{ stores: "postgres", artifacts: "files", transport: "postgres", processes: 7 },
    missing: postgresMissing(),
  },
  {
    stores: "postgres",
    artifacts: "s3",
    transport: "redis",
    processes: 9,
    missing: postgresMissing() ?? ("missing" in s3 ? s3.missing : undefined),
  },
] as const;
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Whether a process of that id exists. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(whyNoRedis() !== undefined)("the platform on one machine", () => {
  it.for(PLATFORMS)(
    "serves at the URL that it prints, starts again what was killed, and leaves nothing behind: $stores, artifacts in $artifacts, streams in $transport",
    { timeout: TIMEOUT_MS },
    async ({ stores, artifacts, transport, processes, missing }, { skip }) => {
      skip(missing !== undefined, missing);
      const args = [
        `--stores=${stores}`,
        `--artifacts=${artifacts}`,
        `--transport=${transport}`,
        "--port=0",
        "--agents=tooling/agents",
      ];
      await using platform = new CliProcess(args, { script: SCRIPT });
      const [, url = ""] = await platform.until(/The platform is ready: (\S+)/);
      const client = new PlatformClient(url);
      await client.createSession("talk");
      expect(await client.say("talk", "hello")).toBe("You said: hello (1)");

      const files = "/apps/echo/users/ada/sessions/talk/artifacts";
      const artifact = { inlineData: { mimeType: "image/png", data: PIXEL } };
      expect((await client.post(files, { filename: "a.png", artifact })).status).toBe(200);
      const stored: unknown = await (await fetch(`${url}${files}/a.png`)).json();
      expect(stored).toMatchObject({ inlineData: { mimeType: "image/png", data: PIXEL } });
      const pids = [...platform.output.matchAll(/^ {2}(\w+) (\d+) \(/gm)].map(([, , pid]) => Number(pid));
      expect(pids.map(lives)).toEqual(Array(processes).fill(true));
      const runner = Number(/^ {2}runner (\d+)/m.exec(platform.output)?.[1]);
      process.kill(runner, "SIGKILL");
      await platform.until(/runner ended \(SIGKILL\); starting it again/);
      const status = async (): Promise<number> => (await client.run("talk", "again")).status;
      await expect.poll(status, { timeout: 60_000, interval: 200 }).toBe(200);
      expect(await platform.end("SIGINT")).toBe(0);
      expect(pids.map(lives)).toEqual(Array(processes).fill(false));
    },
  );

  it("says in one sentence what is wrong with its options", async () => {
    await using platform = new CliProcess(["--stores=paper"], { script: SCRIPT });
    await platform.ended;
    expect([platform.child.exitCode, platform.output]).toEqual([
      1,
      '--stores must be firestore, postgres or sqlite, not "paper".\n',
    ]);
  });
});
