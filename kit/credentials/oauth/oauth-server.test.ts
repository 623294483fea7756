import { describe, expect, it } from "vitest";
import type { AuthScheme } from "../auth-scheme.ts";
import { mayBeInsecure, oauthServer } from "./oauth-server.ts";

const ISSUER = "https://auth.example/tenant";
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: "https://auth.example/go",
  token_endpoint: "https://auth.example/token",
};
const openId = (openIdConnectUrl: string, more: object = {}): AuthScheme =>
  ({ type: "openIdConnect", openIdConnectUrl, ...more }) as AuthScheme;
const oauth = (issuer_url: string, more: object = {}): AuthScheme =>
  ({ type: "oauth2", issuer_url, flows: { authorizationCode: { scopes: { read: "" }, ...more } } }) as AuthScheme;

/** Reads the server of a scheme where only one address has a document. */
async function read(scheme: AuthScheme, documents: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  const cancelled: string[] = [];
  const outbound = {
    fetch: async (url: string | URL) => {
      asked.push(String(url));
      const document = documents[String(url)];
      if (typeof document === "string") return new Response(document);
      if (document !== undefined) return Response.json(document);
      return new Response(new ReadableStream({ cancel: () => void cancelled.push(String(url)) }), { status: 404 });
    },
  };
  const server = await oauthServer(scheme, { outbound, signal: new AbortController().signal });
  return { server, asked, cancelled };
}

describe("an issuer's metadata", () => {
  const places = [
    "https://auth.example/.well-known/oauth-authorization-server/tenant",
    "https://auth.example/.well-known/openid-configuration/tenant",
    "https://auth.example/tenant/.well-known/openid-configuration",
  ];

  it.each([0, 1, 2])(
    "is found at place %i of those where issuers publish, and frees the answers before it",
    async (at) => {
      for (const issuer of [ISSUER, `${ISSUER}/`]) {
        const { server, asked, cancelled } = await read(oauth(issuer), { [places[at] ?? ""]: METADATA });
        expect(server).toEqual({ metadata: METADATA, hasIssuer: true, scopes: ["read"] });
        expect([asked, cancelled]).toEqual([places.slice(0, at + 1), places.slice(0, at)]);
      }
    },
  );

  it.each(places)("may be named by its address %s", async (place) => {
    const { server } = await read(openId(place, { scopes: ["a"] }), { [place]: METADATA });
    expect(server).toEqual({ metadata: METADATA, hasIssuer: true, scopes: ["a"] });
    expect((await read(openId(place), { [place]: METADATA })).server.scopes).toEqual(["openid"]);
  });

  it("gives way to endpoints of the scheme", async () => {
    const own = "https://own.example/token";
    const [place = ""] = places;
    const { server } = await read(openId(place, { token_endpoint: own, authorization_endpoint: "" }), {
      [place]: METADATA,
    });
    expect(server.metadata).toMatchObject({ ...METADATA, token_endpoint: own });
    const flow = oauth(ISSUER, { tokenUrl: own, authorizationUrl: "https://own.example/go" });
    expect((await read(flow, { [place]: METADATA })).server.metadata).toMatchObject({
      token_endpoint: own,
      authorization_endpoint: "https://own.example/go",
    });
  });

  it("is not read for a scheme that has the endpoints, and the issuer is then unknown", async () => {
    const scheme = { type: "openIdConnect", token_endpoint: METADATA.token_endpoint } as AuthScheme;
    const { server, asked } = await read(scheme, {});
    expect([asked, server]).toEqual([
      [],
      {
        metadata: { issuer: "https://auth.example", token_endpoint: METADATA.token_endpoint },
        hasIssuer: false,
        scopes: ["openid"],
      },
    ]);
  });

  it.each<[string, unknown]>([
    ["of another issuer", { ...METADATA, issuer: "https://evil.example/tenant" }],
    ["of a longer issuer", { ...METADATA, issuer: `${ISSUER}/more` }],
    ["of an issuer that is not an address", { ...METADATA, issuer: "tenant" }],
    ["without an issuer", { ...METADATA, issuer: undefined }],
    ["that is not JSON", "<p>"],
    ["that is a list", [METADATA]],
    ["with an endpoint that is not text", { ...METADATA, token_endpoint: 5 }],
    ["that is missing", undefined],
  ])("%s is refused", async (_title, document) => {
    const [place = ""] = places;
    for (const scheme of [oauth(ISSUER), openId(place)])
      await expect(read(scheme, { [place]: document })).rejects.toMatchObject({
        reason: "CREDENTIAL_UNUSABLE",
        message: expect.stringContaining("leads to no metadata of"),
      });
  });

  it.each<[AuthScheme, object, string]>([
    [{ type: "http", scheme: "bearer" }, {}, "a scheme of type http has no authorization server"],
    [
      { type: "oauth2", flows: { password: { tokenUrl: "https://a" } } } as AuthScheme,
      {},
      "other flows are not supported",
    ],
    [{ type: "oauth2", flows: {} } as AuthScheme, {}, "names no tokenUrl"],
    [{ type: "openIdConnect" } as AuthScheme, {}, "names no tokenUrl and no issuer"],
    [oauth("no address"), {}, "names no tokenUrl and no issuer"],
    [openId("no address"), {}, "leads to no metadata of its issuer"],
    [
      oauth(ISSUER),
      { revocation_endpoint: "http://auth.example/x" },
      "the revocation_endpoint of the authorization server is not an https",
    ],
    [
      oauth(ISSUER),
      { authorization_endpoint: "no address" },
      "the authorization_endpoint of the authorization server is not an https",
    ],
    [oauth(ISSUER), { token_endpoint: undefined }, "names no tokenUrl"],
  ])("of %j with %j cannot be used", async (scheme, more, problem) => {
    await expect(read(scheme, { [places[0] ?? ""]: { ...METADATA, ...more } })).rejects.toThrow(problem);
  });
});

it.each([
  ["http://127.0.0.1:80/x", true],
  ["http://[::1]/x", true],
  ["http://10.1.2.3/x", true],
  ["http://8.8.8.8/x", false],
  ["http://auth.svc.cluster.local/x", true],
  ["http://auth.example.com/x", false],
  ["https://127.0.0.1/x", false],
])("the endpoint %s may be without TLS: %s", (address, isAllowed) => {
  expect(mayBeInsecure(address)).toBe(isAllowed);
});
