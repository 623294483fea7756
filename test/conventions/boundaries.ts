import { posix } from "node:path";
import { PACKAGE_ENTRIES } from "#test/helpers/package-entries.ts";
import type { SourceFile } from "#test/helpers/source-files.ts";
import { type Import, importsOf } from "./imports.ts";

const ALIASES: Readonly<Record<string, string>> = {
  "#kit/": "kit/",
  "#ports/": "ports/",
  "#adapters/": "adapters/",
  "#shared/": "services/shared/",
  "#services/": "services/",
  "#proto/": "proto/generated/",
  "#tooling/": "tooling/",
  "#test/": "test/",
};

/** The stores of a runner and an agent tool that are given none. */
const STORES_IN_MEMORY = [
  "ports/artifacts/in-memory-artifact-service.ts",
  "ports/credentials/in-memory-credential-service.ts",
  "ports/memory/in-memory-memory-service.ts",
  "ports/sessions/in-memory-session-store.ts",
];

/** All files that are not tests. */
const NOT_TEST = [
  "kit/",
  "ports/",
  "client/",
  "adapters/",
  "services/",
  "proto/",
  "cli/",
  "agents/",
  "docs/",
  "deploy/",
  "charts/",
  "bench/",
  "tooling/",
  "package.json",
];

/** The parts of ours that each part may import, as patterns of paths. A part not named here may import everything. */
const MAY_IMPORT: readonly {
  readonly part: RegExp;
  readonly of: (part: string) => readonly string[];
  readonly law: string;
}[] = [
  {
    part: /^kit\//,
    of: () => ["kit/", ...STORES_IN_MEMORY],
    law: "of ours, the kit imports the kit and the stores in memory, its defaults",
  },
  { part: /^ports\//, of: () => ["kit/", "ports/"], law: "ports imports kit and ports" },
  { part: /^client\//, of: () => ["client/", "kit/"], law: "the client imports types of the kit alone" },
  {
    part: /^adapters\/index\.ts$/,
    of: () => ["kit/", "ports/", "adapters/"],
    law: "the entry of the stores imports kit, ports and adapters",
  },
  {
    part: /^adapters\/(?:[^/]+\/)?/,
    of: (part) => (part === "adapters/" ? ["kit/", "ports/"] : ["kit/", "ports/", "proto/", part]),
    law: "an adapter imports kit, ports and the generated proto types, never another adapter or a service",
  },
  {
    part: /^services\/shared\//,
    of: (part) => ["kit/", "ports/", "proto/", "adapters/", part],
    law: "services/shared imports kit, ports and adapters, and no service",
  },
  {
    part: /^services\/standalone\//,
    of: () => ["kit/", "ports/", "proto/", "adapters/", "services/"],
    law: "standalone composes services",
  },
  {
    part: /^services\/[^/]+\//,
    of: (part) => ["kit/", "ports/", "proto/", "adapters/", "services/shared/", part],
    law: "a service imports kit, ports, adapters and services/shared, never another service",
  },
  { part: /^agents\//, of: () => ["kit/", "agents/"], law: "a sample agent imports the kit alone" },
  {
    part: /^tooling\//,
    of: () => ["kit/", "ports/", "services/shared/", "tooling/"],
    law: "tooling imports kit, ports and services/shared, and no test",
  },
  {
    part: /^docs\//,
    of: () => [...NOT_TEST, "test/requirements/"],
    law: "of test, docs imports only the rows of the specification",
  },
  { part: /^(?:bench|deploy|cli|charts)\//, of: () => NOT_TEST, law: "only tests import what is in test" },
];

/** Packages that the kit may load with itself. Others belong to an adapter, or are loaded on first use. */
const KIT_PACKAGES = new Set(["zod", "typebox", "yaml", "ipaddr.js", "croner", "@opentelemetry/api"]);
/** Packages that the kit may load on first use only, each where it is adapted. */
const KIT_LAZY_PACKAGES: Readonly<Record<string, string>> = {
  "@ai-sdk/provider": "kit/models/ai-sdk/",
  "@google/genai": "kit/models/",
  "@anthropic-ai/sdk": "kit/models/",
  openai: "kit/models/",
  "@ai-sdk/amazon-bedrock": "kit/models/providers/",
  "@ai-sdk/azure": "kit/models/providers/",
  "@ai-sdk/groq": "kit/models/providers/",
  "@ai-sdk/mistral": "kit/models/providers/",
  "ollama-ai-provider-v2": "kit/models/providers/",
  "@a2a-js/sdk": "kit/a2a/",
  "@modelcontextprotocol/client": "kit/tools/mcp/",
  "@scalar/openapi-upgrader": "kit/tools/openapi/",
  undici: "kit/outbound-http/",
  "playwright-core": "kit/tools/computer-use/",
  "openid-client": "kit/credentials/oauth/",
  "google-auth-library": "kit/credentials/manager/",
};
/**
 * Files that load modules whose names are given from outside: the loaders of agents, and the one that imports a named
 * package again.
 */
const MAY_COMPUTE_IMPORTS =
  /^(?:(?:kit\/definitions|cli|services\/standalone|bench|docs|deploy|test)\/|kit\/optional-packages\/import-retry\.ts$)/;

/** Gives all properties the seed of the execution. */
const SEEDED_CHECK = "test/helpers/random/seeded-check.ts";

/** Imports that cross a boundary, one sentence each. */
export function boundaryFaults(file: SourceFile): readonly string[] {
  return importsOf(file).flatMap((found) => {
    const fault = faultOf(file.path, found);
    return fault === undefined ? [] : [`${file.path}:${found.line} ${fault}`];
  });
}

/** The file of ours that a specifier names, from the root; undefined for packages. */
export function resolveOwn(from: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(from), specifier);
  for (const [alias, folder] of Object.entries(ALIASES))
    if (specifier.startsWith(alias)) return folder + specifier.slice(alias.length);
  return PACKAGE_ENTRIES.get(specifier);
}

function faultOf(path: string, { specifier, kind }: Import): string | undefined {
  if (specifier === undefined)
    return MAY_COMPUTE_IMPORTS.test(path) ? undefined : "computes what it imports; name the module.";
  const isTest = path.endsWith(".test.ts");
  if (specifier.startsWith("file:") || specifier.startsWith("/")) return `imports "${specifier}" by an absolute path.`;
  if (specifier === "fast-check" && path !== SEEDED_CHECK)
    return `imports fast-check with a random seed; import { fc } from "#${SEEDED_CHECK}".`;
  const target = resolveOwn(path, specifier);
  if (path.startsWith("client/") && !isTest && kind !== "type" && target?.startsWith("client/") !== true)
    return `loads "${specifier}": the client runs in browsers and loads nothing but itself; use import type.`;
  if (target === undefined)
    return /^(?:kit|ports)\//.test(path) && !isTest ? packageFault(path, specifier, kind) : undefined;
  if (isTest && target === "package.json") return undefined;
  if (specifier.startsWith(".") && partOf(target) !== partOf(path))
    return `reaches "${specifier}" by a relative path; use its # alias.`;
  if (specifier.includes("../../")) return `climbs two folders with "${specifier}"; use the # alias.`;
  if (isTest && target.startsWith("test/")) return undefined;
  const rule = MAY_IMPORT.find(({ part }) => part.test(path));
  if (rule === undefined) return undefined;
  if (isTest && path.startsWith("kit/") && target.startsWith("ports/")) return undefined;
  const allowed = rule.of(rule.part.exec(path)?.[0] ?? "");
  return allowed.some((prefix) => target.startsWith(prefix)) ? undefined : `imports "${specifier}": ${rule.law}.`;
}

/** The folder inside which paths may be relative. */
function partOf(path: string): string {
  const [top = "", second = ""] = path.split("/");
  return top === "services" || top === "adapters" ? `${top}/${second}` : top;
}

function packageFault(path: string, specifier: string, kind: Import["kind"]): string | undefined {
  if (specifier.startsWith("node:"))
    return specifier === "node:sqlite" ? "imports a database: the kit has none." : undefined;
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  if (KIT_PACKAGES.has(name)) return undefined;
  const home = KIT_LAZY_PACKAGES[name];
  if (home === undefined) return `imports "${specifier}": the kit has no server, no database and no cloud SDK.`;
  if (!path.startsWith(home)) return `imports "${specifier}" outside ${home}.`;
  return kind === "static" ? `imports "${specifier}" at load; use await import() on first use.` : undefined;
}
