import { describe, expect, it } from "vitest";
import { CallSecrets } from "./call-secrets.ts";

describe("CallSecrets", () => {
  it.each([
    ["Authorization", "Bearer abcdefgh-1", "refused: abcdefgh-1", "refused: [redacted]"],
    ["authorization", "Basic YWRhOmxvdmVsYWNl", "user ada, password lovelace", "user ada, password [redacted]"],
    ["Proxy-Authorization", "Bearer abcdefgh-1", "got Bearer abcdefgh-1", "got [redacted]"],
    ["Cookie", "a=1; sid=abcdefgh-1", "cookie sid is abcdefgh-1", "cookie sid is [redacted]"],
    ["X-Auth", "abc/def+gh", "?a=abc%2Fdef%2Bgh", "?a=[redacted]"],
    ["api-key", 'ab"cdefgh', '{"key":"ab\\"cdefgh"}', '{"key":"[redacted]"}'],
    ["CLIENT_SECRET", "abcdefgh-1", "abcdefgh-1abcdefgh-1", "[redacted][redacted]"],
    ["x-token", "1", "1 of 10", "1 of 10"],
    ["Authorization", "Bearer 1", "Bearer 1 is not a token", "Bearer 1 is not a token"],
    ["accept", "application/json", "send application/json", "send application/json"],
    ["x-author", "Ada Lovelace", "by Ada Lovelace", "by Ada Lovelace"],
    ["x-tenant", "acme-industries", "acme-industries", "acme-industries"],
  ])("finds by the name %s whether %j is a secret", (name, value, text, clean) => {
    const secrets = new CallSecrets();
    secrets.addNamed({ [name]: value });
    expect(secrets.redact(text)).toBe(clean);
  });

  it("leaves nothing of a secret of which another one is a part", () => {
    const secrets = new CallSecrets();
    secrets.add("abcdefgh", "abcdefgh-and-more");
    expect(secrets.redact("abcdefgh-and-more, abcdefgh")).toBe("[redacted], [redacted]");
  });

  it("redacts values of any depth in place, and none of the excepted name", () => {
    const secrets = new CallSecrets();
    secrets.add("abcdefgh");
    const value = { content: [{ text: "an abcdefgh" }, null, 1], state: "abcdefgh", ["__proto__"]: "abcdefgh" };
    secrets.redactJson(value, "state");
    expect(JSON.stringify(value)).toBe(
      '{"content":[{"text":"an [redacted]"},null,1],"state":"abcdefgh","__proto__":"[redacted]"}',
    );
    const deep: unknown = JSON.parse(`${"[".repeat(100_000)}"abcdefgh"${"]".repeat(100_000)}`);
    secrets.redactJson(deep as object);
    let inner = deep;
    while (Array.isArray(inner)) [inner] = inner;
    expect(inner).toBe("[redacted]");
  });

  it("redacts names of members, and keeps their order and values", () => {
    const secrets = new CallSecrets();
    secrets.add("abcdefgh");
    const value = { first: 1, "by abcdefgh": { abcdefgh: ["abcdefgh"] }, last: 2 };
    secrets.redactJson(value);
    expect(JSON.stringify(value)).toBe('{"first":1,"by [redacted]":{"[redacted]":["[redacted]"]},"last":2}');
  });

  it("finds the credentials that were sent last, and keeps a bounded number", () => {
    const secrets = new CallSecrets();
    for (let index = 0; index < 100; index += 1)
      secrets.addSent(new Headers({ authorization: `Bearer token-no-${index}-` }));
    expect(secrets.redact("token-no-99- token-no-98- token-no-1-")).toBe("[redacted] [redacted] token-no-1-");
    const value = { text: "token-no-99-" };
    secrets.redactJson(value);
    expect(value).toEqual({ text: "[redacted]" });
  });
});
