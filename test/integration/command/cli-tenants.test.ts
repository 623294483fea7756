import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { createDataStores } from "#test/helpers/worlds/data-stores.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

/** The output of a command line, and its exit code. */
async function run(...args: readonly string[]) {
  await using process = new CliProcess(["tenants", ...args]);
  await process.ended;
  return [process.child.exitCode, process.output.trim()];
}

async function createFolder() {
  const path = await mkdtemp(join(tmpdir(), "export-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

/** A server with the given answers, one for each request; the last one repeats. */
async function answering(...answers: readonly string[]) {
  let asked = 0;
  const server = createServer((_request, response) => {
    const body = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // It listens on a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

it("exports to a file of the user alone, and deletes", { timeout: 60_000 }, async () => {
  verifies("tenants:export", "tenants:delete");
  await using folder = await createFolder();
  await using world = await startGateway({ deps: createDataStores() });
  for (const userId of ["ada", "bob"])
    await world.store.createSession({ tenantId: "acme", appName: "echo", userId, id: "s" });
  const url = await world.listen();
  const file = join(folder.path, "ada.jsonl");
  const exporting = ["export", "acme", "--user", "ada", "--url", url, "--output", file];
  expect(await run(...exporting)).toEqual([0, `Written to ${file}.`]);
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ kind: "session", userId: "ada", id: "s" }),
    { kind: "end" },
  ]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await run(...exporting)).toEqual([2, expect.stringContaining(`--output: ${file} exists. Name another file`)]);
  expect(await run("export", "acme", "--url", url, "--output", join(folder.path, "no", "file"))).toEqual([
    2,
    expect.stringContaining("cannot be written (ENOENT)"),
  ]);

  expect(await run("delete", "acme", "--user", "ada", "--url", url)).toEqual([
    0,
    "Deleted: 0 schedules, 0 evaluation jobs, 0 credentials, 0 pushes, 0 inbox, 0 webhooks, 0 artifacts, 0 memory, 0 evaluations, 1 sessions.",
  ]);
  expect(await run("export", "acme", "--url", url)).toEqual([
    0,
    expect.stringMatching(/^[^\n]*bob[^\n]*\n\{"kind":"end"\}$/),
  ]);
  expect(await run("deletions", "--url", url)).toEqual([0, '{\n  "deletions": []\n}']);
  expect(await run("delete", "default", "--url", url)).toEqual([1, expect.stringContaining("Add confirm=default")]);
  expect(await run("delete")).toEqual([2, expect.stringContaining("Usage: fairlead tenants export|delete <tenant>")]);
  expect(await run("export", "acme", "--bogus")).toEqual([2, expect.stringContaining("Unknown option '--bogus'")]);
});

it("fails for an export without its end, and names where it continues", { timeout: 60_000 }, async () => {
  verifies("tenants:export");
  await using server = await answering('{"kind":"session"}\n{"kind":"cursor","cursor":"sessions.x"}\n{"kind":"ses');
  expect(await run("export", "acme", "--url", server.url)).toEqual([
    1,
    expect.stringContaining("Continue with --cursor sessions.x: lines since then repeat."),
  ]);
});

it("repeats a deletion until it is done, and adds up what was deleted", { timeout: 60_000 }, async () => {
  verifies("tenants:delete");
  await using server = await answering(
    JSON.stringify({ isDone: false, at: "sessions", deleted: { memory: 2, sessions: 500 } }),
    JSON.stringify({ isDone: true, deleted: { memory: 0, sessions: 7 } }),
  );
  expect(await run("delete", "acme", "--url", server.url)).toEqual([0, "Deleted: 2 memory, 507 sessions."]);
});
