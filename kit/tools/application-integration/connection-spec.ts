import type { JsonObject } from "#kit/platform/json.ts";
import { ConnectionsClient } from "./connections-client.ts";

/**
 * The operations and actions that become tools: operations by entity (an empty list: all that the connector supports),
 * and actions.
 */
export interface ConnectionParts {
  readonly entityOperations: Readonly<Record<string, readonly string[]>>;
  readonly actions: readonly string[];
  /** The most seconds that a query may ask for. */
  readonly querySeconds: number;
}

export interface ConnectionPlace {
  readonly project: string;
  readonly location: string;
}

/** The integration that Google's templates create for calls of connections. */
const INTEGRATION = "ExecuteConnection";
export const EXECUTION_ENDPOINT = "https://integrations.googleapis.com";
const MAX_FIELDS = 50;

const ENTITY_ID: JsonObject = { type: "string", description: "The id of the entity." };
const FILTER: JsonObject = {
  type: "string",
  description: "A condition as in WHERE of SQL: field1='value1' AND field2='value2'",
};
const PAGE_SIZE: JsonObject = { type: "integer", default: 50, description: "The most results of one answer." };
const LIST: JsonObject = {
  filterClause: FILTER,
  pageSize: PAGE_SIZE,
  pageToken: { type: "string", description: "From the answer before, for the next page." },
  sortByColumns: { type: "array", items: { type: "string" } },
};
function queryFields(seconds: number): JsonObject {
  const description = "The time limit of the query in seconds.";
  return {
    query: { type: "string", description: "The query in SQL." },
    timeout: { type: "integer", minimum: 1, maximum: seconds, default: seconds, description },
    pageSize: PAGE_SIZE,
  };
}

const EXECUTED: ReadonlyMap<string, string> = new Map([
  ["create", "CREATE_ENTITY"],
  ["update", "UPDATE_ENTITY"],
  ["delete", "DELETE_ENTITY"],
  ["list", "LIST_ENTITIES"],
  ["get", "GET_ENTITY"],
]);

/** Whether an entity can have the operation; its case does not matter. */
export function isEntityOperation(name: string): boolean {
  return EXECUTED.has(name.toLowerCase());
}

/** The OpenAPI description of what a connection offers. Operations of connectors that have no tool are left out. */
export async function connectionSpec(
  client: ConnectionsClient,
  { project, location }: ConnectionPlace,
  { entityOperations, actions, querySeconds }: ConnectionParts,
): Promise<JsonObject> {
  const execution = `/v2/projects/${project}/locations/${location}/integrations/${INTEGRATION}:execute?triggerId=api_trigger/${INTEGRATION}`;
  const parts = await Promise.all([
    ...Object.entries(entityOperations).map(([entity, names]) => entityPaths(client, entity, names)),
    ...actions.map((action) => actionPaths(client, action, querySeconds)),
  ]);
  const paths = parts.flat().map(([fragment, post]): [string, JsonObject] => [`${execution}#${fragment}`, { post }]);
  return {
    openapi: "3.0.1",
    info: { title: INTEGRATION, version: "4" },
    servers: [{ url: EXECUTION_ENDPOINT }],
    paths: Object.fromEntries(paths),
  };
}

type Operation = readonly [fragment: string, post: JsonObject];

async function entityPaths(
  client: ConnectionsClient,
  entity: string,
  names: readonly string[],
): Promise<readonly Operation[]> {
  const { schema, operations } = await client.getEntitySchemaAndOperations(entity);
  const payload = ConnectionsClient.convertJsonSchemaToOpenApiSchema(schema);
  const wanted = (names.length === 0 ? operations : names).filter(isEntityOperation);
  return [...new Set(wanted.map((name) => name.toLowerCase()))].map((name) => {
    const { description, properties, required } = entityOperation(name, entity, payload);
    const post = operationOf(`${name}_${entity.toLowerCase()}`, description, { properties, required });
    return [`${name}_${entity}`, { ...post, "x-operation": EXECUTED.get(name) ?? "", "x-entity": entity }];
  });
}

interface Arguments {
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

function entityOperation(
  name: string,
  entity: string,
  payload: JsonObject,
): Arguments & { readonly description: string } {
  if (name === "create") {
    const properties = { connectorInputPayload: payload };
    return { description: `Creates a new ${entity}.`, properties, required: ["connectorInputPayload"] };
  }
  if (name === "update") {
    // An update has the members that change.
    const { required: _, ...changed } = payload;
    const properties = { connectorInputPayload: changed, entityId: ENTITY_ID, filterClause: FILTER };
    return { description: `Updates a ${entity}.`, properties, required: ["connectorInputPayload", "entityId"] };
  }
  if (name === "delete") {
    const properties = { entityId: ENTITY_ID, filterClause: FILTER };
    return { description: `Deletes a ${entity}.`, properties, required: ["entityId"] };
  }
  if (name === "get") {
    const description = `Returns a ${entity}. ${fieldsOf(payload)}`;
    return { description, properties: { entityId: ENTITY_ID }, required: ["entityId"] };
  }
  const description = `Lists ${entity}. With a nextPageToken in the answer there are more. ${fieldsOf(payload)}`;
  return { description, properties: LIST, required: [] };
}

function fieldsOf({ properties }: JsonObject): string {
  const names = Object.keys(properties ?? {}).slice(0, MAX_FIELDS);
  return names.length === 0 ? "" : `Fields: ${names.join(", ")}.`;
}

async function actionPaths(
  client: ConnectionsClient,
  action: string,
  querySeconds: number,
): Promise<readonly Operation[]> {
  const { inputSchema, displayName, description } = await client.getActionSchema(action);
  const isQuery = action === "ExecuteCustomQuery";
  const payload = ConnectionsClient.convertJsonSchemaToOpenApiSchema(inputSchema);
  const input = isQuery
    ? { properties: queryFields(querySeconds), required: ["query"] }
    : { properties: { connectorInputPayload: payload }, required: ["connectorInputPayload"] };
  const name = displayName.replaceAll(" ", "") || action;
  const post = operationOf(name, description || `Executes ${displayName || action}.`, input);
  const operation = isQuery ? "EXECUTE_QUERY" : "EXECUTE_ACTION";
  return [[action, { ...post, "x-operation": operation, "x-action": action }]];
}

function operationOf(operationId: string, description: string, { properties, required }: Arguments): JsonObject {
  const schema = { type: "object", properties, required, additionalProperties: false };
  return { operationId, description, requestBody: { content: { "application/json": { schema } } } };
}
