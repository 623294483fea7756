import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Type } from "#kit/schema/shape.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { InvalidConfigError, loadConfig } from "./load-config.ts";

const schema = Type.Object({
  HOST: Type.String({ default: "127.0.0.1", description: "Address." }),
  PORT: Type.Integer({ default: 8000, minimum: 0, maximum: 65535, description: "Port." }),
  ORIGINS: Type.Array(Type.String(), { default: ["a"], description: "Origins." }),
  SHOW: Type.Boolean({ default: false, description: "Show." }),
  STORE: Type.Union([Type.Literal("sqlite"), Type.Literal("memory")], { default: "sqlite", description: "Store." }),
  NICKNAME: Type.Optional(Type.String({ description: "May be absent." })),
});

function problemsOf(call: () => unknown): readonly string[] {
  try {
    call();
  } catch (error) {
    if (error instanceof InvalidConfigError) return error.problems;
  }
  return [];
}

describe("loadConfig", () => {
  it("gives defaults for what is unset or empty, and leaves optional settings out", () => {
    expect(loadConfig(schema, { HOST: "", PORT: "  ", UNRELATED: "x" })).toEqual({
      HOST: "127.0.0.1",
      PORT: 8000,
      ORIGINS: ["a"],
      SHOW: false,
      STORE: "sqlite",
    });
  });

  it("reads numbers, lists, booleans and choices", () => {
    expect(
      loadConfig(schema, { HOST: " ::1 ", PORT: "0", ORIGINS: "x, y,,", SHOW: "1", STORE: "memory", NICKNAME: "n" }),
    ).toEqual({
      HOST: "::1",
      PORT: 0,
      ORIGINS: ["x", "y"],
      SHOW: true,
      STORE: "memory",
      NICKNAME: "n",
    });
  });

  it.each([["80.5"], ["1e3"], ["0x10"], ["65536"], ["-1"], ["80 " + "1"], ["99999999999999999999"]])(
    "refuses %j as a port",
    (text) => {
      expect(problemsOf(() => loadConfig(schema, { PORT: text }))).toEqual([
        `PORT must be a whole number from 0 to 65535, not "${text}".`,
      ]);
    },
  );

  it.each([
    ["true", true],
    ["TRUE", true],
    ["1", true],
    ["false", false],
    ["0", false],
  ])("reads %j as a boolean", (text, read) => {
    expect(loadConfig(schema, { SHOW: text }).SHOW).toBe(read);
  });

  it("reports all problems together, each with its variable", () => {
    verifies("typescript:properties");
    const strict = Type.Object({ ...schema.properties, URL: Type.String({ description: "Where it is." }) });
    expect(problemsOf(() => loadConfig(strict, { PORT: "x", SHOW: "yes", STORE: "redis" }))).toEqual([
      'PORT must be a whole number from 0 to 65535, not "x".',
      'SHOW must be true, false, 1 or 0, not "yes".',
      'STORE must be sqlite or memory, not "redis".',
      "URL is not set. Where it is.",
    ]);
  });

  it("gives more than eight problems", () => {
    const many = Type.Object(
      Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`N${index}`, Type.Integer()])),
    );
    expect(problemsOf(() => loadConfig(many, {}))).toHaveLength(12);
  });

  it("gives a value that nothing can change", () => {
    const config = loadConfig(schema, {});
    expect([Object.isFrozen(config), Object.isFrozen(config.ORIGINS)]).toEqual([true, true]);
  });
});

describe("secrets", () => {
  const secrets = Type.Object({
    TOKEN: Type.Optional(Type.String({ secret: true, minLength: 4, description: "Token." })),
  });

  function withFile(content: string, use: (path: string) => void): void {
    const folder = mkdtempSync(join(tmpdir(), "config-"));
    const path = join(folder, "token");
    writeFileSync(path, content);
    try {
      use(path);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it("are read from their file anew at each use", () => {
    withFile("first\n", (path) => {
      const config = loadConfig(secrets, { TOKEN_FILE: path });
      const first = config.TOKEN;
      writeFileSync(path, "second\n");
      expect([first, config.TOKEN]).toEqual(["first", "second"]);
    });
  });

  it("are refused when given twice, and never shown", () => {
    withFile("first", (path) => {
      expect(problemsOf(() => loadConfig(secrets, { TOKEN: "other", TOKEN_FILE: path }))).toEqual([
        "TOKEN and TOKEN_FILE are both set: keep one.",
      ]);
    });
    expect(problemsOf(() => loadConfig(secrets, { TOKEN: "abc" }))).toEqual(["TOKEN must have at least 4 characters."]);
  });

  it("whose file is missing or empty are a problem whose text has no path", () => {
    expect(problemsOf(() => loadConfig(secrets, { TOKEN_FILE: "/nowhere/token" }))).toEqual([
      "The file that TOKEN_FILE names cannot be read.",
    ]);
    withFile("\n", (path) => {
      expect(problemsOf(() => loadConfig(secrets, { TOKEN_FILE: path }))).toEqual([
        "The file that TOKEN_FILE names is empty.",
      ]);
    });
  });
});

describe("settings that others need", () => {
  const schema = Type.Object({
    STORE: Type.Enum(["memory", "cloud"], { default: "memory" }),
    PROJECT: Type.String({ default: "", neededBy: { STORE: ["cloud"] }, description: "The project." }),
  });

  it("are missing only when a value needs them, which the problem names", () => {
    expect(loadConfig(schema, {})).toEqual({ STORE: "memory", PROJECT: "" });
    expect(loadConfig(schema, { STORE: "cloud", PROJECT: "p" })).toEqual({ STORE: "cloud", PROJECT: "p" });
    expect(problemsOf(() => loadConfig(schema, { STORE: "cloud" }))).toEqual([
      "PROJECT is not set, and STORE=cloud needs it. The project.",
    ]);
  });

  it("are not missing when another one stands for them", () => {
    const either = Type.Object({
      ...schema.properties,
      PROJECT: Type.String({ default: "", neededBy: { STORE: ["cloud"] }, orElse: ["PROJECTS"] }),
      PROJECTS: Type.Array(Type.String(), { default: [] }),
    });
    expect(loadConfig(either, { STORE: "cloud", PROJECTS: "a,b" })).toMatchObject({ PROJECTS: ["a", "b"] });
    expect(problemsOf(() => loadConfig(either, { STORE: "cloud" }))).toEqual([
      "PROJECT is not set, and STORE=cloud needs it.",
    ]);
  });
});
