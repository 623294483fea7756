import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { hasSmallDisk, SmallDisk } from "#test/helpers/faults/small-disk.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

const AGENTS = fileURLToPath(new URL("../../../tooling/agents", import.meta.url));
const SESSIONS = "/apps/echo/users/ada/sessions";

interface Line {
  readonly event: { readonly kind: string; readonly action?: string };
}

function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), "audit-server-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

async function command(...args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  await using process = new CliProcess(["audit", ...args]);
  await process.ended;
  return { code: process.child.exitCode, output: process.output };
}

async function actionsIn(path: string): Promise<readonly (string | undefined)[]> {
  const { output } = await command("export", path);
  const lines = output.trim().split("\n");
  return lines.map((line) => (JSON.parse(line) as Line).event).map(({ kind, action }) => action ?? kind);
}

it("records what a server does, over a restart, and checks it by the command while the server runs", async () => {
  verifies("authentication:audit:chain", "authentication:audit:decisions");
  using data = temporaryFolder();
  const path = join(data.path, "audit", "audit.jsonl");
  const start = () =>
    new CliProcess([
      "serve",
      AGENTS,
      "--port",
      "0",
      "--data-dir",
      join(data.path, "data"),
      "--audit",
      "file",
      "--audit-file",
      path,
    ]);
  {
    await using server = start();
    const [, url = ""] = await server.until(/is ready: (http:\/\/[^/\s]+)/);
    expect((await fetch(`${url}${SESSIONS}/s1`, { method: "POST" })).status).toBe(200);
    expect((await fetch(`${url}${SESSIONS}/s1`)).status).toBe(200);
    expect(await (await fetch(`${url}/metrics`)).text()).toContain("fairlead_audit_records_total");
    await expect.poll(() => actionsIn(path), { timeout: 20_000 }).toEqual(["start", "createSessionWithId"]);
    expect(await command("verify", path)).toMatchObject({
      code: 0,
      output: expect.stringContaining("records 1 to 2 are whole"),
    });
    await server.end("SIGTERM");
  }
  await using server = start();
  const [, url = ""] = await server.until(/is ready: (http:\/\/[^/\s]+)/);
  await fetch(`${url}${SESSIONS}/s1`, { method: "DELETE" });
  await server.end("SIGTERM");
  expect(await actionsIn(path)).toEqual(["start", "createSessionWithId", "start", "deleteSession"]);
  expect((await command("verify", path)).code).toBe(0);
  expect(readdirSync(join(data.path, "audit")).sort()).toEqual([
    ".gitignore",
    "audit.jsonl",
    "audit.jsonl.head",
    "lock",
    "reserved-space",
  ]);
});

it("writes records into the server's output, which the command reads", async () => {
  using data = temporaryFolder();
  await using server = new CliProcess(["serve", AGENTS, "--port", "0", "--data-dir", data.path, "--audit", "stdout"]);
  const [, url = ""] = await server.until(/is ready: (http:\/\/[^/\s]+)/);
  await Promise.all(Array.from({ length: 20 }, (_, index) => fetch(`${url}${SESSIONS}/s${index}`, { method: "POST" })));
  await server.end("SIGTERM");
  await using check = new CliProcess(["audit", "verify", "-", "--in-log"]);
  check.child.stdin?.end(server.output);
  await check.ended;
  expect(check.output).toContain("records 1 to 21 are whole");
  expect(check.child.exitCode).toBe(0);
});

it.skipIf(!hasSmallDisk())(
  "refuses changes of agents while the disk of the audit log is full, and nothing else",
  async () => {
    verifies("authentication:audit:fail-closed");
    using disk = new SmallDisk(1);
    using data = temporaryFolder();
    const agents = agentsFolder({ "app/root_agent.yaml": "name: app\nmodel: demo/echo\ninstruction: x\n" });
    const path = join(disk.path, "audit.jsonl");
    const flags = ["--port", "0", "--data-dir", data.path, "--audit", "file", "--audit-file", path];
    await using server = new CliProcess(["serve", agents.path, ...flags]);
    const [, url = ""] = await server.until(/is ready: (http:\/\/[^/\s]+)/);
    const dropDraft = async () => {
      const answer = await fetch(`${url}/builder/app/app/cancel`, { method: "POST" });
      return [answer.status, ((await answer.json()) as { reason?: string }).reason];
    };
    const createSession = async (id: string) =>
      (await fetch(`${url}/apps/app/users/ada/sessions/${id}`, { method: "POST" })).status;
    expect(await dropDraft()).toEqual([200, undefined]);
    disk.fill();
    // The last page of the log has room for some records.
    await expect.poll(dropDraft, { timeout: 20_000 }).toEqual([503, "AUDIT_UNAVAILABLE"]);
    expect(await createSession("during")).toBe(200);
    disk.free();
    await expect.poll(dropDraft, { timeout: 10_000 }).toEqual([200, undefined]);
    expect(await createSession("after")).toBe(200);
    await server.end("SIGTERM");
    expect((await command("verify", path)).code).toBe(0);
    const actions = await actionsIn(path);
    expect(actions.filter((action) => action === "createSessionWithId")).toHaveLength(2);
  },
);
