import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeFolder, writeTemporary } from "#adapters/files/durable-files.ts";
import { openDataDir } from "#adapters/sqlite/data-dir.ts";
import { openDatabase } from "#adapters/sqlite/database/sqlite-database.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { changeFiles } from "#ports/editor/change-files.ts";
import { verifies } from "#test/helpers/verifies.ts";

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "private-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What others may do with the files and folders below the folder, by path. */
function openToOthers(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) => (statSync(join(folder, path)).mode & 0o077) !== 0,
  );
}

it("are readable by the user of the server alone, whatever the umask is", async () => {
  verifies("peers:files:private");
  const folder = temporaryFolder();
  using lock = openDataDir(join(folder, "locked"), { otherFolder: "x" });
  const database = openDatabase({
    file: join(folder, "data", "some.db"),
    schema: [{ number: 1, name: "test", oldest: 1, sql: "CREATE TABLE t (a)" }],
  });
  database.exec("INSERT INTO t VALUES (1)");
  await makeFolder(join(folder, "files", "deep"));
  await writeTemporary(join(folder, "files", "deep", "one"), "text");
  await changeFiles([{ path: join(folder, "draft.yaml"), text: "name: x" }], new SequentialIds());
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" });
  expect(found).toEqual(expect.arrayContaining(["data/some.db", "data/some.db-wal", "locked/lock", "draft.yaml"]));
  expect(openToOthers(folder)).toEqual([]);
  expect(lock.path).toContain("locked");
  database.close();
});

it("name the damaged one, and what to do, when the server cannot start", () => {
  verifies("peers:files:damaged");
  const file = join(temporaryFolder(), "some.db");
  const schema = [{ number: 1, name: "test", oldest: 1, sql: "CREATE TABLE t (a)" }];
  openDatabase({ file, schema }).close();
  const bytes = readFileSync(file);
  writeFileSync(file, Buffer.concat([Buffer.alloc(200, 7), bytes.subarray(200)]));
  const open = () => openDatabase({ file, schema });
  expect(open).toThrow(file);
  expect(open).toThrow("docs/operations.md#damaged-data-files");
});
