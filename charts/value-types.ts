import { type TObject, type TSchema, Type } from "typebox";

/** An object with these keys and no other; each is optional unless it is required. */
export function closed(properties: Readonly<Record<string, TSchema>>, required: readonly string[] = []): TObject {
  const optional = Object.entries(properties).map(([name, schema]): [string, TSchema] => [
    name,
    required.includes(name) ? schema : Type.Optional(schema),
  ]);
  return Type.Object(Object.fromEntries(optional), { additionalProperties: false });
}

/** Part of a Kubernetes object, which the API server checks. */
export const freeObject = Type.Object({}, { additionalProperties: true });
export const textMap = Type.Record(Type.String(), Type.String());
export const textOrNumber = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

/** Name of an object of Kubernetes. */
export const NAME = Type.String({ pattern: "^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$" });
/** Name of a variable. */
export const ENV_NAME = Type.String({ pattern: "^[A-Z][A-Z0-9_]*$" });

const quantities = closed({ cpu: textOrNumber, memory: textOrNumber, "ephemeral-storage": textOrNumber });
export const RESOURCES = closed({ requests: quantities, limits: quantities });

/** A key of a Secret; none if the name is empty. */
export const SECRET_KEY = closed({ name: Type.String(), key: Type.String({ minLength: 1 }) });
