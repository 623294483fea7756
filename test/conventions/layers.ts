import { posix } from "node:path";
import type { SourceFile } from "#test/helpers/source-files.ts";
import { resolveOwn } from "./boundaries.ts";
import { importsOf } from "./imports.ts";

/**
 * The folders of each part, lowest first: a folder imports only from those before it, types included. "." is
 * the rest of the part's top folder; a file named here is a layer of its own. A folder that is not named fails the test.
 */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  kit: [
    ...[
      "version.ts",
      "errors",
      "names",
      "platform",
      "cache",
      "optional-packages",
      "schema",
      "schema/arguments",
      "events",
    ],
    // The way to addresses that others have named, and what authenticates calls there.
    ...["outbound-http", "credentials", "credentials/oauth", "credentials/manager"],
    // What stores and other services do for agents, and the rules that they share.
    ...["sessions", "artifacts", "memory", "evaluation", "telemetry"],
    ...[
      "models",
      "models/answers",
      "models/bounds",
      "models/record",
      "models/wire/schemas",
      "models/wire",
      "models/live",
      "models/cascade",
      "models/demo",
      "models/ai-sdk",
      "models/providers",
      "models/gemini",
      "models/claude",
      "models/openai",
      "models/routing",
      "models/registry",
    ],
    ...["evaluation/metrics/rouge", "evaluation/metrics", "evaluation/metrics/efficiency"],
    ...["history", "compaction"],
    // What a run's calls of models may use.
    "budget",
    // What agents, tools and plugins are, and what they are given.
    ...["core/app-settings", "core/context", "core"],
    "code-executors",
    // What evaluations compute. Their sets and results are stored in ports/.
    ...["evaluation/judges/parsing", "evaluation/judges", "evaluation/judges/rubrics", "evaluation/engine"],
    ...["evaluation/formats", "evaluation/simulation", "evaluation/inference"],
    ...["llm-agent/base", "llm-agent/questions", "llm-agent/transfer", "llm-agent/output", "llm-agent/tool-calls"],
    ...["llm-agent/code-execution", "llm-agent/request", "llm-agent/model-call", "llm-agent/resume"],
    ...["llm-agent/live", "llm-agent"],
    "llm-agent/planners",
    // What users compose.
    ...[
      "agents",
      "tools",
      "tools/model-tools",
      "tools/openapi",
      "tools/application-integration",
      "tools/computer-use",
      "tools/computer-use/playwright",
      ...[
        "tools/mcp/transport",
        "tools/mcp",
        "tools/mcp/sign-in",
        "tools/mcp/mcp-tool.ts",
        "tools/mcp/server-lists.ts",
      ],
      ...["tools/mcp/mcp-toolset.ts"],
    ],
    ...["a2a/conversion", "a2a/remote"],
    ...["plugins/analytics", "plugins"],
    ...["planners", "planners/goal-oriented", "planners/supervisor"],
    ...["runs/base", "runs/begin", "runs/execute", "runs"],
    ...["a2a/executor", "evaluation/local"],
    ...["definitions/yaml", "definitions/app", "definitions/registry", "definitions/revisions", "definitions/loaders"],
    // Names and forms of ADK, for what stands below.
    "adk",
    // The entries of the package.
    ...[".", "testing", "models/index.ts", "evaluation/index.ts", "a2a/index.ts", "definitions/index.ts"],
    ...["planners/index.ts", "plugins/index.ts", "tools/index.ts", "adk/index.ts"],
  ],
  ports: [
    // What all stores share: all data of a tenant or a user, limits, sealed content, tables of rows.
    ...["tenants", "storage-limits", "encryption", "rows"],
    // Each port with what is written once for all backends, and its store in memory.
    ...["idempotency", "audit", "quota", "api-keys", "artifacts", "artifacts/bucket", "memory", "credentials"],
    ...[
      "evaluation",
      "evaluation-jobs",
      "sessions/old-runs",
      "sessions",
      "sessions/network",
      "runs",
      "runs/reading",
      "push",
      "inbox",
      "schedules",
      "webhooks",
    ],
    // Definitions of agents, changed in a browser.
    "editor",
    // Several ports, composed for programs.
    ".",
  ],
  "services/gateway": [
    ...[
      "identity/identity-settings.ts",
      "sign-in/sign-in-settings.ts",
      "retention/retention-settings.ts",
      "config.ts",
      "graphs",
      "traces",
      "pages",
      "origins",
      "identity",
    ],
    ...[
      "identity/keys",
      "identity/oidc",
      "identity/open-identity.ts",
      "sign-in",
      "http",
      "deps.ts",
      "access",
      "quota",
      "audit",
    ],
    ...[
      "requests",
      "streams",
      "sessions",
      "runs",
      "evaluations",
      "openapi",
      "mcp",
      "tasks",
      "due",
      "push",
      "schedules",
      "inbox",
      "webhooks",
      "a2a",
      "live",
      "tenants",
      "retention",
      "routes",
      ".",
    ],
  ],
  "services/shared": [
    ...[
      "config",
      "health",
      "security",
      "tracing",
      "logging",
      "metrics",
      "otlp",
      "quota",
      "answers",
      "grpc",
      "stores/storage-settings.ts",
      "stores/store-context.ts",
      "stores/open-postgres.ts",
      "transport",
    ],
    "process",
    ...["agents/agents-settings.ts", "agents/editor", "agents/index", "agents", "stores", "audit"],
  ],
  "services/runner": [
    "config.ts",
    "metrics",
    "deps.ts",
    "slots",
    "live",
    "revisions",
    "execution",
    "queue",
    "recovery",
    ".",
  ],
  "adapters/firestore": ["database", "sessions", "."],
  "adapters/grpc": ["messages", "channel", "."],
  "adapters/postgres": ["database", "schema", "sessions", "streams", "."],
  "adapters/redis": ["redis-client.ts", "scripts", "."],
  "adapters/sqlite": ["keys", "memory", "checkpoints", "database", "sessions", "."],
  tooling: [".", "identity", "emulators", "processes", "cluster", "agents/echo"],
};

