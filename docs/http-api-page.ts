import { silentLogger } from "#kit/platform/logger.ts";
import { createGateway } from "#services/gateway/app.ts";
import { gatewayConfigSchema } from "#services/gateway/config.ts";
import type { GatewayDeps } from "#services/gateway/deps.ts";
import { defaultsOf } from "#shared/config/config-schema.ts";

/** The parts of the OpenAPI document that the page shows. */
interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses?: Readonly<Record<string, unknown>>;
}

const HEAD = `# HTTP API

The full description, with the schemas of all bodies, is served at \`/openapi.json\`, and as a page to read and try at
\`/docs\`. Errors have one form: see [errors.md](errors.md).
`;

/** Describes the routes by building the gateway over ports that are never called. */
export async function loadOpenApi(): Promise<OpenApiDocument> {
  const config = { ...defaultsOf(gatewayConfigSchema), DEV_UI: false };
  // Routes touch their ports only when they are called.
  const deps = { config, logger: silentLogger, ids: { next: () => "id" } } as unknown as GatewayDeps;
  const gateway = await createGateway(deps);
  try {
    const response = await gateway.inject("/openapi.json");
    return response.json<OpenApiDocument>();
  } finally {
    await gateway.close();
  }
}

/** The reference of all routes, by subject. */
export function httpApiPage(document: OpenApiDocument): string {
  const bySubject = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const subject = operation.tags[0] ?? "other";
      const rows = bySubject.get(subject) ?? [];
      rows.push(formatOperation(method, path, operation));
      bySubject.set(subject, rows);
    }
  }
  const sections = [...bySubject]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([subject, rows]) => formatSubject(subject, rows));
  return HEAD + sections.join("");
}

function formatSubject(subject: string, rows: readonly string[]): string {
  return `\n## ${subject}\n\n| method and path | what it does | query |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
}

function formatOperation(method: string, path: string, { summary, parameters = [] }: Operation): string {
  const query = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => `\`${name}\``);
  return `| ${method.toUpperCase()} \`${path}\` | ${summary.replaceAll("|", "\\|")} | ${query.join(", ")} |`;
}
