import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ERROR_REASONS } from "#kit/errors/reasons.ts";
import { Type } from "#kit/schema/shape.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { configurationPage } from "./configuration-page.ts";
import { decisionsPage } from "./decisions-page.ts";
import { errorsPage } from "./errors-page.ts";
import { httpApiPage } from "./http-api-page.ts";
import { generatedPages } from "./pages.ts";
import { servicesPage } from "./services-page.ts";

describe("generated pages", () => {
  it("are in step with the code", async () => {
    for (const [name, text] of await generatedPages()) {
      expect(readFileSync(join(import.meta.dirname, "..", name), "utf8"), `docs/${name}: npm run generate`).toBe(text);
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
  const schema = Type.Object({
    PORT: Type.Integer({ default: 8000, description: "Port." }),
    STORE: Type.Union([Type.Literal("memory"), Type.Literal("sqlite")], { default: "sqlite", description: "A | B." }),
    ORIGINS: Type.Array(Type.String(), { default: [], description: "Origins." }),
    KEY: Type.String({ secret: true, description: "Key." }),
  });

  it("shows type, default and meaning, and marks what is required", () => {
    expect(tableRows(configurationPage([{ title: "gateway", schema }]))).toEqual([
      "| `PORT` | integer | `8000` | Port. |",
      "| `STORE` | `memory`, `sqlite` | `sqlite` | A \\| B. |",
      "| `ORIGINS` | list | none | Origins. |",
      "| `KEY` | string | required | Key. Or `KEY_FILE`, a file that holds it. |",
    ]);
  });

  it("shows a setting of several processes once", () => {
    const both = configurationPage([
      { title: "gateway", schema },
      { title: "standalone", schema },
    ]);
    expect(both).toBe(configurationPage([{ title: "gateway", schema }]));
  });
});

describe("decisions page", () => {
  it("shows rows with a decision by section, and marks what is not built", () => {
    const row = { id: "wire:a", line: 1, status: "verified", text: "A | B is left open." } as const;
    const sections = {
      session: [{ ...row, id: "session:b" }],
      wire: [
        { ...row, decided: "`A`." },
        { ...row, id: "wire:c", status: "pending", decided: "Later.", unbuilt: true },
      ],
    } as const;
    const page = decisionsPage(sections);
    expect(page.match(/^## .*$/gm)).toEqual(["## wire"]);
    expect(tableRows(page)).toEqual([
      "| `wire:a` | A \\| B is left open. | `A`. |",
      "| `wire:c` | A \\| B is left open. | *Not built yet.* Later. |",
    ]);
  });
});

describe("HTTP page", () => {
  it("shows each route once, with its query and its other spellings, by subject in the order of the document", () => {
    const tags = [
      { name: "runs", description: "Turns." },
      { name: "apps", description: "Agents." },
      { name: "none", description: "Empty." },
    ];
    const paths = {
      "/list-apps": {
        get: {
          summary: "Names of apps.",
          tags: ["apps"],
          security: [],
          parameters: [{ name: "detailed", in: "query" }],
        },
      },
      "/run_sse": {
        post: {
          summary: "A | B",
          tags: ["runs"],
          security: [{}],
          "x-scope": "runs:write",
          "x-other-spellings": ["POST /run-sse"],
        },
      },
      "/app-info": { get: { summary: "An app.", tags: ["apps"], security: [{}] } },
      "/run-sse": { post: { summary: "A | B", tags: ["none"], security: [{}], "x-spelling-of": "run" } },
    };
    const page = httpApiPage({ tags, paths });
    expect(page.match(/^## .*$/gm)).toEqual(["## runs", "## apps"]);
    expect(tableRows(page)).toEqual([
      "| POST `/run_sse` | A \\| B | `runs:write` |  | `/run-sse` |",
      "| GET `/list-apps` | Names of apps. | public | `detailed` |",
      "| GET `/app-info` | An app. | any |  |",
    ]);
  });
});

describe("services page", () => {
  it("marks which service reads a setting, and which one does not start without it", () => {
    const sections = [
      { title: "gateway", schema: Type.Object({ ADDRESS: Type.String(), PORT: Type.Integer({ default: 1 }) }) },
      { title: "session", schema: Type.Object({ PORT: Type.Integer({ default: 1 }) }) },
    ];
    expect(tableRows(servicesPage(sections)).filter((row) => !row.includes("?"))).toEqual([
      "| `ADDRESS` | **must** |  |  |  |  |  |",
      "| `PORT` | yes |  | yes |  |  |  |",
    ]);
  });
});

/** The rows of a page's tables without their heads. */
function tableRows(page: string): readonly string[] {
  return page.split("\n").filter((line) => line.startsWith("| ") && line.includes("`"));
}
