/** What a provider takes in the JSON Schemas of one place of its requests. */
export interface SchemaRules {
  /** Keywords that are taken; others are left out, and what they say is described in words where it fits. */
  readonly keywords: ReadonlySet<string>;
  /** Values of `format` that are taken; absent: all. */
  readonly formats?: ReadonlySet<string>;
  /** The names of properties that are taken; others are renamed, and renamed back in calls. */
  readonly propertyName: RegExp;
  /** False: references are written out, and a recursive schema ends at its second repetition. */
  readonly references: boolean;
  /** False: a list of types becomes a choice of schemas. */
  readonly typeLists: boolean;
  /** True: enumerations may have texts alone, none of them empty. */
  readonly textEnumsOnly: boolean;
  /** True: a choice of schemas has no other keyword beside it. */
  readonly bareUnions: boolean;
  /** True: every required property is declared. */
  readonly declaresRequired: boolean;
  readonly maxDepth: number;
  readonly maxCharacters: number;
}

/** The keywords of JSON Schema 2020-12 that describe a value. */
export const DESCRIBING_KEYWORDS: readonly string[] = [
  ...["type", "title", "description", "default", "examples", "enum", "const", "format", "pattern", "$ref", "$defs"],
  ...["properties", "required", "additionalProperties", "patternProperties", "propertyNames", "items", "prefixItems"],
  ...["contains", "minContains", "maxContains", "uniqueItems", "minItems", "maxItems", "minLength", "maxLength"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minProperties", "maxProperties"],
  ...["anyOf", "oneOf", "allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"],
];
