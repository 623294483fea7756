import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { createFolder, expectAsInAdk, openStores, runImport } from "./import-world.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures/adk-databases/", import.meta.url));

describe.each(["v0", "v1", "service", "npm"])("a database of ADK: %s", { timeout: 60_000 }, (name) => {
  it("is read as ADK reads it, and a second import adds nothing", async () => {
    verifies("import:adk", "import:sessions", "import:resumes");
    await using folder = await createFolder();
    const config = { DATA_DIR: folder.path };
    const source = join(FIXTURES, `${name}.sqlite`);
    const expected = await readFile(join(FIXTURES, `${name}.jsonl`), "utf8");
    const count = expected.trimEnd().split("\n").length;
    const first = await runImport(source, config);
    expect(first.lines).toEqual([
      expect.stringMatching(new RegExp(`^${count} sessions with \\d+ events and 0 versions`)),
    ]);
    expect(first.code).toBe(0);
    await expectAsInAdk(config, expected);
    const again = await runImport(source, config);
    expect(again.lines).toEqual([
      `0 sessions with 0 events and 0 versions of files were imported; ${count} sessions were there already.`,
    ]);
    await expectAsInAdk(config, expected);
  });
});

it("takes the files of ADK's folder, of sessions and of users, each version once", { timeout: 60_000 }, async () => {
  verifies("import:adk", "import:resumes");
  await using folder = await createFolder();
  const config = { DATA_DIR: folder.path };
  const [source, flags] = [join(FIXTURES, "service.sqlite"), { "--artifacts": join(FIXTURES, "files") }];
  for (const saved of ["6", "0"]) {
    const { code, lines } = await runImport(source, config, flags);
    expect([code, lines[0]]).toEqual([0, expect.stringContaining(`${saved} versions of files`)]);
  }
  await using stores = await openStores(config);
  const session = { appName: "news", userId: "user-1", id: "s1" };
  const { filenames } = await stores.artifacts.listArtifactKeys(session);
  expect(filenames).toEqual(["notes/report.txt", "user:photo.png"]);
  const load = (filename: string, version?: number) => stores.artifacts.loadArtifact({ session, filename }, version);
  expect([await load("notes/report.txt", 0), await load("notes/report.txt")]).toEqual([
    { text: "first 1" },
    { text: "second 1" },
  ]);
  expect(await load("user:photo.png")).toEqual({ inlineData: { mimeType: "image/png", data: "Af8=" } });
  const photo = await stores.artifacts.getArtifactVersion({ session, filename: "user:photo.png" });
  expect(photo?.customMetadata).toEqual({ from: 1 });
});

