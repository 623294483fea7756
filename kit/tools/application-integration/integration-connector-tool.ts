import { BaseTool } from "#kit/core/base-tool.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import type { CredentialManager } from "#kit/credentials/manager/credential-manager.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { FunctionDeclaration } from "#kit/models/llm-request.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import { lenientSchema } from "#kit/schema/arguments/lenient-schema.ts";
import { checkArguments } from "#kit/schema/arguments/repaired-arguments.ts";
import { type Schema, toSchema } from "#kit/schema/schema.ts";
import { SchemaExpansion } from "#kit/tools/openapi/expand-schema.ts";
import { RestApiTool, type RestApiToolOptions } from "#kit/tools/openapi/rest-api-tool.ts";
import type { RestOperation } from "#kit/tools/openapi/rest-operation.ts";
import type { ConnectionDetails } from "./connections-client.ts";

/** The field of a connection whose account is overridden. */
const TOKEN_FIELD = "oauth2_auth_code_flow.access_token";
/** The default time limit of a call with a query: 120 seconds for the query, and the rest for its answer. */
export const QUERY_TIMEOUT_MS = 130_000;
const READS: ReadonlySet<JsonValue | undefined> = new Set(["LIST_ENTITIES", "GET_ENTITY"]);

export interface IntegrationConnectorToolOptions {
  readonly operation: RestOperation;
  readonly details: ConnectionDetails;
  readonly rest: RestApiToolOptions;
  /** Gets the user's token for the system behind the connection; absent: the connection's own account is used. */
  readonly manager?: CredentialManager | undefined;
}

/**
 * One operation of a connection as a tool. The model gives the arguments; which connection, entity, action and
 * operation they are for is fixed.
 */
export class IntegrationConnectorTool extends BaseTool {
  readonly #rest: RestApiTool;
  readonly #declared: JsonObject;
  readonly #checked: Schema;
  readonly #defaults: JsonObject;
  readonly #fixed: JsonObject;
  readonly #manager: CredentialManager | undefined;

  constructor({ operation, details, rest, manager }: IntegrationConnectorToolOptions) {
    const { name, description, document, path, body } = operation;
    const { post } = document.resolve(objectOf(document.root["paths"])[path]);
    const { "x-operation": executed, "x-entity": entity, "x-action": action } = objectOf(post);
    const call = new RestApiTool(
      { ...operation, ...(body !== undefined && { body: { ...body, schema: {} } }) },
      executed === "EXECUTE_QUERY" ? { ...rest, timeoutMs: rest.timeoutMs ?? QUERY_TIMEOUT_MS } : rest,
    );
    super({
      name,
      description,
      idempotent: READS.has(executed),
      timeoutMs: call.timeoutMs,
    });
    this.#rest = call;
    this.#manager = manager;
    const schema = new SchemaExpansion(document).expand(body?.schema);
    this.#declared = schema;
    this.#checked = toSchema(lenientSchema(schema));
    this.#defaults = Object.fromEntries(
      Object.entries(objectOf(schema["properties"])).flatMap(([argument, value]): (readonly [string, JsonValue])[] =>
        isJsonObject(value) && value["default"] !== undefined ? [[argument, value["default"]]] : [],
      ),
    );
    this.#fixed = present({
      connectionName: details.name,
      serviceName: details.serviceName,
      host: details.host,
      operation: executed ?? "",
      entity,
      action,
    });
  }

  override getDeclaration(): FunctionDeclaration {
    return { name: this.name, description: this.description, parameters: this.#declared };
  }

  /** The model gets an `error` for wrong arguments and for refusals of the service, so that it can correct the call. */
  override async runAsync(args: JsonObject, context: ToolContext): Promise<unknown> {
    const checked = await checkArguments(this.#checked, args);
    if (!checked.ok) {
      const problems = checked.problems.join("; ");
      return { error: `Wrong arguments for ${this.name}: ${problems}. Call it again with corrected arguments.` };
    }
    // Accepted by the schema of an object.
    const accepted = checked.value as JsonObject;
    const body = { ...this.#defaults, ...accepted, ...this.#fixed };
    if (this.#manager === undefined) return this.#rest.runAsync({ body }, context);
    const credential = await this.#manager.getAuthCredential(context);
    if (credential !== undefined)
      return this.#rest.runAsync(
        { body: { ...body, dynamicAuthConfig: { [TOKEN_FIELD]: tokenOf(credential) } } },
        context,
      );
    await this.#manager.requestCredential(context);
    return null;
  }
}

function tokenOf(credential: AuthCredential): string {
  const bearer = credential.authType === "http" ? credential.http?.credentials.token : undefined;
  const token = "oauth2" in credential ? credential.oauth2?.accessToken : bearer;
  if (token !== undefined) return token;
  throw new PlatformError(
    "CREDENTIAL_UNUSABLE",
    "The credential of the tool cannot be used: a connection's override takes a token of OAuth 2 or a bearer token.",
  );
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
