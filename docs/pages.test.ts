import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ERROR_REASONS } from "#kit/errors/reasons.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { configurationPage } from "./configuration-page.ts";
import { errorsPage } from "./errors-page.ts";
import { generatedPages } from "./pages.ts";

describe("generated pages", () => {
  it("are in step with the code", async () => {
    for (const [name, text] of await generatedPages()) {
      expect(readFileSync(join(import.meta.dirname, name), "utf8"), `docs/${name}: npm run generate`).toBe(text);
    }
  });
});

describe("errors page", () => {
  it("has each reason once, and no other", () => {
    verifies("errors:reasons");
    const named = [...errorsPage().matchAll(/^\| `([^`]+)` \| \d/gm)].map((match) => match[1]);
    expect(named).toEqual(Object.keys(ERROR_REASONS).sort());
  });

  it("names reasons in upper snake case, each with a meaning", () => {
    for (const [reason, { meaning }] of Object.entries(ERROR_REASONS)) {
      expect(reason).toMatch(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/);
      expect(meaning).toMatch(/\.$/);
    }
  });
});

describe("configuration page", () => {
  it("shows type, default and meaning, and marks what is required", () => {
    const properties = {
      PORT: { type: "integer", default: 8000, description: "Port." },
      STORE: { anyOf: [{ const: "memory" }, { const: "sqlite" }], default: "sqlite", description: "A | B." },
      ORIGINS: { type: "array", default: [], description: "Origins." },
      KEY: { type: "string", description: "Key." },
    };
    const rows = configurationPage([{ title: "gateway", schema: { properties } }])
      .split("\n")
      .slice(-5, -1);
    expect(rows).toEqual([
      "| `PORT` | integer | `8000` | Port. |",
      "| `STORE` | `memory`, `sqlite` | `sqlite` | A \\| B. |",
      "| `ORIGINS` | list | none | Origins. |",
      "| `KEY` | string | required | Key. |",
    ]);
  });
});
