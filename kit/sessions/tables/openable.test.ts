import { describe, expect, it } from "vitest";
import { ContentEncryption } from "#kit/encryption/content-encryption.ts";
import { contentKeyUnavailable, contentUnreadable } from "#kit/encryption/content-errors.ts";
import { ContentKeys } from "#kit/encryption/content-keys.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { openable } from "./openable.ts";

const ROWS = ["locked", "damaged", "one", "locked", "two", "three"];

function open(row: string): string {
  if (row === "locked") throw contentKeyUnavailable("acme");
  if (row === "damaged") throw contentUnreadable("acme");
  return row;
}

describe("openable", () => {
  it("leaves out runs that cannot be read, which do not count towards the limit", () => {
    expect(openable(ROWS, open)).toEqual(["one", "two", "three"]);
    expect(openable(ROWS, open, 2)).toEqual(["one", "two"]);
  });

  it("throws other errors", () => {
    const fail = () => {
      throw new TypeError("a fault");
    };
    expect(() => openable(ROWS, fail)).toThrow("a fault");
  });

  it.each([contentKeyUnavailable, contentUnreadable])(
    "asks once for each of the keys of hundreds of tenants, which are refused slowly with %o",
    async (refusal) => {
      const clock = new FixedClock();
      let asked = 0;
      const refuse = async (tenantId: string) => {
        asked += 1;
        clock.advance(50);
        throw refusal(tenantId);
      };
      const keys = new ContentKeys({ provider: { wrap: refuse, unwrap: refuse }, clock });
      const tenants = Array.from({ length: 300 }, (_, index) => `tenant-${index}`);
      const listing = { list: async () => openable(tenants, (tenantId) => keys.get(tenantId, Buffer.alloc(60))) };
      expect(await new ContentEncryption(keys).withKeys(listing).list()).toEqual([]);
      expect(asked).toBe(300);
    },
  );
});
