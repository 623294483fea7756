import { describe, expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { isLoopbackName } from "./host-check.ts";
import { createOriginCheck, originGuard } from "./origin-guard.ts";

interface Row {
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly reason?: "ORIGIN_NOT_ALLOWED" | "HOST_NOT_ALLOWED";
}

function reasons(rows: readonly Row[], config: Partial<Parameters<typeof createOriginCheck>[0]>): readonly unknown[] {
  const check = createOriginCheck({
    HOST: "127.0.0.1",
    CORS_MAPPING: "/**",
    CORS_ORIGINS: [],
    ALLOWED_HOSTS: [],
    ...config,
  });
  // Twice: the second time from the cache of hosts.
  return rows.flatMap(({ title, headers }) =>
    [1, 2].map(() => ({ title, reason: check({ headers, url: "/list-apps" })?.reason })),
  );
}

function expected(rows: readonly Row[]): readonly unknown[] {
  return rows.flatMap(({ title, reason }) => [1, 2].map(() => ({ title, reason })));
}

const ORIGIN_NOT_ALLOWED = "ORIGIN_NOT_ALLOWED";
const HOST_NOT_ALLOWED = "HOST_NOT_ALLOWED";
const host = "127.0.0.1:8000";

const LOOPBACK: readonly Row[] = [
  { title: "no origin", headers: { host } },
  { title: "no host (HTTP/1.0)", headers: {} },
  { title: "same origin", headers: { host, origin: "http://127.0.0.1:8000" } },
  { title: "same origin by name", headers: { host: "localhost:8000", origin: "http://localhost:8000" } },
  { title: "same origin, IPv6", headers: { host: "[::1]:8000", origin: "http://[::1]:8000" } },
  {
    title: "other port of this machine",
    headers: { host, origin: "http://127.0.0.1:4200" },
    reason: ORIGIN_NOT_ALLOWED,
  },
  { title: "other loopback name", headers: { host, origin: "http://localhost:8000" }, reason: ORIGIN_NOT_ALLOWED },
  { title: "foreign origin", headers: { host, origin: "https://evil.example" }, reason: ORIGIN_NOT_ALLOWED },
  {
    title: "look-alike suffix",
    headers: { host, origin: "http://127.0.0.1:8000.evil.example" },
    reason: ORIGIN_NOT_ALLOWED,
  },
  {
    title: "look-alike user",
    headers: { host, origin: "http://127.0.0.1:8000@evil.example" },
    reason: ORIGIN_NOT_ALLOWED,
  },
  { title: "null origin", headers: { host, origin: "null" }, reason: ORIGIN_NOT_ALLOWED },
  { title: "empty origin", headers: { host, origin: "" }, reason: ORIGIN_NOT_ALLOWED },
  { title: "foreign host", headers: { host: "evil.example" }, reason: HOST_NOT_ALLOWED },
  {
    title: "foreign host that is its origin",
    headers: { host: "evil.example:8000", origin: "http://evil.example:8000" },
    reason: HOST_NOT_ALLOWED,
  },
  {
    title: "host that only begins with localhost",
    headers: { host: "localhost.evil.example" },
    reason: HOST_NOT_ALLOWED,
  },
  { title: "host that only begins with 127.", headers: { host: "127.0.0.1.evil.example" }, reason: HOST_NOT_ALLOWED },
];

const BEHIND_PROXY: readonly Row[] = [
  { title: "own host", headers: { host: "app.example", origin: "http://app.example" } },
  {
    title: "TLS ends at a proxy that adds no headers",
    headers: { host: "app.example", origin: "https://app.example" },
  },
  { title: "default port written out", headers: { host: "app.example:443", origin: "https://app.example" } },
  {
    title: "X-Forwarded-Host and -Proto",
    headers: {
      host: "10.0.0.1:8000",
      "x-forwarded-host": "app.example",
      "x-forwarded-proto": "https",
      origin: "https://app.example",
    },
  },
  {
    title: "a chain of proxies",
    headers: {
      host: "10.0.0.1",
      "x-forwarded-host": "app.example, inner",
      "x-forwarded-proto": "https, http",
      origin: "https://app.example",
    },
  },
  {
    title: "Forwarded",
    headers: {
      host: "10.0.0.1",
      forwarded: 'for=1.2.3.4;host="app.example:8443";proto=https, for=10.0.0.9',
      origin: "https://app.example:8443",
    },
  },
  {
    title: "scheme is not the one forwarded",
    headers: { host: "app.example", "x-forwarded-proto": "https", origin: "http://app.example" },
    reason: ORIGIN_NOT_ALLOWED,
  },
  {
    title: "host is not the one forwarded",
    headers: { host: "10.0.0.1", "x-forwarded-host": "app.example", origin: "http://10.0.0.1" },
    reason: ORIGIN_NOT_ALLOWED,
  },
  {
    title: "other port",
    headers: { host: "app.example", origin: "https://app.example:8443" },
    reason: ORIGIN_NOT_ALLOWED,
  },
  { title: "a name that is not listed", headers: { host: "whatever.example" }, reason: HOST_NOT_ALLOWED },
];

const ALLOWED: readonly Row[] = [
  { title: "listed origin", headers: { host, origin: "https://ok.example" } },
  { title: "listed origin in capitals", headers: { host, origin: "https://OK.example" } },
  { title: "origin by pattern", headers: { host, origin: "https://pr-12.preview.example" } },
  {
    title: "pattern must match as a whole",
    headers: { host, origin: "https://pr-12.preview.example.evil.example" },
    reason: ORIGIN_NOT_ALLOWED,
  },
  { title: "host of a listed origin", headers: { host: "ok.example" } },
  { title: "other origin", headers: { host, origin: "https://evil.example" }, reason: ORIGIN_NOT_ALLOWED },
];

const OFF_LOOPBACK: readonly Row[] = [
  { title: "the address of a pod, as probes have it", headers: { host: "10.1.2.3:8000" } },
  { title: "an IPv6 address", headers: { host: "[fd00::7]:8000" } },
  { title: "the name of a container", headers: { host: "gateway:8000" } },
  { title: "a forwarded port", headers: { host: "localhost:9000" } },
  { title: "no host (HTTP/1.0)", headers: {} },
  { title: "a listed name", headers: { host: "Agents.Example:8443" } },
  { title: "a listed name with the dot of the root", headers: { host: "agents.example." } },
  { title: "a name below a listed one", headers: { host: "a.team.example" } },
  { title: "the listed suffix itself", headers: { host: "team.example" }, reason: HOST_NOT_ALLOWED },
  {
    title: "a page that points its own name here",
    headers: { host: "rebind.evil.example:8000", origin: "http://rebind.evil.example:8000" },
    reason: HOST_NOT_ALLOWED,
  },
  { title: "the same without an origin", headers: { host: "rebind.evil.example" }, reason: HOST_NOT_ALLOWED },
  { title: "a name that begins with an address", headers: { host: "10.1.2.3.evil.example" }, reason: HOST_NOT_ALLOWED },
  { title: "a name that ends with a listed one", headers: { host: "evilagents.example" }, reason: HOST_NOT_ALLOWED },
  { title: "an empty name", headers: { host: "" }, reason: HOST_NOT_ALLOWED },
];

/** On loopback no other machine calls, and only a page that has pointed its own name or an address here names these. */
const ON_LOOPBACK: readonly Row[] = [
  { title: "an address of a network", headers: { host: "10.1.2.3:8000" }, reason: HOST_NOT_ALLOWED },
  { title: "an IPv6 address of a network", headers: { host: "[fd00::7]:8000" }, reason: HOST_NOT_ALLOWED },
  { title: "a name without a dot", headers: { host: "gateway:8000" }, reason: HOST_NOT_ALLOWED },
  { title: "a listed name", headers: { host: "agents.example" } },
  { title: "an address of the loopback", headers: { host: "127.1.2.3:8000" } },
];

describe("where a request may come from", () => {
  it("off loopback and on it: names that a page of another site cannot have", () => {
    verifies("authentication:host-check");
    const config = { HOST: "0.0.0.0", ALLOWED_HOSTS: ["agents.example", "*.team.example"] };
    expect(reasons(OFF_LOOPBACK, config)).toEqual(expected(OFF_LOOPBACK));
    expect(reasons(ON_LOOPBACK, { ...config, HOST: "127.0.0.1" })).toEqual(expected(ON_LOOPBACK));
    expect(
      reasons([{ title: "any", headers: { host: "x.evil.example" } }], { HOST: "::", ALLOWED_HOSTS: ["*"] })[0],
    ).toMatchObject({ reason: undefined });
  });

  it("changes from no other site, unless its origin is allowed", () => {
    const check = createOriginCheck({
      HOST: "127.0.0.1",
      ALLOWED_HOSTS: [],
      CORS_MAPPING: "/**",
      CORS_ORIGINS: ["https://ok.example"],
    });
    const site = { host, "sec-fetch-site": "cross-site" };
    const reason = (method: string, headers: Readonly<Record<string, string>>) => check({ headers, method })?.reason;
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      expect(reason(method, site)).toBe(ORIGIN_NOT_ALLOWED);
      expect(reason(method, { ...site, origin: "http://127.0.0.1:8000" })).toBe(ORIGIN_NOT_ALLOWED);
      expect(reason(method, { ...site, origin: "https://ok.example" })).toBeUndefined();
      expect(reason(method, { host, "sec-fetch-site": "same-origin" })).toBeUndefined();
    }
    expect(reason("GET", site)).toBeUndefined();
  });

  it("on a loopback address: programs, and pages of this very server", () => {
    expect(reasons(LOOPBACK, {})).toEqual(expected(LOOPBACK));
  });

  it("behind proxies: pages of the address that the client sees", () => {
    verifies("authentication:origin-check:proxies");
    expect(reasons(BEHIND_PROXY, { HOST: "0.0.0.0", ALLOWED_HOSTS: ["app.example"] })).toEqual(expected(BEHIND_PROXY));
  });

  it("from listed origins", () => {
    const CORS_ORIGINS = ["https://ok.example/", "regex:https://pr-\\d+\\.preview\\.example"];
    expect(reasons(ALLOWED, { CORS_ORIGINS })).toEqual(expected(ALLOWED));
  });

  it("from anywhere with *, but a loopback server still answers to its own names only", () => {
    const check = createOriginCheck({ HOST: "127.0.0.1", CORS_MAPPING: "/**", CORS_ORIGINS: ["*"], ALLOWED_HOSTS: [] });
    expect(check({ headers: { host, origin: "null" } })).toBeUndefined();
    expect(check({ headers: { host: "evil.example" } })?.reason).toBe(HOST_NOT_ALLOWED);
  });

  it("from listed origins only on the paths that are mapped", () => {
    const config = {
      HOST: "127.0.0.1",
      ALLOWED_HOSTS: [],
      CORS_MAPPING: "/apps/**",
      CORS_ORIGINS: ["https://ok.example"],
    };
    const check = createOriginCheck(config);
    const origin = "https://ok.example";
    expect(
      ["/apps", "/apps/a/users/u/sessions?x=1", "/appsx", "/run"].map(
        (url) => check({ headers: { host, origin }, url })?.reason,
      ),
    ).toEqual([undefined, undefined, ORIGIN_NOT_ALLOWED, ORIGIN_NOT_ALLOWED]);
  });

  it("refuses a broken pattern at start, with the setting's name", () => {
    verifies("what-the-service-does:cors-configurable");
    const config = { HOST: "127.0.0.1", ALLOWED_HOSTS: [], CORS_MAPPING: "/**", CORS_ORIGINS: ["regex:("] };
    expect(() => createOriginCheck(config)).toThrow('CORS_ORIGINS: "regex:(" is not a regular expression.');
  });
});

describe("names of the loopback address", () => {
  it.each([
    ["localhost", true],
    ["LocalHost", true],
    ["api.localhost", true],
    ["127.0.0.1", true],
    ["127.255.1.2", true],
    ["[::1]", true],
    ["::1", true],
    ["127.0.0.999", false],
    ["128.0.0.1", false],
    ["localhost.example", false],
    ["notlocalhost", false],
    ["0.0.0.0", false],
    ["", false],
  ])("%s: %s", (name, isLoopback) => {
    expect(isLoopbackName(name)).toBe(isLoopback);
  });
});

it.each([
  ["*", "0.0.0.0", 1],
  ["*", "127.0.0.1", 0],
  ["*", "localhost", 0],
  ["agents.example", "0.0.0.0", 0],
])("warns when it starts if every host is allowed beyond this machine: %s on %s", (allowed, host, warnings) => {
  const lines: unknown[] = [];
  const logger = { ...silentLogger, warn: (fields: unknown) => void lines.push(fields) };
  const config = { HOST: host, CORS_MAPPING: "/**", CORS_ORIGINS: [], ALLOWED_HOSTS: [allowed] };
  originGuard({ config, logger, clock: new FixedClock() });
  expect(lines).toEqual(Array(warnings).fill({ host }));
});
