import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import type { OpenApiDocument } from "./open-api-document.ts";
import { OperationNames } from "./operation-names.ts";
import { bodyOf, type RestBody } from "./rest-body.ts";
import { firstText, parametersOf, type RestParameter } from "./rest-parameter.ts";
import { serverAddress } from "./server-address.ts";
import { UnusableOperation } from "./unusable-operation.ts";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];
/** Requests of these methods are refused by every HTTP client that browsers and Node have. */
const REFUSED_METHODS: ReadonlySet<string> = new Set(["trace", "track", "connect"]);
const MAX_OPERATIONS = 5000;

/** One operation of an OpenAPI description. */
export interface RestOperation {
  readonly name: string;
  readonly description: string;
  readonly method: string;
  readonly path: string;
  /** The address that the path is appended to. */
  readonly server: URL;
  readonly parameters: readonly RestParameter[];
  readonly body: RestBody | undefined;
  /** Whether the description declares that the operation needs no credential. */
  readonly isPublic: boolean;
  readonly document: OpenApiDocument;
}

/** An operation that cannot be a tool, and why. */
export interface LeftOutOperation {
  /** Method and path. */
  readonly operation: string;
  readonly problem: string;
}

export interface RestOperations {
  /** In the order of the description. */
  readonly operations: readonly RestOperation[];
  readonly leftOut: readonly LeftOutOperation[];
}

/**
 * The operations of a description. One that cannot be a tool leaves the others as they are. Throws `INVALID_FIELD` if
 * none can be, and for a description with too many.
 */
export function operationsOf(document: OpenApiDocument, baseUrl: string | undefined): RestOperations {
  const names = new OperationNames();
  const operations: RestOperation[] = [];
  const leftOut: LeftOutOperation[] = [];
  for (const { path, method, item, operation } of listed(document, leftOut)) {
    if (operations.length + leftOut.length >= MAX_OPERATIONS)
      throw invalid(`it has more than ${MAX_OPERATIONS} operations. Give a part of it`);
    const { operationId } = operation;
    // An operation that is left out keeps its name, so that those of others do not change when it is corrected.
    const name = names.take(typeof operationId === "string" ? operationId : `${path}_${method}`);
    try {
      operations.push({ name, ...operationOf({ document, path, method, item, operation }, baseUrl) });
    } catch (error) {
      leftOut.push({ operation: titleOf(method, path), problem: problemOf(error) });
    }
  }
  const [first] = leftOut;
  if (operations.length === 0 && first !== undefined)
    throw invalid(`none of its operations can be a tool. ${first.operation}: ${first.problem}`);
  return { operations, leftOut };
}

interface ListedOperation {
  readonly path: string;
  readonly method: string;
  readonly item: JsonObject;
  readonly operation: JsonObject;
}

function* listed(document: OpenApiDocument, leftOut: LeftOutOperation[]): Generator<ListedOperation> {
  const { paths } = document.root;
  for (const [path, given] of Object.entries(isJsonObject(paths) ? paths : {})) {
    let item: JsonObject;
    try {
      item = document.resolve(given);
    } catch (error) {
      leftOut.push({ operation: titleOf("all", path), problem: problemOf(error) });
      continue;
    }
    for (const [method, operation] of operationsIn(item))
      if (isJsonObject(operation)) yield { path, method, item, operation };
  }
}

/** The operations of a path by their methods, those of OpenAPI 3.2 among them. */
function operationsIn(item: JsonObject): readonly (readonly [string, JsonValue | undefined])[] {
  const { additionalOperations } = item;
  const additional = isJsonObject(additionalOperations) ? Object.entries(additionalOperations) : [];
  return [...METHODS.map((method) => [method, item[method]] as const), ...additional];
}

function operationOf(
  { document, path, method, item, operation }: ListedOperation & { readonly document: OpenApiDocument },
  baseUrl: string | undefined,
): Omit<RestOperation, "name"> {
  if (REFUSED_METHODS.has(method.toLowerCase()) || !/^[A-Za-z][\w-]{0,40}$/.test(method))
    throw new UnusableOperation(`requests of the method ${method.slice(0, 40).toUpperCase()} cannot be sent`);
  const { servers, security } = document.root;
  const { description, summary, requestBody } = operation;
  const parameters = parametersOf(document, [item["parameters"], operation["parameters"]]);
  checkPath(path, parameters);
  const taken = new Set(parameters.map(({ argument }) => argument));
  return {
    description: firstText(description, summary) ?? titleOf(method, path),
    method: method.toUpperCase(),
    path,
    server: serverAddress([operation["servers"], item["servers"], servers], baseUrl),
    parameters,
    body: method === "head" ? undefined : bodyOf(document, requestBody, taken),
    isPublic: isEmptyList(operation["security"] ?? security),
    document,
  };
}

/** Each variable of the path needs a parameter. */
function checkPath(path: string, parameters: readonly RestParameter[]): void {
  const [address = ""] = path.split("#", 1);
  const described = new Set(parameters.filter((one) => one.in === "path").map(({ name }) => name));
  for (const [, name = ""] of address.matchAll(/\{([^{}]*)\}/g))
    if (!described.has(name)) throw new UnusableOperation(`no parameter describes {${name.slice(0, 100)}} of its path`);
}

function problemOf(error: unknown): string {
  if (error instanceof UnusableOperation || error instanceof PlatformError) return error.message;
  // A description of a form that nobody has foreseen concerns its own operation alone.
  return `it cannot be read (${error instanceof Error ? error.message.slice(0, 200) : "unknown error"})`;
}

function titleOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.slice(0, 200).toWellFormed()}`;
}

function isEmptyList(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length === 0;
}

function invalid(problem: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `The OpenAPI description cannot be used: ${problem}.`);
}
