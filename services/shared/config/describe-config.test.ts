import { expect, it } from "vitest";
import { Type } from "#kit/schema/shape.ts";
import { describeConfig, settingsForLog } from "./describe-config.ts";

it("lists each setting with its default and its description, wrapped", () => {
  const schema = Type.Object({
    PORT: Type.Integer({ default: 8000, description: "Port to listen on." }),
    STORE: Type.Union([Type.Literal("sqlite"), Type.Literal("memory")], {
      default: "sqlite",
      description: "Where sessions live.",
    }),
    METHODS: Type.Array(Type.String(), { default: ["GET", "POST", "PUT", "PATCH", "DELETE"], description: "Methods." }),
    TOKEN: Type.String({ secret: true, description: "Token." }),
    PREFIX: Type.String({ default: "", description: "Path." }),
  });
  expect(describeConfig(schema, 60)).toBe(
    [
      "  PORT     8000          Port to listen on.",
      "  STORE    sqlite        Where sessions live. One of sqlite,",
      "                         memory.",
      "  METHODS  GET,POST,PUT,PATCH,DELETE",
      "                         Methods.",
      "  TOKEN    (required)    Token. Or TOKEN_FILE.",
      "  PREFIX   -             Path.",
    ].join("\n"),
  );
});

it("reports to a log the settings that differ from their defaults, and of secrets only that they are set", () => {
  const schema = Type.Object({
    PORT: Type.Integer({ default: 8000 }),
    HOST: Type.String({ default: "127.0.0.1" }),
    METHODS: Type.Array(Type.String(), { default: ["GET"] }),
    TOKEN: Type.String({ secret: true }),
    ADDRESS: Type.String(),
    UNSET_TOKEN: Type.String({ default: "", secret: true }),
  });
  const config = {
    ...{ PORT: 9000, HOST: "127.0.0.1", METHODS: ["GET"], TOKEN: "abc", UNSET_TOKEN: "" },
    ADDRESS: "redis://user:word@host",
  };
  expect(settingsForLog(schema, config)).toEqual({
    PORT: 9000,
    TOKEN: "[redacted]",
    ADDRESS: "redis://user:[redacted]@host",
  });
});
