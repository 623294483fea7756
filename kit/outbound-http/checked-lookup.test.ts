import type { LookupAddress } from "node:dns";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { readAllowedHosts } from "./allowed-hosts.ts";
import { checkUrl } from "./check-url.ts";
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

  it.each([
    ...["fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "192.0.0.192", "168.63.129.16", "64:ff9b::a9fe:a9fe"],
    ...[
      "64:ff9b:1::a9fe:a9fe",
      "::ffff:169.254.170.2",
      "::ffff:100.100.100.200",
      "2002:a9fe:a9fe::1",
      "::169.254.169.254",
    ],
    ...["169.254.169.253", "fe80::a9fe:a9fe", "fd00:ec2::23", "fd00:42::42", "fd00:c1::a9fe:a9fe"],
    ...["64:ff9b::a83f:8110", "2001:0:a9fe:a9fe::1", "64:ff9b:1:a9fe:a9:fe00::"],
  ])(
    "are refused for an allowed name and as an allowed address if platforms serve credentials there: %s",
    async (address) => {
      verifies("peers:addresses:metadata");
      await expect(resolve(scripted([address]).lookup, true)).rejects.toEqual(REFUSED);
      await expect(resolve(scripted(["10.0.0.1", address]).lookup, true)).rejects.toEqual(REFUSED);
      const host = address.includes(":") ? `[${address}]` : address;
      const allowed = readAllowedHosts([host]);
      expect(() => checkUrl(`http://${host}/latest`, allowed)).toThrow("no setting allows it");
    },
  );

  it.each(["10.0.0.1", "fd00::1", "127.0.0.1", "::1", "100.64.0.1", "64:ff9b::a00:1", "192.168.0.1", "fd00:ec2::1"])(
    "may be %s of an allowed name",
    async (address) => {
      expect(await resolve(scripted([address]).lookup, true)).toEqual(toAddresses([address]));
    },
  );

  it("are one address for a caller that asks for one", async () => {
    const { lookup } = scripted(["8.8.8.8", "8.8.4.4"]);
    const found = await new Promise((done) =>
      checkedLookup(lookup, false)("a.example", {}, (_error, address, family) => done([address, family])),
    );
    expect(found).toEqual(["8.8.8.8", 4]);
  });
});
