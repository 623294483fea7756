import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import {
  type ObjectShape,
  type PartialOf,
  type Shape,
  type ShapeMembers,
  type Static,
  Type,
} from "#kit/schema/shape.ts";
import { readValue } from "#kit/schema/shape-reader.ts";
import { choicesOf, wordsOf } from "./config-shapes.ts";
import type { ToolArgsConfig } from "./tool-args-config.ts";

/** Arguments by a table of their shapes, in camelCase or snake_case. Throws for the first that is unknown or wrong. */
export function readArgs<Members extends ShapeMembers>(
  args: ToolArgsConfig,
  members: Members,
): Static<ObjectShape<PartialOf<Members>>> {
  const shape = Type.Object(Type.Partial(members), { additionalProperties: false });
  const result = readValue(shape, structuredClone(args.toJSON()), { oneSpelling: true, maxIssues: 1 });
  if (result.ok) return result.value;
  const [issue] = result.issues;
  const name = String(issue?.path[0]);
  if (issue?.kind === "two-spellings")
    throw new ConfigurationException(`"${name}" is given in two spellings: keep one.`);
  const member = members[name];
  if (member === undefined)
    throw new ConfigurationException(`there is no "${name}"; it takes: ${Object.keys(members).join(", ")}.`);
  throw new ConfigurationException(`"${name}" should be ${argWords(member)}.`);
}

function argWords(shape: Shape): string {
  const choices = choicesOf(shape);
  if (choices !== undefined) return `one of ${choices.join(", ")}`;
  if (shape.type === "string") return "a text";
  if (shape.type === "integer") return `a whole number from ${shape.minimum}`;
  if (shape.items !== undefined) return shape.items.type === "object" ? "a list of maps" : "a list of names";
  return wordsOf(shape);
}
