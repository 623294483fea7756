import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ContentEncryption } from "#ports/encryption/content-encryption.ts";
import { contentKeyUnavailable, contentUnreadable } from "#ports/encryption/content-errors.ts";
import { ContentKeys } from "#ports/encryption/content-keys.ts";
import { skipUndecryptable } from "./skip-undecryptable-runs.ts";

const ROWS = ["locked", "damaged", "one", "locked", "two", "three"];

function open(row: string): string {
  if (row === "locked") throw contentKeyUnavailable("acme");
  if (row === "damaged") throw contentUnreadable("acme");
  return row;
}

describe("skipUndecryptable", () => {
  it("leaves out runs that cannot be read, which do not count towards the limit", () => {
    expect(skipUndecryptable(ROWS, open)).toEqual(["one", "two", "three"]);
    expect(skipUndecryptable(ROWS, open, 2)).toEqual(["one", "two"]);
  });

  it("throws other errors", () => {
    const fail = () => {
      throw new TypeError("a fault");
    };
    expect(() => skipUndecryptable(ROWS, fail)).toThrow("a fault");
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
      const listing = {
        list: async () => skipUndecryptable(tenants, (tenantId) => keys.get(tenantId, Buffer.alloc(60))),
      };
      expect(await new ContentEncryption(keys).withKeys(listing).list()).toEqual([]);
      expect(asked).toBe(300);
    },
  );
});
