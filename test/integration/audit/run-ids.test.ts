import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { AuditEvent } from "#ports/audit/audit-event.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";
import { PlatformClient, PlatformWorld } from "#tooling/processes/platform-world.ts";

const AGENTS = fileURLToPath(new URL("../../../tooling/agents", import.meta.url));
const ACTIONS: readonly string[] = ["runAgent", "runAgentStreamed", "startRun"];

/** Starts a server that records into the file, and answers where it listens. */
type Start = (folder: string, auditFile: string, stack: AsyncDisposableStack) => Promise<string>;

const inOneProcess: Start = async (folder, auditFile, stack) => {
  const flags = ["--port", "0", "--data-dir", join(folder, "data"), "--audit", "file", "--audit-file", auditFile];
  const server = stack.use(new CliProcess(["serve", AGENTS, ...flags]));
  const [, url = ""] = await server.until(/is ready: (http:\/\/[^/\s]+)/);
  return url;
};

const inSixServices: Start = async (_folder, auditFile, stack) => {
  const settings = { AUDIT: "file", AUDIT_FILE: auditFile };
  const world = stack.use(await PlatformWorld.create());
  for (const name of ["session", "artifact", "memory", "eval", "runner"] as const) world.start(name);
  world.start("gateway", 0, settings);
  await world.untilReady();
  return world.url;
};

async function verify(path: string): Promise<string> {
  await using command = new CliProcess(["audit", "verify", path]);
  await command.ended;
  return command.output;
}

/** The records of requests that start runs. */
function recordsIn(path: string): readonly (readonly [action: string, runId: string | undefined])[] {
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.flatMap((line) => {
    // The form of a record.
    const { event } = JSON.parse(line) as { readonly event: AuditEvent };
    return event.kind === "decision" && ACTIONS.includes(event.action)
      ? [[event.action, event.resource.runId] as const]
      : [];
  });
}

const SHAPES: readonly (readonly [string, Start])[] = [
  ["one process", inOneProcess],
  ...(whyNoRedis() === undefined ? [["six services", inSixServices] as const] : []),
];

it.each(SHAPES)(
  "names the started run in one record of each request, in %s",
  { timeout: 120_000 },
  async (_, start) => {
    verifies("authentication:audit:runs", "authentication:audit:chain");
    const folder = mkdtempSync(join(tmpdir(), "audit-runs-"));
    await using stack = new AsyncDisposableStack();
    stack.defer(() => rmSync(folder, { recursive: true, force: true }));
    const auditFile = join(folder, "audit", "audit.jsonl");
    const url = await start(folder, auditFile, stack);
    const client = new PlatformClient(url);
    await client.createSession("talk");
    for (const path of ["/run", "/run_sse", "/v1/runs"]) {
      const answer = await client.run("talk", "hello", path, { policy: "enqueue" });
      expect(answer.ok).toBe(true);
      await answer.text();
    }
    const answer = await fetch(`${url}/v1/runs?userId=ada`);
    const { runs } = (await answer.json()) as { readonly runs: readonly { readonly runId: string }[] };
    const ids = runs.map(({ runId }) => runId).reverse();
    expect(ids).toHaveLength(ACTIONS.length);
    // On a busy machine a start takes longer than its record is held, and has one more, without the run.
    const named = () => recordsIn(auditFile).filter(([, runId]) => runId !== undefined);
    await expect.poll(named).toEqual(ACTIONS.map((action, index) => [action, ids[index]]));
    expect(await verify(auditFile)).toContain("are whole");
  },
);
