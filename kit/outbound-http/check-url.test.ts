import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { readAllowedHosts } from "./allowed-hosts.ts";
import { checkUrl } from "./check-url.ts";

const NONE = readAllowedHosts([]);

const REFUSED = expect.objectContaining({ reason: "OUTBOUND_ADDRESS_REFUSED" });

/** Spellings of addresses in the server's own network, each as the host of a URL. */
const INNER_HOSTS = [
  ...["127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001"],
  ...["127.0.0.1.", "127。0。0。1", "①②⑦.0.0.1", "%31%32%37.0.0.1", "0x7F.0x0.0x0.0x1", "127.255.255.254"],
  ...["0", "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "0x0a000001", "012.0.0.1", "167772161"],
  ...["172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.257", "3232235521", "0xc0.0xa8.0.1"],
  ...["169.254.169.254", "169.254.169.252", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518"],
  ...["100.64.0.1", "100.100.100.200", "100.127.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1"],
  ...["198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"],
  ...["168.63.129.16", "[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]", "[::7f00:1]", "[::ffff:127.0.0.1]"],
  ...["[::ffff:7f00:1]", "[::ffff:a9fe:a9fe]", "[::ffff:10.0.0.1]", "[::ffff:0:10.0.0.1]", "[fe80::1]", "[febf::1]"],
  ...["[fc00::1]", "[fd00:ec2::254]", "[fec0::1]", "[ff02::1]", "[64:ff9b::10.0.0.1]", "[64:ff9b:1::10.0.0.1]"],
  ...["[2002:7f00:1::]", "[2002:a00:1::1]", "[2001::1]", "[2001:db8::1]", "[100::1]", "[5f00::1]", "[4000::1]"],
  ...[
    "localhost",
    "LOCALHOST",
    "localhost.",
    "a.localhost",
    "redis",
    "metadata",
    "metadata.",
    "kubernetes.default.svc",
  ],
  ...["metadata.google.internal", "METADATA.google.INTERNAL.", "metadata.goog", "a.metadata.goog", "x.internal"],
  ...["printer.local", "fairlead-session.default.svc.cluster.local", "box.localdomain", "a.home.arpa", "wiki.corp"],
] as const;

describe("an address that somebody names", () => {
  it.each(INNER_HOSTS)("is refused for the host %s", (host) => {
    verifies("platform:outbound-addresses");
    expect(() => checkUrl(`http://${host}/`, NONE)).toThrow(REFUSED);
    expect(() => checkUrl(`https://${host}:443/x`, NONE)).toThrow(REFUSED);
  });

  it("is refused in more than sixty spellings", () => {
    expect(new Set(INNER_HOSTS).size).toBeGreaterThan(60);
  });

  it.each([
    ["file:///etc/passwd", "only http and https"],
    ["ftp://example.com/", "only http and https"],
    ["gopher://example.com/", "only http and https"],
    ["data:text/plain,x", "only http and https"],
    ["javascript:alert(1)", "only http and https"],
    ["ws://example.com/", "only http and https"],
    ["https://user@example.com/", "user name"],
    ["https://user:secret@example.com/", "user name"],
    ["https://:secret@example.com/", "user name"],
    ["https://example.com:22/", "port 22"],
    ["http://example.com:6379/", "port 6379"],
    ["https://example.com:8443/", "port 8443"],
    ["//example.com/", "not a URL"],
    ["example.com", "not a URL"],
    ["", "not a URL"],
    ["http://", "not a URL"],
    ["http://999.1.1.1/", "not a URL"],
    ["http://[::1", "not a URL"],
    ["http://127.0.0.1%00.example.com/", "not a URL"],
    ["http://1.2.3.4.5.0x/", "not a URL"],
    ["http://[fe80::1%25eth0]/", "not a URL"],
  ])("is refused if it is %s", (url, problem) => {
    expect(() => checkUrl(url, NONE)).toThrow(problem);
  });

  it.each([
    "https://example.com/",
    "http://example.com/",
    "https://EXAMPLE.com./",
    "https://example.com:443/a?b#c",
    "https://8.8.8.8/",
    "https://[2001:4860:4860::8888]/",
    "https://local.example.com/",
    "https://internal.example/",
  ])("is accepted if it is %s", (url) => {
    expect(checkUrl(url, NONE).href).toBe(new URL(url).href);
  });

  it("appears in errors with its host alone", () => {
    expect(() => checkUrl("http://10.0.0.1/path?token=secret", NONE)).toThrow(
      expect.objectContaining({
        message:
          'The address of host "10.0.0.1" may not be called: it leads into the network of the server, and OUTBOUND_ALLOWED_HOSTS does not name it.',
        details: { host: "10.0.0.1" },
      }),
    );
  });
});

describe("hosts that the operator allows", () => {
  const allowed = readAllowedHosts([
    "mcp.corp",
    "api.example.internal:8080",
    "*.tools.internal",
    "10.0.0.5",
    "[fd00::1]:9000",
  ]);

  it.each([
    "http://mcp.corp/",
    "http://MCP.corp.:3000/",
    "https://mcp.corp:22/",
    "http://api.example.internal:8080/",
    "http://a.tools.internal/",
    "http://a.b.tools.internal:81/",
    "http://10.5/",
    "http://0xa000005:7000/",
    "http://[fd00:0::1]:9000/",
  ])("may be called: %s", (url) => {
    expect(checkUrl(url, allowed).href).toBe(new URL(url).href);
  });

  it.each([
    "http://api.example.internal/",
    "http://api.example.internal:8081/",
    "http://tools.internal/",
    "http://xtools.internal/",
    "http://10.0.0.6/",
    "http://[fd00::1]/",
    "http://[fd00::2]:9000/",
    "ftp://mcp.corp/",
    "http://user@mcp.corp/",
  ])("allow nothing else: %s", (url) => {
    expect(() => checkUrl(url, allowed)).toThrow(REFUSED);
  });

  it.each(["", "*", "*.", "http://a", "a/b", "a:", "a:99999", "a b", "*.10.0.0.1", "a@b", "**.a", "a?b", "a#b"])(
    "are refused in the form %j",
    (entry) => {
      expect(() => readAllowedHosts([entry])).toThrow(
        expect.objectContaining({
          reason: "CONFIGURATION",
          message: expect.stringContaining("OUTBOUND_ALLOWED_HOSTS"),
        }),
      );
    },
  );
});
