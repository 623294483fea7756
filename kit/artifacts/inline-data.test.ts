import { describe, expect, it } from "vitest";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import type { Content } from "../events/content.ts";
import { createEvent } from "../events/event.ts";
import type { SessionKey } from "../sessions/session.ts";
import { FixedClock } from "../testing/fixed-clock.ts";
import type { ArtifactService } from "./artifact-service.ts";
import {
  assertClientArtifactName,
  externalizeContent,
  externalizeEvent,
  hasInlineReference,
  hasLargeInlineData,
  isReservedArtifactName,
  MAX_INLINE_DATA_BYTES,
  restoreContent,
  restoredPieces,
  restoreEventJson,
} from "./inline-data.ts";

const SESSION: SessionKey = { appName: "app", userId: "user", id: "session" };
const AT_LIMIT = Buffer.alloc(MAX_INLINE_DATA_BYTES, 7).toString("base64");
const OVER_LIMIT = Buffer.alloc(MAX_INLINE_DATA_BYTES + 1, 7).toString("base64");

function createStore() {
  return { artifacts: new InMemoryArtifactService({ clock: new FixedClock() }), session: SESSION };
}

function contentOf(data: string): Content {
  return {
    role: "user",
    parts: [{ text: "look" }, { inlineData: { mimeType: "image/png", data, displayName: "a.png" } }],
  };
}

const NESTED: Content = {
  role: "user",
  parts: [
    {
      functionResponse: {
        id: "c1",
        name: "draw",
        response: { ok: true },
        parts: [
          { inlineData: { mimeType: "image/png", data: "aGk=" } },
          { inlineData: { mimeType: "image/png", data: OVER_LIMIT } },
        ],
      },
    },
  ],
};

describe("externalizeContent", () => {
  it("leaves data up to the limit in the event, without a call of the store", async () => {
    const content = contentOf(AT_LIMIT);
    // Any call of this store fails the test.
    const artifacts = {} as ArtifactService;
    expect(await externalizeContent(content, { artifacts, session: SESSION }, "r")).toBe(content);
    expect(hasLargeInlineData(content)).toBe(false);
  });

  it("moves larger data into the session's artifacts and leaves a reference", async () => {
    const store = createStore();
    expect(await externalizeContent(contentOf(OVER_LIMIT), store, "run-1")).toEqual({
      role: "user",
      parts: [
        { text: "look" },
        { fileData: { fileUri: "fairlead-inline:_inline/run-1/1#0", mimeType: "image/png", displayName: "a.png" } },
      ],
    });
    expect(await store.artifacts.loadArtifact({ session: SESSION, filename: "_inline/run-1/1" })).toEqual({
      inlineData: { mimeType: "image/png", data: OVER_LIMIT, displayName: "a.png" },
    });
    expect(await store.artifacts.listArtifactKeys(SESSION)).toEqual({ filenames: [] });
  });

  it("moves data in a function response's parts", async () => {
    const store = createStore();
    expect(await externalizeContent(NESTED, store, "e-1")).toEqual({
      role: "user",
      parts: [
        {
          functionResponse: {
            id: "c1",
            name: "draw",
            response: { ok: true },
            parts: [
              { inlineData: { mimeType: "image/png", data: "aGk=" } },
              { fileData: { fileUri: "fairlead-inline:_inline/e-1/0.1#0", mimeType: "image/png" } },
            ],
          },
        },
      ],
    });
  });

  it("finds the data that an earlier call of the same owner stored, and does not confuse other data with it", async () => {
    const store = createStore();
    const first = await externalizeContent(contentOf(OVER_LIMIT), store, "run-1");
    expect(await externalizeContent(contentOf(OVER_LIMIT), store, "run-1")).toEqual(first);
    const changed = await externalizeContent(contentOf(`${OVER_LIMIT.slice(0, -4)}AAA=`), store, "run-1");
    expect(changed.parts?.[1]?.fileData?.fileUri).toBe("fairlead-inline:_inline/run-1/1#1");
  });
});

