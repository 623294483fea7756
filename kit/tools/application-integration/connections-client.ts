import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { type Sleep, sleep } from "#kit/platform/sleep.ts";
import { callGoogleApi, type GoogleApi } from "./google-api.ts";
import type { GoogleCredentials } from "./google-credentials.ts";
import { convertJsonSchemaToOpenApiSchema } from "./json-schema-to-open-api.ts";
import { checkNames, checkResourceNames } from "./resource-names.ts";

/** Options of a `ConnectionsClient`. */
export interface ConnectionsClientOptions {
  readonly project: string;
  readonly location: string;
  readonly connection: string;
  readonly credentials: GoogleCredentials;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  readonly sleep?: Sleep;
}

/** Where calls of a connection are sent to. */
export interface ConnectionDetails {
  /** The full name of the connection's resource. */
  readonly name: string;
  readonly serviceName: string;
  /** Empty for connections without TLS of their own. */
  readonly host: string;
}

/** The schema of one entity of a connection, and the operations on it. */
export interface EntitySchemaAndOperations {
  /** JSON Schema. */
  readonly schema: JsonObject;
  /** The operations that the connector supports for the entity, such as `LIST`. */
  readonly operations: readonly string[];
}

/** One action of a connection. The schemas are JSON Schema. */
export interface ActionSchema {
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly description: string;
  readonly displayName: string;
}

const ENDPOINT = "https://connectors.googleapis.com";
const POLL_INTERVAL_MS = 1000;
const MAX_POLLS = 60;
const OPERATION = /^projects\/[a-z0-9.:-]+\/locations\/[a-z0-9-]+\/operations\/\w[\w.-]*$/;

/**
 * Reads the entities and actions of a connection of Integration Connectors. All methods throw `INVALID_FIELD` for names
 * that the service does not know, `INTEGRATION_DENIED`, and `INTEGRATION_FAILED`.
 */
export class ConnectionsClient {
  readonly #url: string;
  readonly #api: GoogleApi;
  readonly #sleep: Sleep;

  /** Throws `INVALID_FIELD` for a project, location or connection that is not a name. */
  constructor(options: ConnectionsClientOptions) {
    checkResourceNames(options);
    const { project, location, connection, credentials, fetch: send = fetch } = options;
    this.#url = `${ENDPOINT}/v1/projects/${project}/locations/${location}/connections/${connection}`;
    this.#sleep = options.sleep ?? sleep;
    this.#api = { fetch: send, credentials };
  }

  /** The same schema for OpenAPI 3.0. */
  static convertJsonSchemaToOpenApiSchema(jsonSchema: JsonObject): JsonObject {
    return convertJsonSchemaToOpenApiSchema(jsonSchema);
  }

  /** The address to which calls of the connection are sent. */
  async getConnectionDetails(): Promise<ConnectionDetails> {
    const connection = await callGoogleApi(this.#api, `${this.#url}?view=BASIC`);
    const host = textOf(connection["host"]);
    const directory = connection[host === "" ? "serviceDirectory" : "tlsServiceDirectory"];
    return { name: textOf(connection["name"]), serviceName: textOf(directory), host };
  }

  /** The schema of an entity, and the operations that the connector supports for it. */
  async getEntitySchemaAndOperations(entity: string): Promise<EntitySchemaAndOperations> {
    checkNames("entity", [entity]);
    const { jsonSchema, operations } = await this.#metadata(`getEntityType?entityId=${encodeURIComponent(entity)}`);
    const names: readonly JsonValue[] = Array.isArray(operations) ? operations : [];
    return { schema: objectOf(jsonSchema), operations: names.filter((name) => typeof name === "string") };
  }

  /** The input and output of an action. */
  async getActionSchema(action: string): Promise<ActionSchema> {
    checkNames("action", [action]);
    const found = await this.#metadata(`getAction?actionId=${encodeURIComponent(action)}`);
    return {
      inputSchema: objectOf(found["inputJsonSchema"]),
      outputSchema: objectOf(found["outputJsonSchema"]),
      description: textOf(found["description"]),
      displayName: textOf(found["displayName"]),
    };
  }

  /** Starts an operation of the service, and polls it until its result is available. */
  async #metadata(method: string): Promise<JsonObject> {
    const { name } = await callGoogleApi(this.#api, `${this.#url}/connectionSchemaMetadata:${method}`);
    // The name becomes part of the address of requests with credentials.
    if (typeof name !== "string" || !OPERATION.test(name)) throw failed("The service began no operation.");
    for (let polls = 0; polls < MAX_POLLS; polls += 1) {
      const operation = await callGoogleApi(this.#api, `${ENDPOINT}/v1/${name}`);
      const { error } = operation;
      if (isJsonObject(error)) throw failed(`The operation failed: ${textOf(error["message"]).slice(0, 500)}`);
      if (operation["done"] === true) return objectOf(operation["response"]);
      await this.#sleep(POLL_INTERVAL_MS);
    }
    throw failed(`The operation was not done after ${MAX_POLLS} requests. Try again later.`);
  }
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function failed(problem: string): PlatformError {
  return new PlatformError("INTEGRATION_FAILED", `The schema of the connection could not be read. ${problem}`);
}
