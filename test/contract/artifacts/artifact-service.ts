import { describe, expect, it } from "vitest";
import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import type { Part } from "#kit/events/content.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { artifactNamesContract } from "./artifact-names.ts";
import { artifactRangesContract } from "./artifact-ranges.ts";

export interface ArtifactServiceContract {
  /** A service without artifacts whose clock is set to `CONTRACT_TIME_MS`. */
  readonly create: () => Promise<{ readonly service: ArtifactService; readonly dispose: () => Promise<void> }>;
  readonly features?: {
    /** The number of examples of a property test; fewer for network stores. */
    readonly examples?: number;
  };
}

export const CONTRACT_TIME_MS = 1_767_225_600_000;

const SESSION: SessionKey = { appName: "app", userId: "user", id: "session" };
const BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const PNG: Part = { inlineData: { mimeType: "image/png", data: BYTES.toString("base64") } };

export function artifactServiceContract({ create, features = {} }: ArtifactServiceContract): void {
  const withService = (test: (service: ArtifactService) => Promise<void>) => async () => {
    const { service, dispose } = await create();
    try {
      await test(service);
    } finally {
      await dispose();
    }
  };
  const text = (value: string): Part => ({ text: value });
  const key = (filename: string, session: SessionKey = SESSION) => ({ session, filename });

  describe("saving and loading", () => {
    it(
      "numbers versions from 0 and loads the newest or the one asked for",
      withService(async (service) => {
        verifies(
          "what-the-service-does:kit-artifact-services",
          "operations:artifact:save",
          "operations:artifact:load",
          "operations:artifact:list-versions",
          "operations:artifact:session-key",
          "listings:artifact-versions",
        );
        const versions = [];
        for (const artifact of [text("zero"), text("one"), PNG])
          versions.push(await service.saveArtifact({ ...key("a.txt"), artifact }));
        expect(versions.map(({ version }) => version)).toEqual([0, 1, 2]);
        expect(await service.loadArtifact(key("a.txt"))).toEqual(PNG);
        expect(await service.loadArtifact(key("a.txt"), 0)).toEqual(text("zero"));
        expect(await service.listVersions(key("a.txt"))).toEqual({ versions: [0, 1, 2] });
      }),
    );

    it(
      "knows nothing of what was never saved",
      withService(async (service) => {
        await service.saveArtifact({ ...key("a.txt"), artifact: text("a") });
        expect(await service.loadArtifact(key("b.txt"))).toBeUndefined();
        for (const version of [1, -1, 0.5, Number.NaN])
          expect(await service.loadArtifact(key("a.txt"), version)).toBeUndefined();
        expect(await service.listVersions(key("b.txt"))).toEqual({ versions: [] });
        expect(await service.listArtifactVersions(key("b.txt"))).toEqual([]);
        expect(await service.getArtifactVersion(key("b.txt"))).toBeUndefined();
        expect(await service.listArtifactKeys({ ...SESSION, id: "other" })).toEqual({ filenames: [] });
      }),
    );

    it(
      "returns the metadata of a version",
      withService(async (service) => {
        const customMetadata = { source: "tool", nested: { list: [1, null, "é"] } };
        const saved = await service.saveArtifact({ ...key("dir/ä b.png"), artifact: PNG, customMetadata });
        expect(saved).toEqual({
          version: 0,
          canonicalUri: "artifact://app/user/s/session/dir%2F%C3%A4%20b.png/0",
          customMetadata,
          createTime: CONTRACT_TIME_MS,
          mimeType: "image/png",
        });
        const second = await service.saveArtifact({ ...key("dir/ä b.png"), artifact: text("now text") });
        expect(second).toMatchObject({ version: 1, mimeType: "text/plain", customMetadata: {} });
        expect(await service.listArtifactVersions(key("dir/ä b.png"))).toEqual([saved, second]);
        expect(await service.getArtifactVersion(key("dir/ä b.png"), 0)).toEqual(saved);
        expect(await service.getArtifactVersion(key("dir/ä b.png"))).toEqual(second);
      }),
    );

    for (const [title, artifact, loaded = artifact] of [
      ["bytes of every value", PNG],
      ["no bytes at all", { inlineData: { mimeType: "application/octet-stream", data: "" } }],
      ["data without a type", { inlineData: { data: "aGk=" } }],
      ["a display name", { inlineData: { mimeType: "text/csv", data: "aGk=", displayName: "table é.csv" } }],
      [
        "URL-safe base64 without padding, as standard base64",
        { inlineData: { data: "-_-_aA" } },
        { inlineData: { data: "+/+/aA==" } },
      ],
      ["text in any script", text("héllo 日本語 🙂\r\n\u0000")],
      ["empty text", text("")],
      ["a reference to a file", { fileData: { fileUri: "gs://bucket/name", mimeType: "video/mp4" } }],
      ["decorations of the part", { text: "x", thought: true, partMetadata: { a: 1 } }],
    ] satisfies readonly (readonly [string, Part, Part?])[]) {
      it(
        `keeps ${title}`,
        withService(async (service) => {
          await service.saveArtifact({ ...key("a"), artifact });
          expect(await service.loadArtifact(key("a"))).toEqual(loaded);
        }),
      );
    }

    it(
      "keeps several megabytes",
      withService(async (service) => {
        const data = Buffer.alloc(5 * 1024 * 1024, BYTES).toString("base64");
        await service.saveArtifact({ ...key("big"), artifact: { inlineData: { mimeType: "a/b", data } } });
        expect((await service.loadArtifact(key("big")))?.inlineData?.data === data).toBe(true);
      }),
    );

    for (const [title, artifact] of [
      ["an empty part", {}],
      ["two kinds of data", { text: "a", inlineData: { data: "aGk=" } }],
      ["data that is not base64", { inlineData: { data: "a!!b" } }],
      ["base64 with a line break", { inlineData: { data: "aGk=\naGk=" } }],
      ["inline data without data", { inlineData: { mimeType: "a/b" } }],
      ["a reference without a URI", { fileData: { mimeType: "a/b" } }],
      ["a function call", { functionCall: { name: "f" } }],
    ] satisfies readonly (readonly [string, Part])[]) {
      it(
        `refuses ${title} and stores nothing`,
        withService(async (service) => {
          await expect(service.saveArtifact({ ...key("a"), artifact })).rejects.toMatchObject({
            reason: "INVALID_FIELD",
          });
          expect(await service.listArtifactKeys(SESSION)).toEqual({ filenames: [] });
        }),
      );
    }

    it(
      "gives concurrent saves different numbers and loses none",
      withService(async (service) => {
        const saves = Array.from({ length: 25 }, async (_, index) => {
          const { version } = await service.saveArtifact({ ...key("a"), artifact: text(`text ${index}`) });
          return [version, `text ${index}`] as const;
        });
        const saved = new Map(await Promise.all(saves));
        expect([...saved.keys()].sort((left, right) => left - right)).toEqual(
          Array.from({ length: 25 }, (_, version) => version),
        );
        for (const [version, value] of saved)
          expect(await service.loadArtifact(key("a"), version)).toEqual(text(value));
      }),
    );

    it(
      "is not changed by what callers do with what they gave or got",
      withService(async (service) => {
        const customMetadata = { list: [1] };
        const saved = await service.saveArtifact({
          ...key("a"),
          artifact: { text: "a", partMetadata: { list: [1] } },
          customMetadata,
        });
        customMetadata.list.push(2);
        Object.assign(saved.customMetadata, { list: [3] });
        const loaded = await service.loadArtifact(key("a"));
        Object.assign(loaded?.partMetadata ?? {}, { list: [4] });
        expect(await service.loadArtifact(key("a"))).toEqual({ text: "a", partMetadata: { list: [1] } });
        expect((await service.getArtifactVersion(key("a")))?.customMetadata).toEqual({ list: [1] });
      }),
    );
  });

  describe("scopes", () => {
    it(
      "keeps apps, users and sessions apart",
      withService(async (service) => {
        const others = [
          { ...SESSION, appName: "other" },
          { ...SESSION, userId: "other" },
          { ...SESSION, id: "other" },
        ];
        await service.saveArtifact({ ...key("a"), artifact: text("mine") });
        await service.saveArtifact({ ...key("user:a"), artifact: text("mine") });
        for (const other of others) {
          expect(await service.loadArtifact(key("a", other))).toBeUndefined();
          await service.saveArtifact({ ...key("a", other), artifact: text("theirs") });
        }
        for (const other of others.slice(0, 2))
          expect(await service.loadArtifact(key("user:a", other))).toBeUndefined();
        expect(await service.loadArtifact(key("a"))).toEqual(text("mine"));
      }),
    );

    it(
      "does not confuse ids that look alike when put together",
      withService(async (service) => {
        const keys = [
          key("c", { appName: "a/b", userId: "u", id: "s" }),
          key("c", { appName: "a", userId: "b/u", id: "s" }),
          key("c", { appName: "a", userId: "b", id: "u/s" }),
          key("u/c", { appName: "a", userId: "b", id: "s" }),
          key("c", { appName: "a", userId: "b", id: "u" }),
          key("user:c", { appName: "a", userId: "b", id: "u" }),
          key("c", { appName: "A", userId: "b", id: "u" }),
        ];
        for (const [index, each] of keys.entries())
          await service.saveArtifact({ ...each, artifact: text(String(index)) });
        const loaded = await Promise.all(keys.map((each) => service.loadArtifact(each)));
        expect(loaded).toEqual(keys.map((_, index) => text(String(index))));
      }),
    );

    it(
      "shares a user's files among the sessions of the app",
      withService(async (service) => {
        await service.saveArtifact({ ...key("user:logo.png"), artifact: PNG });
        const other = { ...SESSION, id: "other" };
        expect(await service.loadArtifact(key("user:logo.png", other))).toEqual(PNG);
        expect(await service.loadArtifact(key("logo.png"))).toBeUndefined();
        const saved = await service.saveArtifact({ ...key("user:logo.png", other), artifact: text("new") });
        expect(saved).toMatchObject({ version: 1, canonicalUri: "artifact://app/user/u/logo.png/1" });
        expect(await service.listArtifactKeys(SESSION)).toEqual({ filenames: ["user:logo.png"] });
      }),
    );

    it(
      "lists a session's names with those of its user, sorted",
      withService(async (service) => {
        verifies("operations:artifact:list-keys", "listings:artifacts");
        for (const filename of ["z", "user:m", "a/b", "a", "user:a"])
          await service.saveArtifact({ ...key(filename), artifact: text("x") });
        expect(await service.listArtifactKeys(SESSION)).toEqual({ filenames: ["a", "a/b", "user:a", "user:m", "z"] });
      }),
    );

    it(
      "hides reserved names from listings and otherwise treats them alike",
      withService(async (service) => {
        await service.saveArtifact({ ...key("_inline/e-1/0"), artifact: PNG });
        await service.saveArtifact({ ...key("_inline.txt"), artifact: text("mine") });
        expect(await service.listArtifactKeys(SESSION)).toEqual({ filenames: ["_inline.txt"] });
        expect(await service.loadArtifact(key("_inline/e-1/0"), 0)).toEqual(PNG);
      }),
    );
  });

  describe("deleting", () => {
    it(
      "deletes all versions and succeeds when there is none",
      withService(async (service) => {
        verifies("operations:artifact:load", "operations:artifact:delete");
        await service.saveArtifact({ ...key("a"), artifact: text("0") });
        await service.saveArtifact({ ...key("a"), artifact: text("1") });
        await service.saveArtifact({ ...key("b"), artifact: text("b") });
        await service.deleteArtifact(key("a"));
        await service.deleteArtifact(key("a"));
        await service.deleteArtifact(key("never"));
        expect(await service.loadArtifact(key("a"))).toBeUndefined();
        expect(await service.loadArtifact(key("a"), 1)).toBeUndefined();
        expect(await service.listVersions(key("a"))).toEqual({ versions: [] });
        expect(await service.listArtifactKeys(SESSION)).toEqual({ filenames: ["b"] });
      }),
    );

    it(
      "never uses a number twice for a name",
      withService(async (service) => {
        verifies("listings:artifact-versions:numbers");
        for (const filename of ["a", "user:a", "日".repeat(80)]) {
          await service.saveArtifact({ ...key(filename), artifact: text("0") });
          await service.saveArtifact({ ...key(filename), artifact: text("1") });
          await service.deleteArtifact(key(filename));
          const saved = await service.saveArtifact({ ...key(filename), artifact: text("2") });
          expect(saved.version).toBe(2);
          await service.deleteArtifact(key(filename));
          await service.deleteArtifact(key(filename));
          expect((await service.saveArtifact({ ...key(filename), artifact: text("3") })).version).toBe(3);
          expect(await service.listVersions(key(filename))).toEqual({ versions: [3] });
        }
      }),
    );

    it(
      "keeps whole what is saved while the name is deleted",
      withService(async (service) => {
        await service.saveArtifact({ ...key("a"), artifact: text("first") });
        const tasks: Promise<unknown>[] = [];
        for (let index = 0; index < 10; index += 1) {
          tasks.push(service.saveArtifact({ ...key("a"), artifact: text("later") }), service.deleteArtifact(key("a")));
        }
        await Promise.all(tasks);
        const last = await service.saveArtifact({ ...key("a"), artifact: text("last") });
        expect(last.version).toBe(11);
        const { versions } = await service.listVersions(key("a"));
        const loaded = await Promise.all(versions.map((version) => service.loadArtifact(key("a"), version)));
        expect(loaded).toEqual([...versions.slice(1).map(() => text("later")), text("last")]);
      }),
    );

    it(
      "deletes artifacts whose session is deleted at the same time",
      withService(async (service) => {
        const filenames = Array.from({ length: 30 }, (_, index) => `f${index}`);
        await Promise.all(filenames.map((filename) => service.saveArtifact({ ...key(filename), artifact: text("x") })));
        const deletions = filenames.map((filename) => service.deleteArtifact(key(filename)));
        await Promise.all([...deletions, service.deleteSessionArtifacts(SESSION)]);
        expect(await service.listArtifactKeys(SESSION)).toEqual({ filenames: [] });
      }),
    );

    it(
      "deletes what belongs to a session, reserved names included, and leaves the user's files",
      withService(async (service) => {
        const other = { ...SESSION, id: "other" };
        for (const filename of ["a", "b/c", "_inline/e-1/0", "user:u"])
          await service.saveArtifact({ ...key(filename), artifact: text("x") });
        await service.saveArtifact({ ...key("a", other), artifact: text("kept") });
        await service.deleteSessionArtifacts(SESSION);
        await service.deleteSessionArtifacts(SESSION);
        expect(await service.listArtifactKeys(SESSION)).toEqual({ filenames: ["user:u"] });
        expect(await service.loadArtifact(key("_inline/e-1/0"))).toBeUndefined();
        expect(await service.listArtifactKeys(other)).toEqual({ filenames: ["a", "user:u"] });
      }),
    );
  });

  describe("what is not an identifier", () => {
    for (const [title, name] of [
      ["empty", ""],
      ["with a NUL", "a\u0000b"],
      ["with a line break", "a\nb"],
      ["over 256 bytes", "é".repeat(129)],
      ["with half a surrogate pair", "a\ud83d"],
    ] as const) {
      it(
        `refuses names ${title}, in every place`,
        withService(async (service) => {
          verifies("limits:identifiers");
          const refused = { reason: "INVALID_IDENTIFIER" };
          const keys = [
            key(name),
            key("f", { ...SESSION, appName: name }),
            key("f", { ...SESSION, userId: name }),
            key("f", { ...SESSION, id: name }),
          ];
          for (const each of keys) {
            await expect(service.saveArtifact({ ...each, artifact: text("x") })).rejects.toMatchObject(refused);
            await expect(service.loadArtifact(each)).rejects.toMatchObject(refused);
            await expect(service.listVersions(each)).rejects.toMatchObject(refused);
            await expect(service.getArtifactVersion(each)).rejects.toMatchObject(refused);
            await expect(service.deleteArtifact(each)).rejects.toMatchObject(refused);
          }
          await expect(service.listArtifactKeys({ ...SESSION, id: name })).rejects.toMatchObject(refused);
          await expect(service.deleteSessionArtifacts({ ...SESSION, userId: name })).rejects.toMatchObject(refused);
        }),
      );
    }
  });

  artifactRangesContract(withService);
  artifactNamesContract(withService, features.examples ?? 30);
}
