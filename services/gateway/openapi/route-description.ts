import type { ErrorReason } from "#kit/errors/reasons.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import type { Shape } from "#kit/schema/shape.ts";
import type { RouteAccess } from "../access/route-access.ts";
import type { AnswerBound } from "../http/answer-bound.ts";
import type { TAGS } from "./api-info.ts";

/** What a route's schema holds beside the shapes that read requests. All of it is published in the OpenAPI document. */
export interface RouteDescription {
  /** Unique for each method and purpose. Routes that share it are spellings of one operation; the first one is shown. */
  readonly operationId: string;
  readonly access: RouteAccess;
  /** What bounds the answers; not published. */
  readonly answer: AnswerBound;
  readonly tags: readonly [keyof typeof TAGS];
  readonly summary: string;
  readonly description?: string;
  /** The reasons of errors that are particular to the operation. */
  readonly errors?: readonly ErrorReason[];
  /** A body that the server with the sample agents accepts. */
  readonly example?: JsonValue;
  /** The shape of a body that the handler reads itself. */
  readonly givenBody?: Shape;
  /** Media type of the request body; `application/json` by default. */
  readonly bodyType?: string;
  /** Values of parameters that replace those of `PARAMETERS`. */
  readonly parameterExamples?: Readonly<Record<string, JsonValue>>;
  /** Examples of a successful answer, by media type. */
  readonly answerExamples?: Readonly<Record<string, JsonValue>>;
  /** Parameters of other operations that this answer has: by operation and parameter, the JSON pointer. */
  readonly links?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** False if a page cannot send this request in a useful way. */
  readonly canBeTried?: boolean;
  /** Operations below the path, which the same handler serves. */
  readonly below?: Readonly<Record<string, BelowDescription>>;
}

/** An operation whose path is the route's with an ending. */
export interface BelowDescription
  extends Pick<RouteDescription, "operationId" | "summary" | "description" | "parameterExamples"> {
  readonly response: Readonly<Record<number, Shape>>;
}

/** The same schema: makes the compiler check the description. */
export function described<const Schema extends RouteDescription>(schema: Schema): Schema {
  return schema;
}
