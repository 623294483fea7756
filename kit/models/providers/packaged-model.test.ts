import { expect, it } from "vitest";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { PackagedModel } from "./packaged-model.ts";
import { type PackagedProvider, PROVIDER_PACKAGES } from "./provider-packages.ts";

const PROVIDERS = Object.keys(PROVIDER_PACKAGES) as readonly PackagedProvider[];
const ABSENT = {
  ...PROVIDER_PACKAGES.groq,
  package: "@ai-sdk/absent",
  load: () => Promise.reject(new Error("Cannot find package")),
};

/** The variables of an environment. */
const reading = (variables: Readonly<Record<string, string>>) => (name: string) => variables[name];

async function failureOf(model: PackagedModel): Promise<unknown> {
  const { signal } = new AbortController();
  const answers = model.generateContentAsync(new LlmRequest({ model: "m" }), { stream: false, signal });
  return Array.fromAsync(answers).catch((error: unknown) => error);
}

it("names the package that is missing, and the command that installs it", async () => {
  verifies("authentication:model:packaged");
  const model = new PackagedModel({ provider: "groq", model: "m", credentials: () => "key" }, ABSENT);
  const missing = {
    reason: "PACKAGE_MISSING",
    message: "Models of groq need the package @ai-sdk/absent. Install it: npm install @ai-sdk/absent",
  };
  expect(() => model.assertConfigured()).toThrow(expect.objectContaining(missing));
  expect(await failureOf(model)).toMatchObject(missing);
});

it("names the version of the package that has the function", async () => {
  const old = { ...PROVIDER_PACKAGES.groq, load: async () => undefined };
  const model = new PackagedModel({ provider: "groq", model: "m", credentials: () => "key" }, old);
  expect(await failureOf(model)).toMatchObject({
    reason: "PACKAGE_MISSING",
    message:
      "Models of groq need another version of @ai-sdk/groq, for AI SDK 7. Install it: npm install @ai-sdk/groq@4",
  });
});

it.each(PROVIDERS)("finds the package of %s, and names its keys if they are missing", async (provider) => {
  const { keys } = PROVIDER_PACKAGES[provider];
  const withoutKeys = new PackagedModel({ provider, model: "m", credentials: () => undefined });
  if (keys.length === 0) withoutKeys.assertConfigured();
  else {
    const missing = expect.objectContaining({
      reason: "MODEL_KEY_MISSING",
      message: expect.stringContaining(`set ${keys.map((names) => names.join(" and ")).join(", or ")}.`),
    });
    expect(() => withoutKeys.assertConfigured()).toThrow(missing);
    expect(await failureOf(withoutKeys)).toEqual(missing);
  }
  for (const names of keys) {
    const credentials = reading(Object.fromEntries(names.map((name) => [name, "key"])));
    new PackagedModel({ provider, model: "m", credentials }).assertConfigured();
  }
});

it("has properties like every model", () => {
  const model = new PackagedModel({ provider: "groq", model: "m", temperature: 0.5 });
  expect([model.properties?.temperature, model.providerName]).toEqual([0.5, "groq"]);
  expect(() => new PackagedModel({ provider: "groq", model: "m", temperature: 5 })).toThrow(
    "groq/m: temperature must be a number from 0 to 2, not 5.",
  );
});
