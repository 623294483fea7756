import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import { freeName } from "./free-name.ts";
import { allSchemas, mapSubschemas, propertiesOf, schemasOf, targetOf, textsOf, withNote } from "./subschemas.ts";

/** Names of properties by the names that a provider gets instead. */
export type PropertyNames = ReadonlyMap<string, string>;

/** New names for all properties of the schema that the provider does not take; one name means the same everywhere. */
export function newNames(schema: JsonObject, taken: RegExp): PropertyNames {
  const known = new Set<string>();
  for (const part of allSchemas(schema)) for (const name of Object.keys(propertiesOf(part))) known.add(name);
  const names = new Map<string, string>();
  for (const name of [...known].filter((one) => !taken.test(one)).sort()) {
    const free = freeName(name, taken, (other) => known.has(other));
    known.add(free);
    names.set(name, free);
  }
  return names;
}

/** The schema with its properties renamed, and their own names in their descriptions. */
export function withNewNames(schema: JsonObject, names: PropertyNames): JsonObject {
  if (names.size === 0) return schema;
  const inner = mapSubschemas(schema, (subschema) => withNewNames(subschema, names));
  const { properties, required, dependentRequired } = inner;
  const rename = (list: JsonValue): JsonValue => textsOf(list).map((name) => names.get(name) ?? name);
  return present({
    ...inner,
    ...(isJsonObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => {
          const other = names.get(name);
          if (other === undefined) return [name, property];
          return [
            other,
            isJsonObject(property) ? noted(property, `(Its own name is ${JSON.stringify(name)}.)`) : property,
          ];
        }),
      ),
    }),
    required: required === undefined ? undefined : rename(required),
    ...(isJsonObject(dependentRequired) && {
      dependentRequired: Object.fromEntries(
        Object.entries(dependentRequired).map(([name, list]) => [names.get(name) ?? name, rename(list)]),
      ),
    }),
  });
}

/** A choice has no description beside it at some providers, so that its first schema gets the note. */
function noted(property: JsonObject, note: string): JsonObject {
  const [first, ...others] = schemasOf(property["anyOf"]);
  if (first === undefined || property["description"] !== undefined) return withNote(property, note);
  return { ...property, anyOf: [withNote(first, note), ...others] };
}

/**
 * A value with the properties renamed that its schema declares; keys of free maps stay. `schema` has the names that the
 * value has.
 */
export function renameValue(value: JsonValue, schema: JsonObject, names: PropertyNames): JsonValue {
  return names.size === 0 ? value : rename(value, [schema], { root: schema, names });
}

interface Renaming {
  readonly root: JsonObject;
  readonly names: PropertyNames;
}

function rename(value: JsonValue, schemas: readonly JsonObject[], renaming: Renaming): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  const forms = formsOf(schemas, renaming.root);
  if (Array.isArray(value)) {
    return value.map((item, index) => {
      const places = forms.flatMap(({ prefixItems, items }) => {
        const place = schemasOf(prefixItems)[index] ?? items;
        return isJsonObject(place) ? [place] : [];
      });
      return rename(item, places, renaming);
    });
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const declared = forms.flatMap(({ properties }) => {
        const property = isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
        return isJsonObject(property) ? [property] : [];
      });
      const free = forms.flatMap(({ additionalProperties, patternProperties }) => [
        ...(isJsonObject(additionalProperties) ? [additionalProperties] : []),
        ...(isJsonObject(patternProperties) ? Object.values(patternProperties).filter(isJsonObject) : []),
      ]);
      const other = declared.length > 0 ? (renaming.names.get(key) ?? key) : key;
      return [other, rename(member, declared.length > 0 ? declared : free, renaming)];
    }),
  );
}

const BRANCHES = ["anyOf", "oneOf", "allOf"] as const;
const MAX_FORMS = 500;

/** The schemas themselves, and all that apply to the same value. */
function formsOf(schemas: readonly JsonObject[], root: JsonObject): readonly JsonObject[] {
  const forms = new Set<JsonObject>(schemas);
  // A set iterates over what is added meanwhile.
  for (const form of forms) {
    if (forms.size > MAX_FORMS) break;
    const target = targetOf(root, form["$ref"]);
    if (target !== undefined) forms.add(target);
    for (const key of BRANCHES) for (const branch of schemasOf(form[key])) forms.add(branch);
    for (const key of ["if", "then", "else"]) {
      const branch = form[key];
      if (isJsonObject(branch)) forms.add(branch);
    }
    const { dependentSchemas } = form;
    if (isJsonObject(dependentSchemas))
      for (const branch of Object.values(dependentSchemas)) if (isJsonObject(branch)) forms.add(branch);
  }
  return [...forms];
}