/** Imports of a higher layer, and folders without a layer, one sentence each. Tests may import everything. */
export function layerFaults(file: SourceFile): readonly string[] {
  const part = partOf(file.path);
  if (part === undefined || file.path.endsWith(".test.ts")) return [];
  const layer = layerOf(part, file.path);
  if (layer === -1) return [`${file.path}: its folder has no layer; add it to LAYERS where it belongs.`];
  return importsOf(file).flatMap(({ specifier, line }) => {
    const target = specifier === undefined ? undefined : resolveOwn(file.path, specifier);
    if (target === undefined || partOf(target) !== part || layerOf(part, target) <= layer) return [];
    return [`${file.path}:${line} imports "${specifier}", which is in a higher layer.`];
  });
}

/** Cycles between files, types included, each as the path around it. `import()` closes no cycle. */
export function typeCycles(files: readonly SourceFile[]): readonly string[] {
  const edges = new Map(
    files.filter(({ path }) => !path.endsWith(".test.ts")).map((file) => [file.path, targets(file)]),
  );
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) cycles.push([...trail.slice(start), path].join(" → "));
    if (start !== -1 || done.has(path)) return;
    for (const target of edges.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return cycles;
}

function targets(file: SourceFile): readonly string[] {
  return importsOf(file).flatMap(({ kind, specifier }) => {
    const target = kind !== "dynamic" && specifier !== undefined ? resolveOwn(file.path, specifier) : undefined;
    return target === undefined ? [] : [target];
  });
}

function partOf(path: string): string | undefined {
  return Object.keys(LAYERS).find((part) => path.startsWith(`${part}/`));
}

function layerOf(part: string, path: string): number {
  const layers = LAYERS[part] ?? [];
  const inside = path.slice(part.length + 1);
  const file = layers.indexOf(inside);
  return file === -1 ? layers.indexOf(posix.dirname(inside)) : file;
}
