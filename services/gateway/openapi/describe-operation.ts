import { ERROR_CODES } from "#kit/errors/codes.ts";
import { ERROR_REASONS, type ErrorReason } from "#kit/errors/reasons.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import type { Shape } from "#kit/schema/shape.ts";
import { ErrorSchema } from "../requests/wire-schemas.ts";
import { PARAMETERS } from "./api-parameters.ts";
import { schemaOf } from "./component-schemas.ts";
import type { RouteDescription } from "./route-description.ts";
import { refusalsOf, securityOf } from "./security.ts";

/** A route's schema: the shapes of its parts, and their description. */
export interface RouteSchema extends RouteDescription {
  readonly params?: ObjectShape;
  readonly querystring?: ObjectShape;
  readonly headers?: ObjectShape;
  readonly body?: Shape;
  readonly response?: Readonly<Record<string, Shape>>;
}

type ObjectShape = Pick<Shape, "properties" | "required">;

/** The operation object of a route, without the members that depend on other routes. */
export function describeOperation(schema: RouteSchema, path: string): JsonObject {
  const parameters = [
    ...pathParameters(schema, path),
    ...otherParameters(schema, "querystring", "query"),
    ...otherParameters(schema, "headers", "header"),
  ];
  return {
    operationId: schema.operationId,
    summary: schema.summary,
    ...(schema.description !== undefined && { description: schema.description }),
    tags: [...schema.tags],
    ...securityOf(schema.access),
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(schema),
    responses: {
      ...successes(schema),
      ...failures(schema, path),
      default: { $ref: "#/components/responses/OtherError" },
    },
    ...(schema.canBeTried === false && { "x-try-it-out": false }),
  };
}

function pathParameters({ params, parameterExamples }: RouteSchema, path: string): readonly JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    const shape = params?.properties?.[name] ?? { type: "string" };
    return { name, in: "path", required: true, ...explained(name, shape, parameterExamples) };
  });
}

function otherParameters(
  schema: RouteSchema,
  part: "querystring" | "headers",
  place: "query" | "header",
): readonly JsonObject[] {
  const { properties = {}, required = [] } = schema[part] ?? {};
  return Object.entries(properties).map(([name, shape]) => {
    const isRequired = required.includes(name);
    // An optional one stays empty unless the route gives a value.
    const examples = isRequired ? schema.parameterExamples : { [name]: undefined, ...schema.parameterExamples };
    return { name, in: place, required: isRequired, ...explained(name, shape, examples) };
  });
}

function explained(
  name: string,
  shape: Shape,
  examples: Readonly<Record<string, JsonValue | undefined>> = {},
): JsonObject {
  const { description: own, ...schema } = schemaOf(shape);
  const known = PARAMETERS[name];
  const description = own ?? known?.description;
  const example = name in examples ? examples[name] : known?.example;
  return { ...(description !== undefined && { description }), schema, ...(example !== undefined && { example }) };
}

function requestBody({ body, givenBody, bodyType = JSON_TYPE, example }: RouteSchema): JsonObject {
  const shape = body ?? givenBody;
  if (shape === undefined) return {};
  const isOptional = shape.anyOf?.some(({ type }) => type === "null") === true;
  const media = { schema: schemaOf(shape), ...(example !== undefined && { example }) };
  return { requestBody: { required: !isOptional, content: { [bodyType]: media } } };
}

function successes({ response = {}, summary, answerExamples = {}, links }: RouteSchema): JsonObject {
  const entries = Object.entries(response).map(([status, shape]) => {
    const schema = schemaOf(shape);
    const types = Object.keys(answerExamples).length > 0 ? Object.keys(answerExamples) : [JSON_TYPE];
    const content = types.map((type) => {
      const example = answerExamples[type];
      const isJson = type === JSON_TYPE;
      return [type, { schema: isJson ? schema : { type: "string" }, ...(example != null && { example }) }] as const;
    });
    const { description = `Success: ${summary}` } = shape;
    return [
      status,
      {
        description,
        content: Object.fromEntries(content),
        ...(links !== undefined && { links: linksOf(links) }),
      },
    ] as const;
  });
  return Object.fromEntries(entries);
}

function linksOf(links: NonNullable<RouteDescription["links"]>): JsonObject {
  const entries = Object.entries(links).map(([operationId, pointers]) => {
    const parameters = Object.entries(pointers).map(([name, pointer]) => [name, `$response.body#${pointer}`]);
    return [operationId, { operationId, parameters: Object.fromEntries(parameters) }];
  });
  return Object.fromEntries(entries);
}

/** The errors by status: those that the route names, and those that follow from what it reads. */
function failures(schema: RouteSchema, path: string): JsonObject {
  const { access, body, givenBody, bodyType, querystring, headers, errors = [] } = schema;
  const hasJson = (body ?? givenBody) !== undefined && bodyType === undefined;
  const readsFields = body !== undefined || querystring !== undefined || headers !== undefined;
  const reasons = new Set<ErrorReason>([
    ...errors,
    ...refusalsOf(access),
    ...(path.includes("{") ? (["INVALID_IDENTIFIER"] as const) : []),
    ...(hasJson ? (["MALFORMED_JSON", "UNSUPPORTED_MEDIA_TYPE", "BODY_TOO_LARGE"] as const) : []),
    ...(readsFields ? (["INVALID_FIELD"] as const) : []),
  ]);
  const byStatus = Map.groupBy(reasons, statusOf);
  const entries = [...byStatus]
    .sort(([one], [other]) => one - other)
    .map(([status, list]) => [String(status), { description: explainReasons(list), content: ERROR_CONTENT }] as const);
  return Object.fromEntries(entries);
}

function statusOf(reason: ErrorReason): number {
  const entry: { readonly code: keyof typeof ERROR_CODES; readonly http?: number } = ERROR_REASONS[reason];
  return entry.http ?? ERROR_CODES[entry.code].http;
}

function explainReasons(reasons: readonly ErrorReason[]): string {
  return reasons.map((reason) => `\`${reason}\`: ${ERROR_REASONS[reason].meaning}`).join("\n\n");
}

const JSON_TYPE = "application/json";
const ERROR_CONTENT = { [JSON_TYPE]: { schema: schemaOf(ErrorSchema) } };

/** The answer that every operation may give. */
export const OTHER_ERROR: JsonObject = { description: "Another error, with its `reason`.", content: ERROR_CONTENT };
