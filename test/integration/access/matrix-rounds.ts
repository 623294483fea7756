import type { JsonObject } from "#kit/platform/json.ts";
import { type ApiOperation, operationsOf } from "#test/helpers/openapi-operations.ts";

/** The rounds in which the matrix is run, as many as the operation with the most spellings has. */
export const ROUNDS: readonly number[] = Array.from({ length: 8 }, (_, index) => index);

/** Each operation of the API's description in one of its spellings; all rounds together have all of them. */
export function operationsOfRound(document: JsonObject, round: number): readonly ApiOperation[] {
  const byPurpose = Map.groupBy(operationsOf(document), ({ purpose }) => purpose);
  return [...byPurpose.values()].flatMap((spellings) => spellings[round % spellings.length] ?? []);
}

/** The operation as a server with a default app also serves it: without the app's name. */
export function withoutApp(operation: ApiOperation): ApiOperation {
  const [, rest] = /^\/apps\/\{appName\}(\/users\/.*|\/trigger\/.*|\/app-info)$/.exec(operation.path) ?? [];
  return rest === undefined ? operation : { ...operation, path: rest };
}
