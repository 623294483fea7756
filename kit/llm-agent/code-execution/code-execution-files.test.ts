import { describe, expect, it } from "vitest";
import { RESERVED_FILE_PREFIX } from "#kit/artifacts/inline-data.ts";
import { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { inputFilesOf, keepDataFile, newDataFiles, withoutDataFiles } from "./code-execution-files.ts";

const KEY = "_code_executor_input_files";
const csv = { mimeType: "text/csv", data: "QSxC" };

function callbacksOf(files: JsonValue, artifactService?: InMemoryArtifactService): CallbackContext {
  const state = { [KEY]: files };
  return new CallbackContext(createInvocation({ state, ...(artifactService !== undefined && { artifactService }) }));
}

describe("the data files of a session", () => {
  it("are kept in the state where there is no place for artifacts, one behind the other", async () => {
    const callbacks = callbacksOf([]);
    expect(await keepDataFile(callbacks, csv)).toBe("data_1.csv");
    const state = { [KEY]: callbacks.eventActions.stateDelta[KEY] ?? null };
    expect(newDataFiles({ parts: [{ inlineData: csv }, {}] }, state)).toEqual([]);
    const next = callbacksOf(state[KEY] ?? null);
    expect(await keepDataFile(next, { mimeType: "application/csv" })).toBe("data_2.csv");
    const kept = callbacksOf(next.eventActions.stateDelta[KEY] ?? null);
    expect(await inputFilesOf(kept)).toEqual([
      { name: "data_1.csv", mimeType: "text/csv", content: csv.data },
      { name: "data_2.csv", mimeType: "text/csv", content: "" },
    ]);
  });

  it("are kept as hidden artifacts where there is a place for them", async () => {
    const artifactService = new InMemoryArtifactService({ clock: new FixedClock() });
    const callbacks = callbacksOf([], artifactService);
    await keepDataFile(callbacks, csv);
    const files = callbacks.eventActions.stateDelta[KEY] ?? null;
    const digest = expect.stringMatching(/^[0-9a-f]{32}$/);
    const artifact = expect.stringContaining(RESERVED_FILE_PREFIX);
    expect(files).toStrictEqual([{ name: "data_1.csv", mimeType: "text/csv", digest, artifact }]);
    const file = { name: "data_1.csv", mimeType: "text/csv", content: csv.data };
    expect(await inputFilesOf(callbacksOf(files, artifactService))).toEqual([file]);
    // Neither without the service, nor where it has lost the artifact.
    expect(await inputFilesOf(callbacksOf(files))).toEqual([]);
    expect(await inputFilesOf(callbacksOf(files, new InMemoryArtifactService({ clock: new FixedClock() })))).toEqual(
      [],
    );
  });

  it.each<[string, JsonValue]>([
    ["no list", { name: "a.csv", digest: "d", content: "AA==" }],
    ["no object", ["a.csv", null]],
    ["no name", [{ digest: "d", content: "AA==" }]],
    ["a path for a name", [{ name: "../a.csv", digest: "d", content: "AA==" }]],
    ["no digest", [{ name: "a.csv", content: "AA==" }]],
    ["a content that is not text", [{ name: "a.csv", digest: "d", content: 5 }]],
    ["an artifact of the user", [{ name: "a.csv", digest: "d", artifact: "secret" }]],
    ["an artifact that is not text", [{ name: "a.csv", digest: "d", artifact: 5 }]],
  ])("are not what a client has written into the state with %s", async (_, files) => {
    const artifactService = new InMemoryArtifactService({ clock: new FixedClock() });
    const session = { appName: "app", userId: "u", id: "s" };
    await artifactService.saveArtifact({ session, filename: "secret", artifact: { inlineData: csv } });
    expect(await inputFilesOf(callbacksOf(files, artifactService))).toEqual([]);
  });

  it("have the type that the state says, or else that of CSV", async () => {
    const file = { name: "a.csv", digest: "d", content: "AA==" };
    for (const [mimeType, expected] of [
      ["application/csv", "application/csv"],
      [5, "text/csv"],
    ] as const)
      expect(await inputFilesOf(callbacksOf([{ ...file, mimeType }]))).toEqual([
        { name: "a.csv", mimeType: expected, content: "AA==" },
      ]);
  });

  it("have their names in the place of their bytes, in a copy", async () => {
    const callbacks = callbacksOf([]);
    await keepDataFile(callbacks, csv);
    const state = { [KEY]: callbacks.eventActions.stateDelta[KEY] ?? null };
    const other = { inlineData: { mimeType: "text/csv", data: "other" } };
    const contents = [
      { role: "user", parts: [{ text: "a" }, { inlineData: csv }, other] },
      { role: "user" },
      { parts: [] },
    ];
    const [first, ...rest] = withoutDataFiles(contents, state);
    expect(first?.parts).toEqual([{ text: "a" }, { text: "\nAvailable file: `data_1.csv`\n" }, other]);
    expect(rest.map((content, index) => content === contents[index + 1])).toEqual([true, true]);
    expect(withoutDataFiles(contents, {})).toEqual(contents);
    expect(newDataFiles(undefined, state)).toEqual([]);
  });
});
