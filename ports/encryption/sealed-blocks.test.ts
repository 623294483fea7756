import { expect, it } from "vitest";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import type { ContentPlace, ContentSealer } from "./content-sealer.ts";
import { BLOCK_BYTES, openRange, sealBlocks, sealedRange } from "./sealed-blocks.ts";

const PLACE: ContentPlace = { tenantId: "acme", parts: ["file"] };

/** Does the work where the tenant's keys are known. */
async function within<Result>(work: (sealer: ContentSealer) => Result): Promise<Result> {
  const encryption = createTenantKeys().start();
  return encryption.withKeys({ run: async () => work(encryption.sealer) }).run();
}

function contentOf(bytes: number): Buffer {
  return Buffer.from(Uint32Array.from({ length: Math.ceil(bytes / 4) }, (_, index) => index).buffer).subarray(0, bytes);
}

it.each([0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES])(
  "opens any range of content of %i bytes from the blocks that have it, and nothing beyond its end",
  async (length) => {
    const content = contentOf(length);
    await within((sealer) => {
      const { bytes, ...blocks } = sealBlocks(content, { sealer, place: PLACE });
      const places = [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, 2 * BLOCK_BYTES + 5, length - 1, length, length + 9];
      for (const from of places.filter((place) => place >= 0)) {
        for (const wanted of [0, 1, 100, BLOCK_BYTES, 4 * BLOCK_BYTES]) {
          const range = { from, bytes: wanted };
          const part = sealedRange(range, blocks);
          // One block more than the range has, at the most.
          expect(part.bytes).toBeLessThanOrEqual((Math.ceil(wanted / BLOCK_BYTES) + 1) * blocks.sealedBlockBytes);
          const sealed = bytes.subarray(part.from, part.from + part.bytes);
          const opened = openRange(sealed, range, blocks, { sealer, place: PLACE });
          expect(Buffer.from(opened).equals(content.subarray(from, from + wanted))).toBe(true);
        }
      }
    });
  },
);

it.each<[string, (sealed: Buffer, blockBytes: number) => Buffer]>([
  [
    "are in another order",
    (sealed, size) => Buffer.concat([sealed.subarray(size, 2 * size), sealed.subarray(0, size)]),
  ],
  ["lack the last one", (sealed, size) => sealed.subarray(0, size)],
  ["are changed", (sealed) => Buffer.from(sealed.map((byte, index) => (index === 100 ? byte ^ 1 : byte)))],
])("opens no blocks that %s", async (_title, change) => {
  await within((sealer) => {
    const content = contentOf(2 * BLOCK_BYTES);
    const { bytes, ...blocks } = sealBlocks(content, { sealer, place: PLACE });
    const open = () =>
      openRange(change(bytes, blocks.sealedBlockBytes), { from: 0, bytes: content.length }, blocks, {
        sealer,
        place: PLACE,
      });
    expect(open).toThrow(expect.objectContaining({ reason: "CONTENT_UNREADABLE" }));
  });
});
