import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { CookieSeal } from "./cookie-seal.ts";

const OLD = Buffer.alloc(32, 1);
const NEW = Buffer.alloc(32, 2);
const CONTENT = { user: "ada" };

const sealOf = (...keys: readonly Buffer[]) => new CookieSeal(() => keys);

describe("the seal of cookies", () => {
  it("opens what it has sealed for the same purpose, each time with another text", () => {
    const seal = sealOf(OLD);
    const texts = [seal.seal("session", CONTENT), seal.seal("session", CONTENT)];
    expect(new Set(texts).size).toBe(2);
    expect(texts.map((text) => seal.open("session", text))).toEqual([CONTENT, CONTENT]);
    expect(texts.map((text) => seal.open("flow", text))).toEqual([undefined, undefined]);
  });

  it("opens no text of which one bit is changed, and none that is cut", () => {
    verifies("authentication:sign-in:cookie");
    const seal = sealOf(OLD);
    const bytes = Buffer.from(seal.seal("session", CONTENT), "base64url");
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      expect(seal.open("session", changed.toString("base64url"))).toBeUndefined();
      expect(seal.open("session", bytes.subarray(0, at).toString("base64url"))).toBeUndefined();
    }
  });

  it("seals with the first key and opens with all, so that keys can be replaced", () => {
    const text = sealOf(OLD).seal("session", CONTENT);
    expect(sealOf(NEW, OLD).open("session", text)).toEqual(CONTENT);
    expect(sealOf(NEW).open("session", text)).toBeUndefined();
    expect(sealOf(NEW).open("session", sealOf(NEW, OLD).seal("session", CONTENT))).toEqual(CONTENT);
  });
});
