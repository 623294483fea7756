import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";
import { createFolder, openStores, runImport } from "./import-world.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures/adk-databases/", import.meta.url));
const LARGE = Buffer.alloc(400 * 1024, 7).toString("base64");

async function run(...args: readonly string[]) {
  await using process = new CliProcess(args);
  await process.ended;
  return { code: process.child.exitCode, output: process.output.trim() };
}

/** A data folder with sessions of two tenants, one of them closed, with files and a large picture. */
async function fill(path: string): Promise<void> {
  const config = { DATA_DIR: path };
  const artifacts = { "--artifacts": join(FIXTURES, "files") };
  expect((await runImport(join(FIXTURES, "service.sqlite"), config, artifacts)).code).toBe(0);
  expect((await runImport(join(FIXTURES, "v0.sqlite"), config, { "--tenant": "acme" })).code).toBe(0);
  await using stores = await openStores(config);
  await stores.sessions.closeSession({ appName: "news", userId: "user-1", id: "s/1" });
}

it("writes what an import reads, and the imported stores write the same", { timeout: 60_000 }, async () => {
  verifies("import:export");
  await using folder = await createFolder();
  const place = (name: string) => join(folder.path, name);
  await fill(place("one"));
  const exported = await run("export", place("one.jsonl"), "--data-dir", place("one"));
  expect(exported).toEqual({
    code: 0,
    output: `6 sessions with 20 events and 6 versions of files were written to ${place("one.jsonl")}.`,
  });
  expect(await run("export", place("one.jsonl"), "--data-dir", place("one"))).toMatchObject({ code: 2 });
  // From the file, and from the stores themselves.
  for (const [source, target] of [
    ["one.jsonl", "two"],
    ["one", "three"],
  ] as const) {
    const { code, output } = await run("import", place(source), "--data-dir", place(target));
    expect([code, output]).toEqual([0, "6 sessions with 20 events and 6 versions of files were imported."]);
    expect(await run("export", place(`${target}.jsonl`), "--data-dir", place(target))).toMatchObject({ code: 0 });
    expect(await readFile(place(`${target}.jsonl`), "utf8")).toBe(await readFile(place("one.jsonl"), "utf8"));
  }
  const piped = await run("export", "-", "--data-dir", place("one"));
  expect(piped.output).toBe((await readFile(place("one.jsonl"), "utf8")).trim());
});

it("names the lines that it cannot read, and an export that was cut off", { timeout: 60_000 }, async () => {
  verifies("import:problems", "import:bounds");
  await using folder = await createFolder();
  const file = join(folder.path, "export.jsonl");
  const names = { appName: "app", userId: "me" };
  const session = (id: string, more: object = {}) => ({
    kind: "session",
    ...names,
    id,
    state: {},
    lastUpdateTime: 1e12,
    ...more,
  });
  const event = (sessionId: string, id: string, text = "hi") => {
    return {
      kind: "event",
      ...names,
      sessionId,
      sequence: 1,
      event: { id, invocationId: "i", timestamp: 1e12, author: "user", content: { parts: [{ text }] } },
    };
  };
  const lines = [
    session("a"),
    event("a", "1"),
    event("other", "2"),
    { kind: "event", ...names, sessionId: "a", event: { id: "x", invocationId: "i", timestamp: 1e12, author: 7 } },
    session("b", { lastUpdateTime: "now" }),
    event("b", "3"),
    session("c"),
    ...Array.from({ length: 6 }, (_, index) => event("c", `c${index}`)),
    session("", {}),
    { kind: "artifact", ...names, sessionId: "a", filename: "f", version: -1, artifact: { text: "x" } },
    { kind: "artifact", ...names, sessionId: "a", filename: "f", version: 0, artifact: { text: "x" } },
    { kind: "surprise" },
    { kind: "run", ...names },
  ];
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await appendFile(file, `{"kind":"session","x":"${"y".repeat(5000)}"}\nno JSON`);
  const limits = { MAX_IMPORTED_EVENTS: "5", MAX_FILE_BODY_BYTES: "2048", MAX_BODY_BYTES: "1024" };
  const { code, lines: printed } = await runImport(file, { DATA_DIR: join(folder.path, "data"), ...limits });
  expect(code).toBe(1);
  expect(printed.map((line) => line.replace("Not imported: ", ""))).toEqual([
    "line 3: Its session is not the one before it.",
    expect.stringMatching(/^line 4: .*author/),
    "line 5: lastUpdateTime must be milliseconds.",
    "line 6: Its session is not the one before it.",
    "line 7: It has more than the 5 events of MAX_IMPORTED_EVENTS.",
    expect.stringMatching(/^line 14: sessionId/),
    "line 15: version must be a whole number.",
    "line 17: Its kind is not one of an export.",
    "line 19: It is longer than 4096 bytes (MAX_FILE_BODY_BYTES).",
    "line 20: Its JSON is not valid.",
    "line 20: The last line is not one of the kind end: the export was cut off.",
    "1 sessions with 1 events and 1 versions of files were imported; 11 problems are above.",
  ]);
});