describe("restoring", () => {
  it("restores the original event", async () => {
    const store = createStore();
    for (const content of [contentOf(OVER_LIMIT), NESTED]) {
      const event = createEvent({ id: "e-1", invocationId: "i", author: "user", timestamp: 1, content });
      const stored = await externalizeEvent(event, store);
      expect(JSON.stringify(stored).length).toBeLessThan(1000);
      expect(await restoreEventJson(JSON.stringify(stored), store)).toBe(JSON.stringify(event));
    }
  });

  it("returns the same JSON in parts, without the data", async () => {
    const store = createStore();
    const odd = { ...contentOf(OVER_LIMIT), parts: [...(contentOf(OVER_LIMIT).parts ?? []), ...(NESTED.parts ?? [])] };
    for (const content of [contentOf(OVER_LIMIT), NESTED, odd]) {
      const event = createEvent({ id: "e-1", invocationId: "i", author: "user", timestamp: 1, content });
      const stored = await externalizeEvent(event, store);
      const pieces = (await restoredPieces(JSON.stringify(stored), store)) ?? [];
      expect(pieces.filter((piece) => typeof piece === "string").join("").length).toBeLessThan(1000);
      const texts = pieces.map(async (piece) => {
        if (typeof piece === "string") return piece;
        const { session, filename, version, encoding } = piece;
        expect([encoding, piece.contentBytes]).toEqual(["base64", MAX_INLINE_DATA_BYTES + 1]);
        return (await store.artifacts.loadArtifact({ session, filename }, version))?.inlineData?.data;
      });
      expect((await Promise.all(texts)).join("")).toBe(JSON.stringify(event));
    }
    expect(restoredPieces("{}", store)).toBeUndefined();
  });

  it("leaves references in parts as they are if their artifact was deleted, or is of another session", async () => {
    const store = createStore();
    const event = createEvent({
      id: "e-1",
      invocationId: "i",
      author: "user",
      timestamp: 1,
      content: contentOf(OVER_LIMIT),
    });
    const json = JSON.stringify(await externalizeEvent(event, store));
    expect(await restoredPieces(json, { ...store, session: { ...SESSION, id: "other" } })).toEqual([json]);
    await store.artifacts.deleteSessionArtifacts(SESSION);
    expect(await restoredPieces(json, store)).toEqual([json]);
  });

  it("returns the same event and JSON objects when there is nothing to do", async () => {
    const store = createStore();
    const event = createEvent({
      id: "e-1",
      invocationId: "i",
      author: "user",
      timestamp: 1,
      content: contentOf("aGk="),
    });
    expect(await externalizeEvent(event, store)).toBe(event);
    expect(await restoreEventJson("not even JSON", store)).toBe("not even JSON");
    const content = contentOf("aGk=");
    expect(await restoreContent(content, store)).toBe(content);
  });

  it("ignores text that quotes a reference", async () => {
    const text = '{"fileUri":"fairlead-inline:_inline/run-1/1#0"}';
    const json = JSON.stringify(
      createEvent({ id: "e", invocationId: "i", author: "user", timestamp: 1, content: { parts: [{ text }] } }),
    );
    expect(hasInlineReference(json)).toBe(false);
    expect(await restoreEventJson(json, createStore())).toBe(json);
  });

  it("leaves a reference whose data is deleted", async () => {
    const store = createStore();
    const content = await externalizeContent(contentOf(OVER_LIMIT), store, "run-1");
    await store.artifacts.deleteSessionArtifacts(SESSION);
    expect(await restoreContent(content, store)).toBe(content);
  });

  it("does not follow a forged reference to other files", async () => {
    const store = createStore();
    await store.artifacts.saveArtifact({
      session: SESSION,
      filename: "user:secret",
      artifact: { inlineData: { data: "aGk=" } },
    });
    await store.artifacts.saveArtifact({
      session: { ...SESSION, id: "other" },
      filename: "_inline/x/0",
      artifact: { inlineData: { data: "aGk=" } },
    });
    for (const name of ["user:secret#0", "_inline/x/0#0", "_inline/#0", "_inline/x/0", "_inline/x/0#-1"]) {
      const content: Content = { parts: [{ fileData: { fileUri: `fairlead-inline:${name}` } }] };
      expect(await restoreContent(content, store)).toBe(content);
    }
  });
});

describe("reserved names", () => {
  it("are those with the prefix, and clients may not use them", () => {
    expect(["_inline/a", "_inline/", "_inline", "a/_inline/b", "user:_inline/a"].map(isReservedArtifactName)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(() => assertClientArtifactName("_inline/a")).toThrow("filename must not start with _inline/");
    expect(() => assertClientArtifactName("inline/a")).not.toThrow();
  });
});
