import { describe, expect, it } from "vitest";
import type { GenerateContentConfig } from "#kit/models/llm-request.ts";
import type { ModelProperties } from "#kit/models/model-properties.ts";
import { ErrorLog } from "#test/helpers/error-log.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { AdapterProperties } from "./adapter-properties.ts";
import { providerRules } from "./provider-rules.ts";

const OPENAI = providerRules("openai", "gpt-6.1-sol");
const LAX = { validation: { failFast: false } };

const settingsOf = (properties: ModelProperties, config: GenerateContentConfig = {}, options = {}) =>
  new AdapterProperties("new Model", properties).settingsOf({ config }, OPENAI, options);

it("gives each request the model's properties, under the settings that the request has", () => {
  verifies("records:model-properties:precedence");
  const properties = { maxTokens: 100, temperature: 0.2, topP: 0.9 };
  expect(settingsOf(properties)).toEqual({ maxOutputTokens: 100, temperature: 0.2, topP: 0.9 });
  expect(settingsOf(properties, { temperature: 0, seed: 1 })).toMatchObject({ temperature: 0, topP: 0.9, seed: 1 });
  const config = { seed: 1 };
  expect(settingsOf({}, config)).toBe(config);
});

describe("validation of the properties", () => {
  const WRONG = [
    ["maxTokens", 0, "must be an integer of at least 1, not 0"],
    ["maxTokens", 1.5, "must be an integer of at least 1, not 1.5"],
    ["temperature", 2.1, "must be a number from 0 to 2, not 2.1"],
    ["temperature", -1, "must be a number from 0 to 2, not -1"],
    ["topK", 0, "must be an integer of at least 1, not 0"],
    ["topP", 1.1, "must be a number from 0 to 1, not 1.1"],
  ] as const;

  it.each(WRONG)("refuses %s %d at once", (name, value, problem) => {
    verifies("records:model-properties:validation-fail-fast");
    const create = () => new AdapterProperties("new Model", { [name]: value });
    expect(create).toThrow(expect.objectContaining({ reason: "INVALID_FIELD", details: { field: name } }));
    expect(create).toThrow(`new Model: ${name} ${problem}.`);
  });

  it.each(WRONG)("leaves %s %d out with a warning if it is not to fail", async (name, value, problem) => {
    const emitted = new Promise((resolve) => process.once("warning", resolve));
    expect(new AdapterProperties("new Model", { [name]: value, ...LAX }).given?.[name]).toBeUndefined();
    const message = `new Model: ${name} ${problem}: it is left out.`;
    expect(await emitted).toMatchObject({ message, code: "FAIRLEAD_MODEL_SETTING" });
  });

  it("checks nothing if it is switched off", () => {
    verifies("records:model-properties:validation-enabled");
    expect(settingsOf({ temperature: 9, topK: 4, validation: { enabled: false } })).toEqual({
      temperature: 9,
      topK: 4,
    });
    expect(settingsOf({}, { topK: 4 }, { validation: { enabled: false } })).toEqual({ topK: 4 });
  });
});

describe("settings that the provider does not know", () => {
  it("fails the call of a model that has one as its own property", () => {
    const problem = "new Model: topK is not a parameter of OpenAI's API. Change or remove it";
    expect(() => settingsOf({ topK: 4 })).toThrow(expect.objectContaining({ reason: "CONFIGURATION" }));
    expect(() => settingsOf({ topK: 4 })).toThrow(problem);
  });

  it("fails the constructor if the provider is known then", () => {
    const create = () => new AdapterProperties("new Model", { topK: 4 }, OPENAI);
    expect(create).toThrow(expect.objectContaining({ reason: "INVALID_FIELD", details: { field: "topK" } }));
  });

  it("leaves out a property that is not to fail, and a request's setting, with one warning each", () => {
    const logger = new ErrorLog();
    const model = new AdapterProperties("new Model", { topK: 4, ...LAX });
    for (let call = 0; call < 2; call += 1)
      expect(model.settingsOf({ config: { labels: { team: "a" } } }, OPENAI, { logger })).toEqual({});
    expect(logger.warnings.toSorted()).toEqual([
      "new Model: labels is a setting of Gemini models: it is left out.",
      "new Model: topK is not a parameter of OpenAI's API: it is left out.",
    ]);
  });

  it("takes the process's validation for a model without its own", () => {
    const logger = new ErrorLog();
    expect(settingsOf({ topK: 4 }, {}, { logger, ...LAX })).toEqual({});
    expect(() => settingsOf({ topK: 4, validation: { failFast: true } }, {}, { logger, ...LAX })).toThrow("topK");
  });

  it.each([
    ["gemini-3.5-flash-lite", []],
    ["gemini-3-pro", []],
    ["gemini-3.6-flash", ["temperature", "topP", "topK"]],
    ["models/gemini-3.10-pro", ["temperature", "topP", "topK"]],
    ["gemini-4-flash", ["temperature", "topP", "topK"]],
    ["house-model", []],
  ])("are for %s of Vertex AI %j", (model, unknown) => {
    expect(Object.keys(providerRules("vertex", model).unknownSettings)).toEqual(unknown);
  });
});
