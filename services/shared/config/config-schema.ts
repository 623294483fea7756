import { isOptional, type ObjectShape, type Shape, type Static } from "#kit/schema/shape.ts";

/** The type of the settings that a schema describes: plain values, frozen. */
export type ConfigOf<Schema extends ObjectShape> = Static<Schema>;

export interface Setting {
  readonly name: string;
  readonly schema: Shape;
  /** Whether the process cannot start without it. */
  readonly required: boolean;
}

export function settingsOf(schema: ObjectShape): readonly Setting[] {
  return Object.entries(schema.properties).map(([name, setting]) => {
    return { name, schema: setting, required: !isOptional(setting) && setting.default === undefined };
  });
}

/** The settings of a schema of which each has a default. */
export function defaultsOf<Schema extends ObjectShape>(schema: Schema): ConfigOf<Schema> {
  // Callers give schemas whose defaults are complete.
  return Object.fromEntries(
    settingsOf(schema).map(({ name, schema: { default: initial } }) => [name, initial]),
  ) as ConfigOf<Schema>;
}