it("names each row that cannot be read, and imports the rest", { timeout: 60_000 }, async () => {
  verifies("import:problems", "import:bounds");
  await using folder = await createFolder();
  const source = join(folder.path, "broken.sqlite");
  await copyFile(join(FIXTURES, "v1.sqlite"), source);
  {
    using database = new DatabaseSync(source);
    database.exec("UPDATE events SET event_data = '{' WHERE id = 'e0-1'");
    database.exec("UPDATE events SET event_data = '[]' WHERE id = 'e0-2'");
    database.exec(`UPDATE events SET event_data = '{"author":7}' WHERE id = 'e0-3'`);
    const long = JSON.stringify({ author: "a", content: { parts: [{ text: "x".repeat(20_000) }] } });
    database.prepare("UPDATE events SET event_data = ? WHERE id = 'e1-1'").run(long);
    const deep = `{"author":"a","x":${"[".repeat(300)}${"]".repeat(300)}}`;
    database.prepare("UPDATE events SET event_data = ? WHERE id = 'e1-2'").run(deep);
    database.exec("UPDATE user_states SET state = 'null' WHERE user_id = 'user-1'");
    const copy = "INSERT INTO sessions SELECT app_name, user_id, ?, ?, create_time, update_time FROM sessions LIMIT 1";
    database.prepare(copy).run("x".repeat(300), "{}");
    database.prepare(copy).run("bad state", "no JSON");
    database.prepare(copy).run("large state", JSON.stringify({ text: "x".repeat(9000) }));
  }
  const config = { DATA_DIR: join(folder.path, "data"), MAX_BODY_BYTES: "10000", MAX_STATE_BYTES: "4096" };
  const { code, lines } = await runImport(source, config);
  expect(code).toBe(1);
  const problems = lines.slice(0, -1).map((line) => line.replace(/^Not imported: /, ""));
  expect(problems.sort()).toEqual([
    expect.stringMatching(
      /^events \["news","user-1","s\/1"\] "e1-1": It has \d+ bytes, over the 10000 of MAX_BODY_BYTES\.$/,
    ),
    expect.stringMatching(/^events \["news","user-1","s\/1"\] "e1-2": Its JSON .*200/),
    expect.stringMatching(/^events \["weather","user-0","s\/0"\] "e0-1": Its JSON is not valid\.$/),
    expect.stringMatching(/^events \["weather","user-0","s\/0"\] "e0-2": Its JSON is not an object\.$/),
    expect.stringMatching(/^events \["weather","user-0","s\/0"\] "e0-3": .*author/),
    expect.stringMatching(/^session \[.*"large state"\]: The session state would have .*MAX_STATE_BYTES/),
    expect.stringMatching(/^sessions \[.*"bad state"\]: Its JSON is not valid\.$/),
    expect.stringMatching(/^sessions \[.*"x{300}"\]: sessionId/),
    expect.stringMatching(/^user_states \["news","user-1"\]: Its JSON is not an object\.$/),
  ]);
  expect(lines.at(-1)).toBe("2 sessions with 5 events and 0 versions of files were imported; 9 problems are above.");
});

it("refuses a session with more events than a session may have, and imports it under a higher limit", {
  timeout: 60_000,
}, async () => {
  verifies("import:bounds");
  await using folder = await createFolder();
  const source = join(FIXTURES, "v0.sqlite");
  const strict = await runImport(source, { DATA_DIR: folder.path, MAX_IMPORTED_EVENTS: "4" });
  expect(strict.code).toBe(1);
  expect(strict.lines[0]).toContain(
    'sessions ["news","user-1","s/1"]: It has more than the 4 events of MAX_IMPORTED_EVENTS',
  );
  expect((await runImport(source, { DATA_DIR: folder.path })).code).toBe(0);
});

it("puts sessions into a tenant, and refuses what is not a source", { timeout: 60_000 }, async () => {
  verifies("import:adk");
  await using folder = await createFolder();
  const config = { DATA_DIR: folder.path };
  expect((await runImport(join(FIXTURES, "v1.sqlite"), config, { "--tenant": "acme" })).code).toBe(0);
  {
    await using stores = await openStores(config);
    const key = { appName: "news", userId: "user-1", id: "s/1" };
    expect(await stores.sessions.getSession(key)).toBeUndefined();
    expect(await stores.sessions.getSession({ ...key, tenantId: "acme" })).toBeDefined();
  }
  const other = join(folder.path, "other.sqlite");
  new DatabaseSync(other).exec("CREATE TABLE notes (text TEXT)");
  const refusal = async (source: string, flags = {}, settings: Record<string, string> = config) => {
    const { code, lines } = await runImport(source, settings, flags);
    return `${code} ${lines.join(" ")}`;
  };
  expect(await refusal(other)).toMatch(/^1 .*has no tables of sessions and events of ADK/);
  expect(await refusal(join(folder.path, "nowhere"))).toMatch(/^1 .*There is no file or folder/);
  expect(await refusal(other, { "--tenant": "A B" })).toMatch(/^2 .*--tenant is not a name/);
  expect(await refusal(other, { "--artifacts": other })).toMatch(/^2 .*--artifacts: there is no folder/);
  expect(await refusal(other, {}, { SESSION_STORE: "memory" })).toMatch(/^2 .*SESSION_STORE is memory/);
});