it("is killed again and again, continues, and stores nothing twice", { timeout: 120_000 }, async () => {
  verifies("import:resumes");
  await using folder = await createFolder();
  const file = join(folder.path, "export.jsonl");
  const names = { appName: "app", userId: "me" };
  const count = 400;
  const data = { mimeType: "image/png", data: LARGE };
  const lines: object[] = [];
  for (let index = 0; index < count; index += 1) {
    const id = `s${index}`;
    lines.push({ kind: "session", ...names, id, state: { index }, lastUpdateTime: 1e12 });
    for (const part of [{ text: "hi" }, index % 100 === 0 ? { inlineData: data } : { text: "ho" }])
      lines.push({
        kind: "event",
        ...names,
        sessionId: id,
        event: {
          id: `${id}-${lines.length}`,
          invocationId: "i",
          timestamp: 1e12,
          author: "user",
          content: { parts: [part] },
        },
      });
    for (const version of [0, 1])
      lines.push({
        kind: "artifact",
        ...names,
        sessionId: id,
        filename: "f.txt",
        version,
        artifact: { text: `v${version}` },
      });
  }
  await writeFile(file, [...lines, { kind: "end" }].map((line) => `${JSON.stringify(line)}\n`).join(""));
  const config = { DATA_DIR: join(folder.path, "data") };
  const args = ["import", file, "--data-dir", join(folder.path, "data")];
  let before = 0;
  let cut = 0;
  for (let kill = 0; kill < 5; kill += 1) {
    {
      await using process = new CliProcess(args);
      await new Promise((resolve) => setTimeout(resolve, 700 + 150 * kill));
      await process.end("SIGKILL");
    }
    await using stores = await openStores(config);
    const { sessions } = await stores.sessions.listSessions({ ...names });
    expect(sessions.length).toBeGreaterThanOrEqual(before);
    before = sessions.length;
    if (before > 0 && before < count) cut += 1;
    // Each of them is whole.
    for (const { revision } of sessions) expect(revision).toBe(2);
  }
  expect(cut).toBeGreaterThan(0);
  const last = await run(...args);
  expect(last.output).toContain(`${before} sessions were there already`);
  await using stores = await openStores(config);
  for (let index = 0; index < count; index += 1) {
    const session = { ...names, id: `s${index}` };
    const read = await stores.sessions.getSession(session);
    expect([read?.revision, read?.state]).toEqual([2, { index }]);
    const file = { session, filename: "f.txt" };
    const { versions } = await stores.artifacts.listVersions(file);
    // A process that is killed while it saves a version has used up its number, which the import reports.
    const texts = versions.map(async (version) => (await stores.artifacts.loadArtifact(file, version))?.text);
    expect(await Promise.all(texts)).toEqual(["v0", "v1"]);
  }
});
