import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { FileAuditLog } from "#adapters/files/file-audit-log.ts";
import { sealRecord } from "#ports/audit/audit-chain.ts";
import type { AuditDecision } from "#ports/audit/audit-event.ts";
import { type StandaloneConfig, standaloneConfigSchema } from "#services/standalone/config.ts";
import { defaultsOf } from "#shared/config/config-schema.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { UsageError } from "../parse-arguments.ts";
import { audit } from "./audit.ts";

const DECISIONS: readonly Partial<AuditDecision>[] = [
  { subject: "key:a", action: "deleteSession", resource: { appName: "echo", userId: "ada" } },
  { subject: "key:b", action: "readSession", resource: { appName: "echo", userId: "bob" }, decision: "refused" },
  { tenantId: "acme", subject: "key:b", action: "createKey", timeMs: Date.UTC(2026, 1, 1) },
];

async function writeLog(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "audit-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "audit.jsonl");
  await using log = await FileAuditLog.open({ path, newChain: "c1", maxBytes: 1_000_000, nowMs: 0 });
  for (const [index, changes] of DECISIONS.entries()) {
    const decision = { timeMs: 0, subject: "x", action: "x", resource: {}, decision: "allowed", ...changes } as const;
    await log.append([sealRecord(log.head, { kind: "decision", requestId: `r${index + 1}`, ...decision })]);
  }
  return path;
}

interface Given {
  readonly flags?: Readonly<Record<string, string>>;
  readonly config?: Partial<StandaloneConfig>;
  readonly input?: string;
}

async function run(
  action: string | undefined,
  paths: readonly string[],
  { flags = {}, config, input = "" }: Given = {},
) {
  const lines: string[] = [];
  async function* stdin(): AsyncIterable<Buffer> {
    yield Buffer.from(input);
  }
  const code = await audit({
    action,
    paths,
    flags: new Map(Object.entries(flags)),
    config: { ...defaultsOf(standaloneConfigSchema), ...config },
    stdin: stdin(),
    print: (line) => void lines.push(line),
  });
  return { code, text: lines.join("\n") };
}

describe("fairlead audit verify", () => {
  it("finds a log whole, by its path or by the settings, and prints its head", async () => {
    verifies("authentication:audit:chain");
    const path = await writeLog();
    const whole = {
      code: 0,
      text: expect.stringMatching(/^Chain c1: records 1 to 3 are whole\. Head: c1\/3\/[0-9a-f]{64}$/),
    };
    expect(await run("verify", [path])).toEqual(whole);
    expect(await run("verify", [], { config: { AUDIT: "file", AUDIT_FILE: path } })).toEqual(whole);
  });

  it("names the first broken record, and ends with 1", async () => {
    verifies("authentication:audit:chain");
    const path = await writeLog();
    writeFileSync(path, readFileSync(path, "utf8").replace("key:b", "key:c"));
    const { code, text } = await run("verify", [path]);
    expect([code, text.split("\n")[1]]).toEqual([
      1,
      `Broken: ${path}:2: record 2 was changed: its text does not have its digest.`,
    ]);
    expect(JSON.parse((await run("verify", [path], { flags: { "--json": "" } })).text)).toMatchObject({
      chains: [{ chain: "c1", first: 1, seq: 1 }],
      problem: expect.stringContaining("record 2 was changed"),
    });
  });

  it("says that a cut end cannot be found if nothing names the last record", async () => {
    verifies("authentication:audit:chain");
    const path = await writeLog();
    const head = /Head: (\S+)/.exec((await run("verify", [path])).text)?.[1] ?? "";
    const lines = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, `${lines.slice(0, 2).join("\n")}\n`);
    expect((await run("verify", [path])).code).toBe(1);
    for (const broken of ["", "{"]) {
      writeFileSync(`${path}.head`, broken);
      expect(await run("verify", [path])).toEqual({
        code: 0,
        text: expect.stringContaining(`Note: ${path}.head is missing or broken`),
      });
    }
    expect(await run("verify", [path], { flags: { "--head": head } })).toMatchObject({ code: 1 });
  });

  it("finds that a log was written anew, by a head of an earlier check", async () => {
    const path = await writeLog();
    const head = /Head: (\S+)/.exec((await run("verify", [path])).text)?.[1] ?? "";
    expect((await run("verify", [path], { flags: { "--head": head } })).code).toBe(0);
    const other = head.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));
    expect(await run("verify", [path], { flags: { "--head": other } })).toEqual({
      code: 1,
      text: expect.stringContaining("record 3 is not the one that was expected: the chain was written anew."),
    });
  });

  it("reads records out of a server's output", async () => {
    const [first, second, third] = readFileSync(await writeLog(), "utf8").split("\n");
    const log = (...lines: readonly (string | undefined)[]): Given => ({
      input: `${["ready", ...lines].join("\n")}\n`,
      flags: { "--in-log": "" },
    });
    expect((await run("verify", ["-"], log(first, '{"level":"info"}', second, third))).code).toBe(0);
    expect((await run("verify", ["-"], log(first, third))).code).toBe(1);
    expect(await run("verify", ["-"], log())).toEqual({ code: 0, text: "There are no audit records." });
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ["no action", () => run(undefined, []), "Usage: fairlead audit verify|export [file…]"],
    ["an unknown action", () => run("verfy", []), 'There is no command "audit verfy"'],
    [
      "no file",
      () => run("verify", []),
      "Name the files of the audit log, or - for standard input: AUDIT names no log to read.",
    ],
    ["a file that is missing", () => run("verify", ["/nowhere/a"]), "There is no file /nowhere/a that can be read."],
    ["a folder", () => run("verify", ["/tmp"]), "There is no file /tmp that can be read."],
    ["a head that is none", () => run("verify", ["-"], { flags: { "--head": "3" } }), "--head needs the head"],
    [
      "a time that is none",
      () => run("export", ["-"], { flags: { "--since": "soon" } }),
      "--since needs a time such as",
    ],
    [
      "a decision that is none",
      () => run("export", ["-"], { flags: { "--decision": "maybe" } }),
      "--decision needs allowed or refused.",
    ],
  ])("refuses %s", async (_what, running, message) => {
    const error = await running().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
  });
});

describe("fairlead audit export", () => {
  it.each<[Readonly<Record<string, string>>, readonly string[]]>([
    [{}, ["r1", "r2", "r3"]],
    [{ "--subject": "key:b" }, ["r2", "r3"]],
    [{ "--subject": "key:b", "--decision": "refused" }, ["r2"]],
    [{ "--tenant": "acme" }, ["r3"]],
    [{ "--tenant": "default" }, ["r1", "r2"]],
    [{ "--app": "echo" }, ["r1", "r2"]],
    [{ "--user": "ada" }, ["r1"]],
    [{ "--action": "createKey" }, ["r3"]],
    [{ "--since": "2026-01-15" }, ["r3"]],
  ])("prints the records with all of %j", async (flags, expected) => {
    const path = await writeLog();
    const { code, text } = await run("export", [path], { flags });
    const lines = readFileSync(path, "utf8").split("\n");
    expect(code).toBe(0);
    expect(text.split("\n")).toEqual(lines.filter((line) => expected.some((id) => line.includes(`"${id}"`))));
  });
});
