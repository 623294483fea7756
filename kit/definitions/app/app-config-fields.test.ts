import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Compile } from "typebox/schema";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { appConfigSchema } from "./app-config-fields.ts";

const FILE = "../app-config.schema.json";
const validator = Compile(appConfigSchema());

describe("appConfigSchema", () => {
  it(`is what ${FILE} holds`, () => {
    const published: unknown = JSON.parse(readFileSync(join(import.meta.dirname, FILE), "utf8"));
    expect(published, "Run: npm run generate").toEqual(appConfigSchema());
  });

  it("accepts the settings of the sample", () => {
    const text = readFileSync(join(REPOSITORY_ROOT, "agents/research_team_yaml/app.yaml"), "utf8");
    expect(validator.Check(parse(text))).toBe(true);
  });

  it.each([
    {},
    { plugins: [{ name: "LoggingPlugin", args: { content: true } }] },
    { events_compaction: { token_threshold: 5, eventRetentionSize: 1 } },
    { schedules: [{ name: "morning", userId: "ada", cron: "0 9 * * *", text: "Hello", stateDelta: { a: 1 } }] },
    { inbox: { expiresAfterSeconds: 86_400, onExpiry: "fail" } },
    { inbox: { expires_after_seconds: 1 } },
    { webhooks: [{ name: "alerts", url: "https://a.example", events: ["run.failed"], secret: "alerts" }] },
    { contextCache: {}, onDisconnect: "cancel", concurrency_policy: "reject" },
  ])("accepts %j", (config) => {
    expect(validator.Check(config)).toBe(true);
  });

  it.each([
    { plugins: ["LoggingPlugin"] },
    { plugins: [{ args: {} }] },
    { resumability: {} },
    { onDisconnect: "wait" },
    { contextCache: { ttlSeconds: 0 } },
    { name: "shop" },
    { inbox: {} },
    { webhooks: [{ name: "alerts" }] },
    { webhooks: [{ name: "alerts", url: "https://a.example", events: ["run.never"] }] },
    { inbox: { expiresAfterSeconds: 0 } },
    { inbox: { expiresAfterSeconds: 60, onExpiry: "forget" } },
    { schedules: [{ name: "morning", cron: "0 9 * * *", text: "Hello" }] },
    { schedules: [{ name: "morning", userId: "ada", cron: "0 9 * * *", text: "Hello", overlap: "never" }] },
  ])("refuses %j", (config) => {
    expect(validator.Check(config)).toBe(false);
  });
});
