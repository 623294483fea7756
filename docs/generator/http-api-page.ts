import { systemClock } from "#kit/platform/clock.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { createGateway } from "#services/gateway/app.ts";
import { gatewayConfigSchema } from "#services/gateway/config.ts";
import type { GatewayDeps } from "#services/gateway/deps.ts";
import { defaultsOf } from "#shared/config/config-schema.ts";

/** The parts of the OpenAPI document that the page shows. */
interface OpenApiDocument {
  /** In the order of the subjects. */
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly security: readonly object[];
  readonly "x-scope"?: string;
  readonly "x-other-spellings"?: readonly string[];
  /** The operation that is shown in place of this one. */
  readonly "x-spelling-of"?: string;
}

const HEAD = `# HTTP API

For authors of clients: look up each route, its scope and its query.

The full description is served at \`/openapi.json\` (OpenAPI 3.1): the schemas of all bodies, the errors of each route, and
examples that the sample agents answer. \`/docs\` on the server shows it as a page on which each route can be tried; it loads
nothing from another host. Errors have one form: see [errors.md](errors.md).

Clients of this protocol use several paths for some routes. The document has all of them, each with an \`operationId\` of its
own, so that a client can be generated from it; those that are not the first are in its group \`other spellings\`.

On a server with authentication, each route needs valid credentials that have the scope of its row: \`any\` stands for
credentials with any scopes, \`public\` for none. See [security.md](../security.md#what-callers-may-do).

Times of events and of runs are milliseconds since the epoch. The \`lastUpdateTime\` of sessions, the times of artifacts, and
\`afterTimestamp\` are seconds since the epoch with a fraction. Durations are milliseconds: their names end in \`Ms\`, those of settings in \`_MS\`.
`;

/** Describes the routes by building the gateway over ports that are never called. */
export async function loadOpenApi(): Promise<OpenApiDocument> {
  const config = { ...defaultsOf(gatewayConfigSchema), DEV_UI: false };
  // Routes touch their ports only when they are called.
  const deps = {
    config,
    logger: silentLogger,
    clock: systemClock,
    ids: { next: () => "id" },
  } as unknown as GatewayDeps;
  const gateway = await createGateway(deps);
  try {
    const response = await gateway.inject("/openapi.json");
    return response.json<OpenApiDocument>();
  } finally {
    await gateway.close();
  }
}

/** The reference of all routes, by subject, with the first spelling of each. */
export function httpApiPage({ tags, paths }: OpenApiDocument): string {
  const bySubject = Map.groupBy(shownRoutes(paths), ({ operation }) => operation.tags[0]);
  const sections = tags.flatMap(({ name, description }) => {
    const routes = bySubject.get(name);
    return routes === undefined ? [] : [formatSubject(name, description, routes)];
  });
  return HEAD + sections.join("");
}

interface ShownRoute {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function shownRoutes(paths: OpenApiDocument["paths"]): readonly ShownRoute[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation["x-spelling-of"] === undefined)
      .map(([method, operation]) => ({ method, path, operation })),
  );
}

function formatSubject(name: string, description: string, routes: readonly ShownRoute[]): string {
  const hasOthers = routes.some(({ operation }) => operation["x-other-spellings"] !== undefined);
  const head = ["method and path", "what it does", "scope", "query", ...(hasOthers ? ["other spellings"] : [])];
  const rows = [head, head.map(() => "---"), ...routes.map((route) => formatRoute(route, hasOthers))];
  return `\n## ${name}\n\n${description}\n\n${rows.map((cells) => `| ${cells.join(" | ")} |\n`).join("")}`;
}

function formatRoute({ method, path, operation }: ShownRoute, hasOthers: boolean): readonly string[] {
  const { summary, security, parameters = [], "x-scope": scope, "x-other-spellings": others = [] } = operation;
  const query = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => `\`${name}\``);
  const needed = scope === undefined ? "any" : `\`${scope}\``;
  const cells = [
    `${method.toUpperCase()} \`${path}\``,
    summary.replaceAll("|", "\\|"),
    security.length === 0 ? "public" : needed,
    query.join(", "),
  ];
  // The method is the same.
  const paths = others.map((other) => `\`${other.slice(other.indexOf(" ") + 1)}\``);
  return hasOthers ? [...cells, paths.join(", ")] : cells;
}
