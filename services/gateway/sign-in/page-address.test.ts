import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { PageAddress } from "./page-address.ts";

function open(publicUrl = ""): PageAddress {
  const problems: string[] = [];
  const address = new PageAddress({ publicUrl, path: "" }, problems);
  if (problems.length > 0) throw new Error(problems.join());
  return address;
}

type Headers = Readonly<Record<string, string>>;
const isOwn = (headers: Headers, method = "GET", publicUrl = "") => open(publicUrl).isOwnPage({ headers, method });

describe("a request of an own page", () => {
  const host = "agents.example";
  it.each<[string, Headers, string, boolean]>([
    ["a page's read", { host, "sec-fetch-site": "same-origin" }, "GET", true],
    ["a typed address", { host, "sec-fetch-site": "none" }, "GET", true],
    ["a page's write", { host, origin: "https://agents.example", "sec-fetch-site": "same-origin" }, "POST", true],
    ["an older browser's read", { host }, "GET", true],
    ["an older browser's write", { host, origin: "https://agents.example" }, "POST", true],
    ["the port of the scheme", { host: "agents.example:443", origin: "https://agents.example" }, "POST", true],
    ["a write without evidence", { host }, "POST", false],
    ["a write that the user typed", { host, "sec-fetch-site": "none" }, "POST", false],
    ["another site", { host, "sec-fetch-site": "cross-site" }, "GET", false],
    ["another host of the same site", { host, "sec-fetch-site": "same-site" }, "GET", false],
    ["another origin", { host, origin: "https://evil.example" }, "GET", false],
    ["a page without encryption", { host, origin: "http://agents.example" }, "POST", false],
    ["a page of no origin", { host, origin: "null" }, "POST", false],
    [
      "an origin that a page declares to be the server's",
      { host, origin: "https://evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" },
      "POST",
      false,
    ],
    ["another port of loopback", { host: "localhost:8000", origin: "http://localhost:3000" }, "POST", false],
    ["the same port of loopback", { host: "localhost:8000", origin: "http://localhost:8000" }, "POST", true],
  ])("%s", (_name, headers, method, expected) => {
    verifies("authentication:sign-in:own-pages");
    expect(isOwn(headers, method)).toBe(expected);
  });

  it("is one of PUBLIC_URL, behind a proxy that replaces the name", () => {
    const headers = { host: "gateway", origin: "https://agents.example" };
    expect(isOwn(headers, "POST", "https://agents.example")).toBe(true);
    expect(isOwn(headers, "POST")).toBe(false);
  });
});

it.each(["http://agents.example", "https://agents.example/path", "agents.example", "https://a@agents.example"])(
  "refuses PUBLIC_URL=%s",
  (publicUrl) => {
    expect(() => open(publicUrl)).toThrow("write scheme and name alone");
  },
);
