import type { BaseTool } from "#kit/core/base-tool.ts";
import { BaseToolset, type ToolsetOptions } from "#kit/core/base-toolset.ts";
import type { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import type { AuthScheme } from "#kit/credentials/auth-scheme.ts";
import { CredentialManager } from "#kit/credentials/manager/credential-manager.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { OutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import { lazy } from "#kit/platform/lazy.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { OpenApiDocument } from "#kit/tools/openapi/open-api-document.ts";
import { warnOfLeftOut } from "#kit/tools/openapi/open-api-toolset.ts";
import { RestApiTool, type RestApiToolOptions } from "#kit/tools/openapi/rest-api-tool.ts";
import { operationsOf, type RestOperation } from "#kit/tools/openapi/rest-operation.ts";
import { connectionSpec, EXECUTION_ENDPOINT, isEntityOperation } from "./connection-spec.ts";
import { ConnectionsClient } from "./connections-client.ts";
import { callGoogleApi, type GoogleApi } from "./google-api.ts";
import { getGoogleCredentials } from "./google-credentials.ts";
import { IntegrationConnectorTool, QUERY_TIMEOUT_MS } from "./integration-connector-tool.ts";
import { checkNames, checkResourceNames, invalidOption } from "./resource-names.ts";

/** Options of an `ApplicationIntegrationToolset`: an integration, or a connection with what to do with it. */
export interface ApplicationIntegrationToolsetOptions extends ToolsetOptions {
  readonly project: string;
  readonly location: string;
  /** The integration whose API triggers become tools. */
  readonly integration?: string;
  /** The API triggers, such as `api_trigger/orders`. Absent: all. */
  readonly triggers?: readonly string[];
  /** The connection whose entities and actions become tools. */
  readonly connection?: string;
  /** `create`, `update`, `delete`, `list`, `get` by entity; an empty list means all that the connector supports. */
  readonly entityOperations?: Readonly<Record<string, readonly string[]>>;
  readonly actions?: readonly string[];
  /** The JSON of the key of the service account that all calls are made as. */
  readonly serviceAccountJson: string;
  /** A text that is appended to the description of each tool. */
  readonly toolInstructions?: string;
  /** The time limit of one call; if absent 60,000, and 130,000 for a query. */
  readonly timeoutMs?: number;
  /** How users sign in to the system behind the connection, if the connection lets calls override its own account. */
  readonly authScheme?: AuthScheme;
  /** The client with which users sign in, or a token of the author. */
  readonly authCredential?: AuthCredential;
  /** The name under which the user's credential is kept. */
  readonly credentialKey?: string;
}

/**
 * Tools from an integration of Application Integration, or from a connection of Integration Connectors. Requests go
 * through the runner's `outbound`. What the service refuses fails the run with the errors of `ConnectionsClient`; the
 * next run tries again.
 */
export class ApplicationIntegrationToolset extends BaseToolset {
  readonly #options: ApplicationIntegrationToolsetOptions;
  /** Each runner has tools and tokens of its own, because they make their requests with its `outbound`. */
  readonly #loads = new WeakMap<OutboundAccess, () => Promise<readonly BaseTool[]>>();

  /** Throws `INVALID_FIELD`. */
  constructor(options: ApplicationIntegrationToolsetOptions) {
    const { toolFilter, toolNamePrefix } = options;
    super({ ...(toolFilter !== undefined && { toolFilter }), ...(toolNamePrefix !== undefined && { toolNamePrefix }) });
    check(options);
    this.#options = options;
  }

  protected override loadTools({ invocationContext }: ReadonlyContext): Promise<readonly BaseTool[]> {
    const { outbound } = invocationContext;
    if (outbound === undefined)
      throw new PlatformError("CONFIGURATION", "The runner has no `outbound`: it makes no requests to other servers.");
    const { logger } = invocationContext.services;
    const load = this.#loads.get(outbound) ?? lazy(() => loadTools(this.#options, { outbound, logger }));
    this.#loads.set(outbound, load);
    return load();
  }
}

function check(options: ApplicationIntegrationToolsetOptions): void {
  const { project, location, integration, triggers, connection, entityOperations, actions, timeoutMs } = options;
  if (timeoutMs !== undefined && !(Number.isSafeInteger(timeoutMs) && timeoutMs > 0))
    throw invalidOption("timeoutMs", "must be a whole number of milliseconds above 0");
  if (typeof options.serviceAccountJson !== "string") throw invalidOption("serviceAccountJson", "is missing");
  if (project === undefined || location === undefined)
    throw invalidOption(project === undefined ? "project" : "location", "is missing");
  checkResourceNames({ project, location, integration, connection });
  if ((integration === undefined) === (connection === undefined))
    throw invalidOption("integration", "or `connection` must be given, and not both");
  if (triggers !== undefined) checkNames("triggers", triggers);
  if (actions !== undefined) checkNames("actions", actions);
  if (entityOperations !== undefined) {
    checkNames("entityOperations", Object.keys(entityOperations));
    if (!Object.values(entityOperations).flat().every(isEntityOperation))
      throw invalidOption("entityOperations", "may only have the operations create, update, delete, list and get");
  }
  if (options.authScheme !== undefined && connection === undefined)
    throw invalidOption("authScheme", "requires a `connection`");
  if (connection !== undefined && entityOperations === undefined && actions === undefined)
    throw invalidOption("connection", "needs `entityOperations`, `actions` or both");
}

async function loadTools(
  options: ApplicationIntegrationToolsetOptions,
  { outbound, logger }: { readonly outbound: OutboundAccess; readonly logger: Logger },
): Promise<readonly BaseTool[]> {
  const { serviceAccountJson, integration, connection = "", toolInstructions, timeoutMs } = options;
  const send: typeof fetch = (input, init) => outbound.fetch(input instanceof Request ? input.url : input, init);
  const credentials = getGoogleCredentials(serviceAccountJson, { fetch: send });
  const api: GoogleApi = { fetch: send, credentials };
  const restAt = (trustedOrigin: string): RestApiToolOptions => ({
    trustedOrigin,
    headerProvider: () => credentials.getRequestHeaders(),
    forgetHeaders: () => credentials.forget?.(),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  const instructed = (operation: RestOperation): RestOperation =>
    toolInstructions === undefined
      ? operation
      : { ...operation, description: `${operation.description} ${toolInstructions}` };
  if (integration !== undefined) {
    const document = await integrationDocument(api, { ...options, integration });
    const { operations, leftOut } = operationsOf(document, undefined);
    warnOfLeftOut(leftOut, logger);
    return operations.map(
      (operation) => new RestApiTool(instructed(operation), restAt(trusted(operation, options.location))),
    );
  }
  const client = new ConnectionsClient({ ...options, connection, credentials, fetch: send });
  const { entityOperations = {}, actions = [] } = options;
  const [details, spec] = await Promise.all([
    client.getConnectionDetails(),
    connectionSpec(client, options, { entityOperations, actions, querySeconds: querySecondsIn(timeoutMs) }),
  ]);
  const rest = restAt(EXECUTION_ENDPOINT);
  const manager = managerOf(options);
  const { operations, leftOut } = operationsOf(await OpenApiDocument.read(spec), undefined);
  warnOfLeftOut(leftOut, logger);
  return operations.map(
    (operation) => new IntegrationConnectorTool({ operation: instructed(operation), details, rest, manager }),
  );
}

function managerOf({
  authScheme,
  authCredential,
  credentialKey,
}: ApplicationIntegrationToolsetOptions): CredentialManager | undefined {
  if (authScheme === undefined) return undefined;
  return new CredentialManager({
    authScheme,
    ...(authCredential !== undefined && { rawAuthCredential: authCredential }),
    ...(credentialKey !== undefined && { credentialKey }),
  });
}

const ANSWER_MS = 10_000;

/** The seconds for the query itself, so that its answer arrives within the time limit of the call. */
function querySecondsIn(timeoutMs: number = QUERY_TIMEOUT_MS): number {
  return Math.max(1, Math.floor((timeoutMs - ANSWER_MS) / 1000));
}

async function integrationDocument(
  api: GoogleApi,
  options: ApplicationIntegrationToolsetOptions & { readonly integration: string },
): Promise<OpenApiDocument> {
  const { project, location, integration, triggers } = options;
  const url = `https://${location}-integrations.googleapis.com/v1/projects/${project}/locations/${location}:generateOpenApiSpec`;
  const resource = { integrationResource: integration, ...(triggers !== undefined && { triggerId: triggers }) };
  const { openApiSpec } = await callGoogleApi(api, url, { apiTriggerResources: [resource], fileFormat: "JSON" });
  if (typeof openApiSpec === "string") return OpenApiDocument.read(openApiSpec);
  throw new PlatformError("INTEGRATION_FAILED", "The service returned no OpenAPI description of the integration.");
}

/**
 * The origin of the operation's server. Any other server is refused, because the token is only for Application
 * Integration.
 */
function trusted({ server }: RestOperation, location: string): string {
  const origins = [EXECUTION_ENDPOINT, `https://${location}-integrations.googleapis.com`];
  if (origins.includes(server.origin)) return server.origin;
  throw new PlatformError("INTEGRATION_FAILED", `The description names another server: ${server.origin}`);
}
