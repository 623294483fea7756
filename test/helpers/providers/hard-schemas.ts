import type { JsonObject } from "#kit/platform/json.ts";

const nested = (levels: number): JsonObject =>
  levels === 0
    ? { type: "string", enum: ["deepest"] }
    : { type: "object", required: ["next"], properties: { next: nested(levels - 1) } };

/**
 * Parameters of tools in the forms that generators and servers write them: each is valid for its server, and refused as
 * it is by at least one provider.
 */
export const HARD_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  "pydantic: optional members with titles and defaults": {
    type: "object",
    title: "SearchArguments",
    required: ["query"],
    properties: {
      query: { type: "string", title: "Query" },
      limit: { anyOf: [{ type: "integer" }, { type: "null" }], default: null, title: "Limit" },
      order: { allOf: [{ $ref: "#/$defs/Order" }], default: "asc" },
      tags: { type: "array", uniqueItems: true, items: { $ref: "#/$defs/Tag", description: "One tag." } },
    },
    $defs: {
      Order: { type: "string", enum: ["asc", "desc"], title: "Order" },
      Tag: { type: "object", title: "Tag", required: ["name"], properties: { name: { type: "string", minLength: 1 } } },
    },
  },
  "Go: lists of types, an id and no further members": {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: "https://example.com/issue.json",
    type: "object",
    additionalProperties: false,
    required: ["labels", "assignee"],
    properties: {
      labels: { type: ["null", "array"], items: { type: "string" } },
      assignee: { type: ["string", "null"] },
      priority: { type: ["integer", "string"] },
    },
  },
  "Rust: formats of numbers, and an enumeration of constants": {
    type: "object",
    required: ["size", "mode"],
    properties: {
      size: { type: "integer", format: "uint32", minimum: 0.0 },
      ratio: { type: ["number", "null"], format: "float" },
      mode: { description: "How.", oneOf: [{ const: "fast", description: "Quick." }, { const: "safe" }] },
    },
  },
  ".NET: 64 bits, dates and members without a type": {
    type: "object",
    required: ["id", "when", "value"],
    properties: {
      id: { type: "integer", format: "int64" },
      when: { type: "string", format: "date-time" },
      day: { type: "string", default: null },
      value: { description: "Anything." },
    },
  },
  "OData: names with a dollar sign": {
    type: "object",
    required: ["$filter", "$top"],
    properties: {
      $filter: { type: "string" },
      $top: { type: "integer", maximum: 100 },
      "$expand[0].name": { type: "array", items: { type: "string" } },
    },
  },
  "automation: names for people": {
    type: "object",
    required: ["Empfänger E-Mail", "件名"],
    properties: {
      "Empfänger E-Mail": { type: "string", format: "email" },
      件名: { type: "string" },
      "File (attachment)": {
        type: "object",
        required: ["URL / link"],
        properties: { "URL / link": { type: "string" } },
      },
    },
  },
  "names that objects have already, and one that is too long": {
    type: "object",
    required: ["constructor", "toString"],
    properties: {
      constructor: { type: "string" },
      toString: { type: "integer" },
      ["n".repeat(90)]: { type: "boolean" },
    },
  },
  "a union of whole arguments": {
    type: "object",
    oneOf: [
      { type: "object", required: ["kind", "url"], properties: { kind: { const: "link" }, url: { type: "string" } } },
      { type: "object", required: ["kind", "text"], properties: { kind: { const: "text" }, text: { type: "string" } } },
    ],
    discriminator: { propertyName: "kind" },
  },
  "arguments behind a reference": {
    $ref: "#/definitions/Arguments",
    definitions: {
      Arguments: { type: "object", required: ["tree"], properties: { tree: { $ref: "#/definitions/Node" } } },
      Node: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: "string" },
          children: { type: "array", items: { $ref: "#/definitions/Node" } },
          parent: { anyOf: [{ $ref: "#/definitions/Node" }, { type: "null" }] },
        },
      },
    },
  },
  "values that are not texts": {
    type: "object",
    required: ["level", "flag", "nothing"],
    properties: {
      level: { type: "integer", enum: [1, 2, 3] },
      flag: { const: true },
      nothing: { enum: ["", "some", null] },
      step: { type: "number", multipleOf: 0.5, exclusiveMinimum: 0, exclusiveMaximum: 10 },
    },
  },
  "pairs, maps and conditions": {
    type: "object",
    required: ["pair", "headers"],
    properties: {
      pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false, minItems: 2 },
      headers: { type: "object", additionalProperties: { type: "string" }, propertyNames: { pattern: "^[a-z-]+$" } },
      extra: { type: "object", patternProperties: { "^x-": { type: "integer" } } },
      page: { not: { type: "string" }, type: "integer" },
    },
    dependentRequired: { page: ["pair"] },
    if: { properties: { page: { const: 1 } }, required: ["page"] },
    then: { required: ["headers"] },
    else: {},
  },
  "notes that only people read": {
    type: "object",
    required: ["body"],
    properties: {
      body: {
        type: "string",
        examples: ["a"],
        deprecated: false,
        readOnly: false,
        writeOnly: true,
        contentEncoding: "base64",
        contentMediaType: "image/png",
        $comment: "Secret.",
        "x-order": 1,
        xml: { name: "b" },
        example: "b",
        externalDocs: { url: "https://example.com" },
      } as JsonObject,
    },
    "x-internal": true,
  },
  "many levels": { type: "object", required: ["top"], properties: { top: nested(9) } },
  "a long list of choices and a long text": {
    type: "object",
    required: ["country"],
    properties: {
      country: {
        type: "string",
        description: "Where. ".repeat(400),
        enum: Array.from({ length: 250 }, (_, index) => `country-${index}`),
      },
    },
  },
};
