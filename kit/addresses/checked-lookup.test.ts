import type { LookupAddress } from "node:dns";
import { describe, expect, it } from "vitest";
import { type AddressLookup, checkedLookup, type ResolvedAddress } from "./checked-lookup.ts";

function toAddresses(addresses: readonly string[]): readonly ResolvedAddress[] {
  return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
}

/** A resolver that gives each list once, in this order. */
function scripted(...answers: readonly (readonly string[])[]): { lookup: AddressLookup; asked: string[] } {
  const asked: string[] = [];
  const lookup: AddressLookup = async (hostname) => toAddresses(answers[asked.push(hostname) - 1] ?? []);
  return { lookup, asked };
}

function resolve(lookup: AddressLookup, isAllowed = false): Promise<string | readonly LookupAddress[]> {
  return new Promise((done, fail) =>
    checkedLookup(lookup, isAllowed)("rebind.example", { all: true }, (error, found) =>
      error === null ? done(found) : fail(error),
    ),
  );
}

const REFUSED = expect.objectContaining({ reason: "OUTBOUND_ADDRESS_REFUSED", details: { host: "rebind.example" } });

describe("the addresses of a name", () => {
  it("are passed on as they were checked", async () => {
    const { lookup, asked } = scripted(["8.8.8.8", "2001:4860:4860::8888"], ["127.0.0.1"]);
    expect(await resolve(lookup)).toEqual(toAddresses(["8.8.8.8", "2001:4860:4860::8888"]));
    expect(asked).toEqual(["rebind.example."]);
  });

  it("are checked again at each connection: a name that was public before is refused", async () => {
    const { lookup } = scripted(["8.8.8.8"], ["127.0.0.1"]);
    await resolve(lookup);
    await expect(resolve(lookup)).rejects.toEqual(REFUSED);
  });

  it.each([
    [["127.0.0.1"]],
    [["8.8.8.8", "10.0.0.1"]],
    [["8.8.8.8", "::ffff:10.0.0.1"]],
    [["2001:4860:4860::8888", "fd00::1"]],
    [["64:ff9b::a00:1"]],
    [["169.254.169.254"]],
    [[]],
    [["no address"]],
  ])("are refused unless all are public: %j", async (addresses) => {
    await expect(resolve(scripted(addresses).lookup)).rejects.toEqual(REFUSED);
  });

  it("may be inner ones of an allowed name, but not those on which platforms serve credentials", async () => {
    const { lookup, asked } = scripted(["10.0.0.1"], ["10.0.0.1", "169.254.169.254"], ["fe80::1"]);
    expect(await resolve(lookup, true)).toEqual(toAddresses(["10.0.0.1"]));
    await expect(resolve(lookup, true)).rejects.toEqual(REFUSED);
    await expect(resolve(lookup, true)).rejects.toEqual(REFUSED);
    expect(asked[0]).toBe("rebind.example");
  });

  it("are one address for a caller that asks for one", async () => {
    const { lookup } = scripted(["8.8.8.8", "8.8.4.4"]);
    const found = await new Promise((done) =>
      checkedLookup(lookup, false)("a.example", {}, (_error, address, family) => done([address, family])),
    );
    expect(found).toEqual(["8.8.8.8", 4]);
  });
});
