import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { FileArtifactService } from "#adapters/files/file-artifact-service.ts";
import { FileEvalStore } from "#adapters/files/file-eval-store.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { injectFileFaults } from "#test/helpers/faults/file-faults.ts";
import { expectNoLastingFault, type StoreOperation } from "./transient-faults.ts";

const CODES = ["EMFILE", "ENOSPC", "EACCES", "EIO", "EBUSY"] as const;
const SESSION = { appName: "app", userId: "ada", id: "talk" };
const NOTES = { session: SESSION, filename: "notes.txt" };

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "faults-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function artifactOperations(root: string): Promise<readonly StoreOperation[]> {
  const service = new FileArtifactService({ root, clock: new FixedClock() });
  await service.saveArtifact({ ...NOTES, artifact: { inlineData: { mimeType: "text/plain", data: "YQ==" } } });
  const other = { session: { ...SESSION, id: "other" }, filename: "draft.txt" };
  const long = { session: { ...SESSION, id: "third" }, filename: `${"long".repeat(60)}.txt` };
  return [
    { name: "save", run: () => service.saveArtifact({ ...other, artifact: { text: "x" } }) },
    { name: "save under a long name", run: () => service.saveArtifact({ ...long, artifact: { text: "x" } }) },
    {
      name: "load",
      run: () => service.loadArtifact(NOTES),
      answer: { inlineData: { mimeType: "text/plain", data: "YQ==" } },
    },
    { name: "list", run: () => service.listArtifactKeys(SESSION), answer: { filenames: ["notes.txt"] } },
    { name: "list versions", run: () => service.listVersions(NOTES), answer: { versions: [0] } },
    { name: "version", run: () => service.getArtifactVersion(NOTES, 0).then((found) => found?.version), answer: 0 },
    { name: "delete", run: () => service.deleteArtifact(other) },
    { name: "delete all of a session", run: () => service.deleteSessionArtifacts(long.session) },
  ];
}

async function evalOperations(root: string): Promise<readonly StoreOperation[]> {
  const store = new FileEvalStore({ folder: root, clock: new FixedClock() });
  const key = { appName: "app", evalSetId: "set" };
  await store.createEvalSet(key);
  const added = { evalId: "case", conversation: [], creationTimestamp: 0 };
  const result = {
    evalSetResultId: "r1",
    evalSetResultName: "r1",
    evalSetId: "set",
    creationTimestamp: 0,
    evalCaseResults: [],
  };
  await store.addEvalCase(key, added);
  await store.saveEvalSetResult({ appName: "app" }, result);
  return [
    { name: "list sets", run: () => store.listEvalSets({ appName: "app" }), answer: ["set"] },
    { name: "get a set", run: () => store.getEvalSet(key).then((set) => set?.evalCases.length), answer: 1 },
    { name: "list cases", run: () => store.listEvalCases(key), answer: ["case"] },
    { name: "update a case", run: () => store.updateEvalCase(key, added) },
    { name: "save a result", run: () => store.saveEvalSetResult({ appName: "app" }, result) },
    { name: "list results", run: () => store.listEvalSetResults({ appName: "app" }), answer: ["r1"] },
    {
      name: "get a result",
      run: () => store.getEvalSetResult({ appName: "app" }, "r1").then((found) => found?.evalSetId),
      answer: "set",
    },
  ];
}

/** Files that a failed save has left behind. */
function leftovers(root: string): readonly string[] {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" });
  const isOrphan = (path: string): boolean => path.endsWith(".data") && !files.includes(path.replace(/data$/, "json"));
  return files.filter((path) => path.startsWith(".tmp/") || isOrphan(path));
}

describe.each(CODES)("a call of the file system that fails once with %s", (code) => {
  it("leaves the artifacts as they are, and every operation works afterwards", async () => {
    const root = folder();
    const operations = await artifactOperations(root);
    using faults = injectFileFaults();
    await expectNoLastingFault(faults, code, operations);
  });

  it("leaves a store of artifacts that was never used as good as new", async () => {
    for (let call = 1; call <= 24; call += 1) {
      using faults = injectFileFaults();
      const service = new FileArtifactService({ root: folder(), clock: new FixedClock() });
      const save = () => service.saveArtifact({ ...NOTES, artifact: { text: "x" } });
      faults.failCall(call, code);
      await save().catch(() => {});
      faults.heal();
      const { version } = await save();
      expect(await service.loadArtifact(NOTES, version)).toEqual({ text: "x" });
    }
  });

  it("leaves the evaluation sets as they are, and every operation works afterwards", async () => {
    const operations = await evalOperations(folder());
    using faults = injectFileFaults();
    await expectNoLastingFault(faults, code, operations);
  });
});

describe("a disk that is full", () => {
  it.each(["ENOSPC", "EDQUOT"])(
    "refuses saves with STORAGE_FULL (%s), keeps no half-written file, and takes them when there is space",
    async (code) => {
      const root = folder();
      const service = new FileArtifactService({ root, clock: new FixedClock() });
      const save = (text: string) => service.saveArtifact({ ...NOTES, artifact: { text } });
      await save("first");
      using faults = injectFileFaults();
      faults.failWrites(code);
      for (let attempt = 0; attempt < 3; attempt += 1)
        await expect(save("refused")).rejects.toMatchObject({ reason: "STORAGE_FULL", httpStatus: 503 });
      expect(await service.loadArtifact(NOTES)).toEqual({ text: "first" });
      expect(leftovers(root)).toEqual([]);
      faults.heal();
      expect(await save("second")).toMatchObject({ version: 1 });
      expect(leftovers(root)).toEqual([]);
    },
  );
});
