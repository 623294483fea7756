import { describe, expect, it } from "vitest";
import { readKeyFile } from "./key-file.ts";

const KEY = Buffer.alloc(32, 7).toString("base64");

describe("the file of content keys", () => {
  it("has the keys of each tenant, the newest first", () => {
    const older = Buffer.alloc(32, 6).toString("base64");
    expect(readKeyFile({ tenants: { default: [KEY], acme: [KEY, older] } })).toEqual(
      new Map([
        ["default", [Buffer.alloc(32, 7)]],
        ["acme", [Buffer.alloc(32, 7), Buffer.alloc(32, 6)]],
      ]),
    );
  });

  it.each([
    [undefined, "needs a map `tenants`"],
    [{ keys: [] }, "needs a map `tenants`"],
    [{ tenants: [KEY] }, "needs a map `tenants`"],
    [{ tenants: { "../x": [KEY] } }, 'names "../x", which is not the id of a tenant'],
    [{ tenants: { acme: KEY } }, "needs a list of keys for tenant acme"],
    [{ tenants: { acme: [] } }, "needs a list of keys for tenant acme"],
    [{ tenants: { acme: [KEY, "c2hvcnQ="] } }, "needs 32 bytes of base64 as key 2 of tenant acme"],
    [{ tenants: { acme: [`${KEY}=`] } }, "needs 32 bytes of base64 as key 1 of tenant acme"],
    [{ tenants: { acme: [7] } }, "needs 32 bytes of base64 as key 1 of tenant acme"],
  ])("is refused as %j, without its keys in the error", (value, problem) => {
    const read = () => readKeyFile(value);
    expect(read).toThrow(
      expect.objectContaining({ reason: "CONFIGURATION", message: `CONTENT_KEYS_FILE: the file ${problem}.` }),
    );
    expect(read).not.toThrow(KEY);
  });
});
