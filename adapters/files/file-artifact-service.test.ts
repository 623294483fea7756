import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionKey } from "#kit/sessions/session.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { FileArtifactService } from "./file-artifact-service.ts";
import { fromFileSegment, isHashedSegment, toFileSegment } from "./file-segment.ts";

const SESSION: SessionKey = { appName: "app", userId: "user", id: "session" };

/** A service in `root/inside`; any other file in `root` was written outside the service's folder. */
async function openFolder() {
  const root = await mkdtemp(join(tmpdir(), "fairlead-files-"));
  const inside = join(root, "inside");
  const open = () => new FileArtifactService({ root: inside, clock: new FixedClock() });
  return { root, inside, open, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

async function filesUnder(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

describe("FileArtifactService", () => {
  it("lays files out by app, user, scope and name, with raw bytes", async () => {
    await using folder = await openFolder();
    const service = folder.open();
    const bytes = Buffer.from([0, 255, 10, 13]);
    await service.saveArtifact({
      session: SESSION,
      filename: "a.bin",
      artifact: { inlineData: { data: bytes.toString("base64") } },
    });
    await service.saveArtifact({ session: SESSION, filename: "user:Note.txt", artifact: { text: "é" } });
    expect((await filesUnder(folder.inside)).toSorted()).toEqual([
      "app/user/s/session/a.bin/0.data",
      "app/user/s/session/a.bin/0.json",
      "app/user/u/~note.txt/0.data",
      "app/user/u/~note.txt/0.json",
    ]);
    expect(await readFile(join(folder.inside, "app/user/s/session/a.bin/0.data"))).toEqual(bytes);
    expect(await readFile(join(folder.inside, "app/user/u/~note.txt/0.data"), "utf8")).toBe("é");
  });

  it("finds everything again after a restart, and continues to count after a delete", async () => {
    await using folder = await openFolder();
    const key = { session: SESSION, filename: "日".repeat(80) };
    const before = folder.open();
    await before.saveArtifact({ ...key, artifact: { text: "0" } });
    await before.saveArtifact({ ...key, artifact: { text: "1" } });
    expect(await folder.open().loadArtifact(key)).toEqual({ text: "1" });
    expect(await folder.open().listArtifactKeys(SESSION)).toEqual({ filenames: [key.filename] });
    await folder.open().deleteArtifact(key);
    expect(await folder.open().saveArtifact({ ...key, artifact: { text: "2" } })).toMatchObject({ version: 2 });
  });

  it("does not show a version whose save was cut off, and does not reuse its number", async () => {
    await using folder = await openFolder();
    const key = { session: SESSION, filename: "a" };
    await folder.open().saveArtifact({ ...key, artifact: { text: "0" } });
    await writeFile(join(folder.inside, "app/user/s/session/a/1.data"), "half");
    expect(await folder.open().loadArtifact(key)).toEqual({ text: "0" });
    expect(await folder.open().listVersions(key)).toEqual({ versions: [0] });
    expect(await folder.open().saveArtifact({ ...key, artifact: { text: "2" } })).toMatchObject({ version: 2 });
  });

  it("finds by its age what is left of a version that a killed process has deleted in part", async () => {
    verifies("retention:resumes");
    await using folder = await openFolder();
    const service = folder.open();
    for (const filename of ["a", "user:b"])
      await service.saveArtifact({ session: SESSION, filename, artifact: { text: "x" } });
    const before = Date.now() + 60_000;
    // A deletion removes the record first.
    for (const name of ["s/session/a", "u/b"]) await rm(join(folder.inside, "app/user", name, "0.json"));
    const { items } = await folder.open().listOldData({ before, pageSize: 10 });
    expect(items.map(({ id }) => id).toSorted()).toEqual(["a/0", "user:b/0"]);
    const { appName, userId } = SESSION;
    await folder.open().deleteOldData({ appName, userId, items, before });
    const left = await filesUnder(folder.inside);
    expect(left.filter((name) => /\.(?:data|json)$/.test(name))).toEqual([]);
  });

  it("removes what an earlier process left unfinished, and leaves nothing unfinished itself", async () => {
    await using folder = await openFolder();
    await mkdir(join(folder.inside, ".tmp"), { recursive: true });
    await writeFile(join(folder.inside, ".tmp", "7"), "left behind");
    const service = folder.open();
    const saves = Array.from({ length: 10 }, () =>
      service.saveArtifact({ session: SESSION, filename: "a", artifact: { text: "x" } }),
    );
    await Promise.all(saves);
    await service.deleteArtifact({ session: SESSION, filename: "a" });
    expect(await filesUnder(join(folder.inside, ".tmp"))).toEqual([]);
  });

  it("survives a session's deletion in the middle of its saves", async () => {
    await using folder = await openFolder();
    const service = folder.open();
    const tasks: Promise<unknown>[] = [];
    for (let index = 0; index < 20; index += 1) {
      tasks.push(service.saveArtifact({ session: SESSION, filename: `f-${index}`, artifact: { text: "x" } }));
      if (index % 5 === 0) tasks.push(service.deleteSessionArtifacts(SESSION));
    }
    await Promise.all(tasks);
    await service.deleteSessionArtifacts(SESSION);
    expect(await service.listArtifactKeys(SESSION)).toEqual({ filenames: [] });
    expect(await filesUnder(folder.inside)).toEqual([]);
  });

  it("never writes outside its folder, whatever the names", async () => {
    await using folder = await openFolder();
    const service = folder.open();
    const part = fc.constantFrom(
      "..",
      ".",
      "/",
      "\\",
      "%2f",
      "%2e",
      "~",
      "a",
      "A",
      "C:",
      "_",
      "user:",
      "é",
      " ",
      ".tmp",
      "s",
      "u",
    );
    const name = fc.array(part, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(name, name, name, async (appName, id, filename) => {
        fc.pre(filename !== "user:");
        const key = { session: { appName, userId: appName, id }, filename };
        await service.saveArtifact({ ...key, artifact: { text: filename } });
        expect(await service.loadArtifact(key)).toEqual({ text: filename });
        expect(await readdir(folder.root)).toEqual(["inside"]);
      }),
      { numRuns: 40 },
    );
  });
});

describe("toFileSegment", () => {
  const identifier = fc
    .string({ unit: "binary", minLength: 1, maxLength: 80 })
    .filter((name) => !/\p{Cc}|\p{Cs}/u.test(name));

  it("gives one short, plain file name that never looks like a path or one of our own files", () => {
    fc.assert(
      fc.property(identifier, (name) => {
        expect(toFileSegment(name)).toMatch(/^(?![.])[a-z0-9@=+,._~%A-F-]{1,160}$/);
      }),
    );
  });

  it("can be undone unless it is hashed", () => {
    fc.assert(
      fc.property(identifier, (name) => {
        const segment = toFileSegment(name);
        if (!isHashedSegment(segment)) expect(fromFileSegment(segment)).toBe(name);
      }),
    );
  });

  it("differs for names that differ only in case or in their escapes", () => {
    const names = ["a/b", "a%2Fb", "a%2fb", "A/b", "a~b", "~a", "A", "a"];
    expect(new Set(names.map((name) => toFileSegment(name).toLowerCase())).size).toBe(names.length);
  });

  it("does not read what it did not write", () => {
    expect(["A", ".next", "..", "a%2fb", "~", "%41", ""].map(fromFileSegment)).toEqual(Array(7).fill(undefined));
  });
});
