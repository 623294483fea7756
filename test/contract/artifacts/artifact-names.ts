import { describe, expect, it } from "vitest";
import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import type { Part } from "#kit/events/content.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";

type WithService = (test: (service: ArtifactService) => Promise<void>) => () => Promise<void>;

const SESSION: SessionKey = { appName: "app", userId: "user", id: "session" };

/** Names that look like paths, escapes or internal names. */
// biome-ignore format: one name a line would fill a screen.
const ODD_NAMES = [
  "../x", "a/../../b", "/etc/passwd", ".", "..", "...", "a%2Fb", "a/b", "a//b", "/", "\\", "..\\x", "a\\b", "~", "~a", "A", "a", "%", "%2e%2e",
  "_", "_a", "s", "u", "0", "0.data", "0.json", ".next", ".name", ".tmp", "con", "nul.txt", "a.", "a ", " a", "x:y", "user", "users:x", "é", "e\u0301",
  "日本語.png", "🙂", "__proto__", "constructor", "toString", `${"n".repeat(252)}.txt`, "日".repeat(85), `${"N".repeat(255)}a`, `${"N".repeat(255)}b`,
] as const;

/** The part of the artifact suite about identifiers. */
export function artifactNamesContract(withService: WithService, examples: number): void {
  const text = (value: string): Part => ({ text: value });
  const key = (filename: string, session: SessionKey = SESSION) => ({ session, filename });

  describe("names", () => {
    it(
      "keeps odd names apart, and lists them as they were given",
      withService(async (service) => {
        for (const filename of ODD_NAMES) await service.saveArtifact({ ...key(filename), artifact: text(filename) });
        const loaded = await Promise.all(ODD_NAMES.map((filename) => service.loadArtifact(key(filename))));
        expect(loaded).toEqual(ODD_NAMES.map(text));
        expect(await service.listArtifactKeys(SESSION)).toEqual({ filenames: [...ODD_NAMES].sort() });
      }),
    );

    it(
      "keeps odd apps, users and sessions apart",
      withService(async (service) => {
        const sessions = ODD_NAMES.flatMap((name) => [
          { ...SESSION, appName: name },
          { ...SESSION, userId: name },
          { ...SESSION, id: name },
        ]);
        for (const session of sessions)
          await service.saveArtifact({ ...key("f", session), artifact: text(JSON.stringify(session)) });
        for (const session of sessions)
          expect(await service.loadArtifact(key("f", session))).toEqual(text(JSON.stringify(session)));
      }),
    );

    it(
      "holds any name that is an identifier",
      withService(async (service) => {
        const name = fc.string({ unit: "binary", minLength: 1, maxLength: 60 }).filter(isIdentifier);
        await fc.assert(
          fc.asyncProperty(name, name, async (filename, id) => {
            const each = key(filename, { ...SESSION, id });
            await service.saveArtifact({ ...each, artifact: text(filename) });
            expect(await service.loadArtifact(each)).toEqual(text(filename));
            expect((await service.listArtifactKeys(each.session)).filenames).toContain(filename);
          }),
          { numRuns: examples },
        );
      }),
    );

    it(
      "refuses a user's file without a name",
      withService(async (service) => {
        await expect(service.saveArtifact({ ...key("user:"), artifact: text("x") })).rejects.toMatchObject({
          reason: "INVALID_IDENTIFIER",
        });
      }),
    );
  });
}

function isIdentifier(name: string): boolean {
  return (
    name.isWellFormed() &&
    !/\p{Cc}/u.test(name) &&
    Buffer.byteLength(name) <= 256 &&
    name !== "user:" &&
    !name.startsWith("_inline/")
  );
}
