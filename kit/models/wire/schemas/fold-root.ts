import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { propertiesOf, schemasOf, targetOf, textsOf } from "./subschemas.ts";

/** One object for all that the root of a schema permits. */
export interface FoldedRoot {
  readonly schema: JsonObject;
  /** What the object no longer expresses, as sentences. */
  readonly rules: readonly string[];
}

const MAX_RULE_CHARACTERS = 600;
const MAX_GROUPS = 20;
const MAX_FOLDS = 500;
const CONDITIONS = ["if", "not", "dependentRequired", "dependentSchemas", "enum", "const"] as const;

/**
 * Providers take an object without choices as the root of a tool's arguments. A property that one of the choices has is
 * optional in the result, and the rule that joined them becomes a sentence for the tool's description. The tool itself
 * still checks its own schema.
 */
export function foldRoot(schema: JsonObject): FoldedRoot {
  const { $defs } = schema;
  const { rules, ...object } = fold(schema, { root: schema, left: MAX_FOLDS });
  return { schema: { ...objectOf(object), ...($defs !== undefined && { $defs }) }, rules };
}

interface ObjectForm {
  readonly description: string | undefined;
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required: readonly string[];
  readonly additionalProperties: JsonValue | undefined;
  readonly rest: JsonObject;
}

type Folded = ObjectForm & { readonly rules: readonly string[] };

interface FoldState {
  readonly root: JsonObject;
  /** References could make the root as large as they like. */
  left: number;
}

function fold(source: JsonObject, state: FoldState): Folded {
  const { $ref, allOf, anyOf, oneOf, ...own } = source;
  let folded = ownForm(own);
  state.left -= 1;
  if (state.left <= 0) return folded;
  const target = targetOf(state.root, $ref);
  for (const part of [...(target === undefined ? [] : [target]), ...schemasOf(allOf)])
    folded = bothOf(folded, fold(part, state));
  for (const [branches, how] of [
    [schemasOf(anyOf), "at least one"],
    [schemasOf(oneOf), "exactly one"],
  ] as const) {
    const objects = branches.filter(mayBeObject).map((branch) => fold(branch, state));
    if (objects.length > 0) folded = bothOf(folded, oneFormOf(objects, folded, how));
  }
  return folded;
}

function ownForm(own: JsonObject): Folded {
  const { type: _, title, description, properties: __, required, additionalProperties, $defs: ___, ...others } = own;
  const outcomes = ["then", "else"].flatMap((key) => (isJsonObject(own[key]) ? [ownForm(own[key])] : []));
  const conditions = Object.fromEntries(
    [...CONDITIONS, "then", "else"].flatMap((key) => (own[key] === undefined ? [] : [[key, own[key]]])),
  );
  const rest = Object.entries(others).filter(([key]) => !Object.hasOwn(conditions, key));
  const rule = `The arguments also follow this JSON Schema: ${JSON.stringify(conditions)}.`;
  const form = {
    description: typeof description === "string" ? description : undefined,
    properties: propertiesOf(own),
    required: textsOf(required),
    additionalProperties,
    rest: { ...(title !== undefined && { title }), ...Object.fromEntries(rest) },
    rules: Object.keys(conditions).length > 0 && rule.length <= MAX_RULE_CHARACTERS ? [rule] : [],
  };
  return outcomes.reduce<Folded>(
    (joined, { properties }) => ({ ...joined, properties: { ...properties, ...joined.properties } }),
    form,
  );
}

function mayBeObject({ type }: JsonObject): boolean {
  return type === undefined || [type].flat().includes("object");
}

function bothOf(one: Folded, other: Folded): Folded {
  const properties: Record<string, JsonObject> = { ...one.properties };
  for (const [name, schema] of Object.entries(other.properties))
    properties[name] = Object.hasOwn(properties, name) ? { ...properties[name], ...schema } : schema;
  return {
    description: one.description ?? other.description,
    properties,
    required: [...new Set([...one.required, ...other.required])],
    additionalProperties: one.additionalProperties ?? other.additionalProperties,
    rest: { ...other.rest, ...one.rest },
    rules: [...one.rules, ...other.rules],
  };
}

function oneFormOf(branches: readonly Folded[], base: Folded, how: string): Folded {
  const properties: Record<string, JsonObject> = {};
  for (const name of new Set(branches.flatMap((branch) => Object.keys(branch.properties)))) {
    const own = base.properties[name];
    const forms = branches.flatMap(({ properties: known }) => {
      if (Object.hasOwn(known, name)) return [{ ...own, ...known[name] }];
      return own === undefined ? [] : [own];
    });
    properties[name] = choiceOf(forms);
  }
  const [first, ...others] = branches;
  const isClosed = branches.every(({ additionalProperties }) => additionalProperties === false);
  return {
    description: undefined,
    properties,
    required: first?.required.filter((name) => others.every(({ required }) => required.includes(name))) ?? [],
    additionalProperties: isClosed ? false : undefined,
    rest: {},
    rules: [...groupRule(branches, how), ...new Set(branches.flatMap(({ rules }) => rules))],
  };
}

/** One schema for values of several: equal ones once, texts as one enumeration. */
function choiceOf(schemas: readonly JsonObject[]): JsonObject {
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  const [only, ...others] = different;
  if (only === undefined || others.length === 0) return only ?? {};
  const values = different.map(({ const: value, enum: list }) => (value === undefined ? list : [value]));
  if (!values.every((list) => Array.isArray(list))) return { anyOf: different };
  const { const: _, ...described } = only;
  return { ...described, enum: [...new Set(values.flat())] };
}

function groupRule(branches: readonly Folded[], how: string): readonly string[] {
  const groups = branches.map(groupOf).filter((group) => group !== "");
  if (branches.length < 2 || groups.length < 2) return [];
  const listed = groups.slice(0, MAX_GROUPS).join("; ").slice(0, MAX_RULE_CHARACTERS);
  const more = groups.length > MAX_GROUPS ? "; and others" : "";
  return [`The arguments have to match ${how} of these forms: ${listed}${more}.`];
}

function groupOf({ properties, required }: Folded, index: number): string {
  const names = [...new Set([...required, ...Object.keys(properties)])];
  const members = names.map((name) => {
    const { const: value } = properties[name] ?? {};
    const shown = value === undefined ? name : `${name} = ${JSON.stringify(value)}`;
    return required.includes(name) ? shown : `${shown} (optional)`;
  });
  return members.length === 0 ? "" : `(${index + 1}) ${members.join(", ")}`;
}

function objectOf({ description, properties, required, additionalProperties, rest }: ObjectForm): JsonObject {
  return {
    ...rest,
    type: "object",
    ...(description !== undefined && { description }),
    properties,
    ...(required.length > 0 && { required }),
    ...(additionalProperties !== undefined && { additionalProperties }),
  };
}
