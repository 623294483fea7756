import type { Static, TObject } from "typebox";

/** The type of the settings that a schema describes: plain values, frozen. */
export type ConfigOf<Schema extends TObject> = {
  readonly [Name in keyof Static<Schema>]: Readonly<Static<Schema>[Name]>;
};

/**
 * The part of JSON Schema that settings use. `secret: true` on a text also allows `<NAME>_FILE` and keeps its value out
 * of messages.
 */
export interface SettingSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly { readonly const?: unknown }[];
  readonly secret?: boolean;
  /** Values of other settings that make this one required, although it has an empty default. */
  readonly neededBy?: Readonly<Record<string, readonly string[]>>;
  /** Settings that replace this one: it is not required if one of them is set. */
  readonly orElse?: readonly string[];
}

export interface Setting {
  readonly name: string;
  readonly schema: SettingSchema;
  readonly required: boolean;
}

export function settingsOf(schema: TObject): readonly Setting[] {
  const required = new Set<string>(schema.required ?? []);
  return Object.entries(schema.properties).map(([name, property]) => {
    // A TypeBox type is a JSON Schema object; the reader refuses keywords of types that settings cannot have.
    const setting = property as SettingSchema;
    return { name, schema: setting, required: required.has(name) && setting.default === undefined };
  });
}

/** The values of a closed set, or undefined for any other kind of setting. */
export function choicesOf({ enum: values, anyOf }: SettingSchema): readonly string[] | undefined {
  return values ?? anyOf?.map((branch) => String(branch.const));
}
