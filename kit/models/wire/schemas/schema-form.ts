import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { foldRoot } from "./fold-root.ts";
import { plainSchema } from "./plain-schema.ts";
import { newNames, type PropertyNames, renameValue, withNewNames } from "./property-names.ts";
import { providerSchema } from "./provider-schema.ts";
import type { SchemaRules } from "./schema-rules.ts";

/** The member that holds an answer which is not an object. */
const VALUE = "value";

/** A schema in the form that a provider takes, and the way of its values there and back. */
export class SchemaForm {
  readonly schema: JsonObject;
  /** What the schema does not express, as sentences for a description. */
  readonly notes: readonly string[];
  /** The value is a member of an object, because the provider takes objects alone. */
  readonly isWrapped: boolean;
  readonly #named: JsonObject;
  readonly #names: PropertyNames;
  readonly #originals: PropertyNames;

  constructor(
    schema: JsonObject,
    rules: SchemaRules,
    { notes = [], isWrapped = false }: Partial<Pick<SchemaForm, "notes" | "isWrapped">> = {},
  ) {
    this.#named = schema;
    this.#names = newNames(schema, rules.propertyName);
    this.#originals = new Map([...this.#names].map(([name, other]) => [other, name]));
    this.schema = withNewNames(schema, this.#names);
    this.notes = notes;
    this.isWrapped = isWrapped;
  }

  get isRenamed(): boolean {
    return this.#names.size > 0;
  }

  /** The value as the provider's schema names its members. */
  toWire(value: JsonValue): JsonValue {
    return renameValue(value, this.#named, this.#names);
  }

  /** The value as the original schema has it. */
  fromWire(value: JsonValue): JsonValue {
    const renamed = renameValue(value, this.schema, this.#originals);
    return this.isWrapped && isJsonObject(renamed) && Object.hasOwn(renamed, VALUE)
      ? (renamed[VALUE] ?? null)
      : renamed;
  }
}

/** The form of a tool's arguments: an object without choices at its root. */
export const argumentsForm = remembered((source, rules) => {
  const { schema, rules: notes } = foldRoot(plainSchema(source, rules));
  return new SchemaForm(providerSchema(schema, rules), rules, { notes });
});

/** The form of an answer that has to be an object. */
export const objectForm = remembered((source, rules) => answerForm(source, rules, isObject));

/** The form of an answer that may be anything with a type. */
export const typedForm = remembered((source, rules) =>
  answerForm(source, rules, ({ type }) => typeof type === "string"),
);

function answerForm(source: JsonObject, rules: SchemaRules, isTaken: (schema: JsonObject) => boolean): SchemaForm {
  const schema = providerSchema(plainSchema(source, rules), rules);
  if (isTaken(schema)) return new SchemaForm(schema, rules);
  const { $defs, ...value } = schema;
  const wrapper = {
    type: "object",
    properties: { [VALUE]: value },
    required: [VALUE],
    additionalProperties: false,
    ...($defs !== undefined && { $defs }),
  };
  return new SchemaForm(wrapper, rules, { isWrapped: true });
}

function isObject({ type, anyOf, oneOf, allOf, $ref }: JsonObject): boolean {
  return type === "object" && [anyOf, oneOf, allOf, $ref].every((choice) => choice === undefined);
}

/** Schemas are the same objects for each request, and the rules are the same for each provider. */
function remembered(make: (source: JsonObject, rules: SchemaRules) => SchemaForm): typeof make {
  const known = new WeakMap<JsonObject, WeakMap<SchemaRules, SchemaForm>>();
  return (source, rules) => {
    const forms = known.get(source) ?? new WeakMap<SchemaRules, SchemaForm>();
    known.set(source, forms);
    const form = forms.get(rules) ?? make(source, rules);
    forms.set(rules, form);
    return form;
  };
}
