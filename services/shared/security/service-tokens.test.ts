import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { AcceptedTokens, OwnToken } from "./service-tokens.ts";

const FIRST = "first-token-first-token-first-token";
const SECOND = "second-token-second-token-second-token";
/** How often a file is looked at. */
const LOOK_MS = 1000;

let folder: string;
let clock: FixedClock;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  clock = new FixedClock();
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, ...lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

const open = () => new AcceptedTokens(folder, { clock, logger: silentLogger });

describe("accepted tokens", () => {
  it("name the caller whose file holds them, as text or as digest", () => {
    write("gateway", FIRST);
    write("runner", `sha256:${createHash("sha256").update(SECOND).digest("hex").toUpperCase()}`);
    write("notes", "not a service");
    const tokens = open();
    expect([FIRST, SECOND, `${FIRST} `, "", "not a service"].map((token) => tokens.callerOf(token))).toEqual([
      "gateway",
      "runner",
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("change without a restart: both count while both are listed", () => {
    write("runner", FIRST);
    const tokens = open();
    write("runner", SECOND, FIRST);
    expect(tokens.callerOf(SECOND)).toBeUndefined();
    clock.advance(LOOK_MS);
    expect([tokens.callerOf(FIRST), tokens.callerOf(SECOND)]).toEqual(["runner", "runner"]);
    write("runner", SECOND);
    clock.advance(LOOK_MS);
    expect([tokens.callerOf(FIRST), tokens.callerOf(SECOND)]).toEqual([undefined, "runner"]);
  });

  it("are added and removed with their files", () => {
    write("runner", FIRST);
    const tokens = open();
    write("gateway", SECOND);
    expect(tokens.callerOf(SECOND)).toBe("gateway");
    rmSync(join(folder, "runner"));
    clock.advance(LOOK_MS);
    expect([tokens.callerOf(FIRST), tokens.callerOf(SECOND)]).toEqual([undefined, "gateway"]);
  });

  it("stay as they were while a file is broken", () => {
    write("runner", FIRST);
    const tokens = open();
    write("runner", "short");
    clock.advance(LOOK_MS);
    expect(tokens.callerOf(FIRST)).toBe("runner");
    write("runner", SECOND);
    clock.advance(LOOK_MS);
    expect(tokens.callerOf(SECOND)).toBe("runner");
  });

  it("are refused at the start if there are none, or if one is easy to guess", () => {
    expect(open).toThrow(/SERVICE_TOKENS_DIR has no file named like a service/);
    write("runner", "short");
    expect(open).toThrow(/SERVICE_TOKENS_DIR \(runner\): a token needs at least 32/);
  });
});

it("accepts a token of 32 characters and refuses one of 31", () => {
  write("runner", "t".repeat(32));
  expect(open().callerOf("t".repeat(32))).toBe("runner");
  write("runner", "t".repeat(31));
  expect(open).toThrow(/a token needs at least 32 printable/);
});

it("names itself by the first token of its file, as it is at that time", () => {
  const path = write("token", "# since May", FIRST, SECOND);
  const token = new OwnToken(path, { clock, logger: silentLogger });
  expect(token.text).toBe(FIRST);
  write("token", SECOND);
  clock.advance(LOOK_MS);
  expect(token.text).toBe(SECOND);
  expect(() => new OwnToken(write("empty"), { clock, logger: silentLogger })).toThrow(
    "The file of SERVICE_TOKEN_FILE is empty. Make a token with: openssl rand -base64 32",
  );
});
