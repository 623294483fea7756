import { describe, expect, it } from "vitest";
import { type ArtifactService, CONTENT_RANGE_BYTES } from "#kit/artifacts/artifact-service.ts";
import type { Part } from "#kit/events/content.ts";

const BYTES = Buffer.from(Array.from({ length: 251 }, (_, byte) => byte));
const key = (filename: string) => ({ session: { appName: "app", userId: "user", id: "session" }, filename });
const text = (value: string): Part => ({ text: value });

type WithService = (test: (service: ArtifactService) => Promise<void>) => () => Promise<void>;

/** Reading a large file, and a long list of versions, in parts. */
export function artifactRangesContract(withService: WithService): void {
  describe("reading in parts", () => {
    it(
      "describes a version without its content, and reads ranges of it",
      withService(async (service) => {
        const bytes = Buffer.alloc(500_000, BYTES);
        const inlineData = { mimeType: "a/b", displayName: "big", data: bytes.toString("base64") };
        await service.saveArtifact({ ...key("a"), artifact: text("old") });
        await service.saveArtifact({ ...key("a"), artifact: { inlineData } });
        const { data: _, ...rest } = inlineData;
        const described = { version: 1, part: { inlineData: rest }, contentBytes: bytes.length };
        expect(await service.describeArtifact(key("a"))).toEqual(described);
        expect(await service.describeArtifact(key("a"), 1)).toEqual(described);
        const old = { version: 0, part: { text: "" }, contentBytes: 3 };
        expect(await service.describeArtifact(key("a"), 0)).toEqual(old);
        for (const [from, length] of [
          [0, CONTENT_RANGE_BYTES],
          [CONTENT_RANGE_BYTES, CONTENT_RANGE_BYTES],
          [2 * CONTENT_RANGE_BYTES, CONTENT_RANGE_BYTES],
          [CONTENT_RANGE_BYTES - 1, 3],
          [499_999, 10],
          [500_000, 10],
          [900_000, 10],
          [7, 0],
        ] as const) {
          const range = await service.readArtifact({ ...key("a"), version: 1, from, bytes: length });
          expect(Buffer.from(range ?? []).equals(bytes.subarray(from, from + length))).toBe(true);
        }
      }),
    );

    it(
      "describes a reference without content, and nothing that does not exist",
      withService(async (service) => {
        const artifact = { fileData: { fileUri: "gs://bucket/name", mimeType: "video/mp4" } };
        await service.saveArtifact({ ...key("a"), artifact });
        expect(await service.describeArtifact(key("a"))).toEqual({ version: 0, part: artifact });
        expect(await service.readArtifact({ ...key("a"), version: 0, from: 0, bytes: 1 })).toBeUndefined();
        for (const version of [1, -1, 0.5]) {
          expect(await service.describeArtifact(key("a"), version)).toBeUndefined();
          expect(await service.readArtifact({ ...key("a"), version, from: 0, bytes: 1 })).toBeUndefined();
        }
        expect(await service.describeArtifact(key("b"))).toBeUndefined();
        for (const range of [
          { from: -1, bytes: 1 },
          { from: 0.5, bytes: 1 },
          { from: 0, bytes: CONTENT_RANGE_BYTES + 1 },
        ])
          await expect(service.readArtifact({ ...key("a"), version: 0, ...range })).rejects.toMatchObject({
            reason: "INVALID_FIELD",
          });
      }),
    );
  });
}
