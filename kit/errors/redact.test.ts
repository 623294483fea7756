import { describe, expect, it } from "vitest";
import { redactText } from "./redact.ts";

const PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabc\n-----END RSA PRIVATE KEY-----";

describe("redactText", () => {
  it.each([
    ["AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalr"],
    ["AWS_SECRET=plain-words", "plain-words"],
    ["aws_secret_access_key = 'abc def'", "def"],
    ["AKIAIOSFODNN7EXAMPLE is unknown", "AKIAIOSF"],
    ["remote: ghp_16C7e42F292c6912E7710c838347Ae178B4a", "ghp_16"],
    ["github_pat_11ABCDEFG0_abcdefghijklmnop", "11ABC"],
    ["glpat-AbCdEfGhIjKlMnOpQrSt", "AbCdEf"],
    ["ya29.a0AfH6SMBx-abc_def", "a0AfH6"],
    ["AIzaSyA-1234567890abcdefghijklmnopqrstuv", "SyA-123"],
    ["Incorrect API key provided: sk-proj-abcdefghijklmnop", "abcdefgh"],
    ["sk-ant-api03-abcdefghijklmnop", "api03"],
    ["sk_live_4eC39HqLyjWDarjtT1zdp7dc", "4eC39"],
    ["xoxb-1234567890-abcdefghij", "1234567890"],
    ["npm_abcdefghijklmnopqrstuvwxyz", "abcdef"],
    ["hf_abcdefghijklmnopqrstuvwxyz", "abcdef"],
    ["fl_01999f3e8b907d1e8f112b8f0c9e7d30_abcdefghijklmnopqrstuvwxyz", "abcdef"],
    ["Authorization: Bearer abc.def.ghijkl", "ghijkl"],
    ["Authorization: Token abcdef", "abcdef"],
    ['{"authorization":"Basic dXNlcjpwYXNz"}', "dXNlc"],
    ["cookie: sid=abcdef; theme=dark", "abcdef"],
    ["sent bearer abcdefghijkl", "abcdefghijkl"],
    ["token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN", "eyJzd"],
    [PEM, "MIIE"],
    [`key: ${PEM.slice(0, 50)}`, "MIIE"],
    ["postgres://ada:s3cret@db.internal:5432/app", "s3cret"],
    ["postgres://ada:s3/cr@et@db.internal:5432/app", "et@db"],
    ["redis://:s3cret@cache:6379", "s3cret"],
    ["https://0123456789abcdef@errors.example/1", "0123456789"],
    ["GET https://model.test/v1?key=abcdef&x=1", "abcdef"],
    ["https://store.test/file?x=1&sig=abcdef", "abcdef"],
    ["connect failed: host=db password=hunter2 user=ada", "hunter2"],
    ['dbPassword = "two words"', "two words"],
    ["password: hunter2", "hunter2"],
    ['{"password":"hunter2","user":"ada"}', "hunter2"],
    ['{"token":"abcdef"}', "abcdef"],
    ["client_secret: abcdef", "abcdef"],
    ["refresh_token: abcdef", "abcdef"],
  ])("removes the credential from %j", (text, secret) => {
    expect(text).toContain(secret);
    const clean = redactText(text);
    expect(clean).not.toContain(secret);
    expect(clean).toContain("[redacted]");
    expect(redactText(clean)).not.toContain(secret);
  });

  it.each([
    "Unexpected token: } in JSON at position 5",
    "The request has 12 tokens; maxTokens=5, tokenCount=3",
    "GET http://127.0.0.1:8000/apps/demo/users/ada/sessions/s1 answered 404",
    "ENOENT: no such file or directory, open '/data/artifacts/a.json'",
    "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
    "mail ada@example.org about the secret agent",
  ])("leaves %j as it is", (text) => {
    expect(redactText(text)).toBe(text);
  });

  it("keeps the text around a credential", () => {
    expect(redactText("login of ada at postgres://ada:pw@db/app failed: timeout")).toBe(
      "login of ada at postgres://ada:[redacted]@db/app failed: timeout",
    );
    expect(redactText("--token=[redacted] of --secret=[redacted]plus")).toBe(
      "--token=[redacted] of --secret=[redacted]]plus",
    );
    expect(redactText(`before ${PEM} between ${PEM} after`)).toBe("before [redacted] between [redacted] after");
  });

  it.each([
    "eyJ",
    "eyJaaaaa.",
    "-eyJaaaaa",
    "://",
    "://a:",
    "://a:b",
    "Bearer ",
    "Basic\t",
    "password",
    "password=",
    'password="',
    "password='",
    "password: ",
    "secret_",
    "token-",
    "-----BEGIN ",
    "-----BEGIN PRIVATE KEY-----",
    "-----END ",
    "sk-",
    "ghp_",
    "AKIA",
    "authorization:",
    "cookie: ",
    " ",
    "a",
    '"token":',
    "?key=",
  ])("takes time in proportion to the length of a text of %j", (unit) => {
    // A quadratic pattern takes minutes for this length and exceeds the time limit of the test.
    const text = unit.repeat(Math.ceil(600_000 / unit.length));
    expect(redactText(text).length).toBeGreaterThan(0);
    expect(redactText(`${text}\u0000`).length).toBeGreaterThan(0);
  });
});
