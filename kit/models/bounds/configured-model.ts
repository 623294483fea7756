import type { BaseLlm } from "#kit/models/base-llm.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import { givenProperties, type ModelProperties, withProperties } from "#kit/models/model-properties.ts";
import { withDefaults } from "#kit/platform/members.ts";

/**
 * The model with the process's defaults, for what neither a request nor the model's own properties set. Applies to
 * models of every kind.
 */
export function configuredModel(model: BaseLlm, defaults: ModelProperties): BaseLlm {
  const missing: ModelProperties = { ...defaults, ...undefinedOf(model.properties ?? {}) };
  return applied(model, missing, withDefaults(defaults, model.properties ?? {}));
}

/** The model with these properties in place of its own, for what a request does not set. */
export function modelWith(model: BaseLlm, properties: ModelProperties): BaseLlm {
  return applied(model, properties, withDefaults(model.properties ?? {}, properties));
}

function applied(model: BaseLlm, added: ModelProperties, properties: ModelProperties): BaseLlm {
  const { connect, assertConfigured, mapModels } = model;
  const configured = (request: LlmRequest): LlmRequest => {
    const config = withProperties(request.config, added);
    return config === request.config ? request : request.copy({ config });
  };
  return {
    model: model.model,
    providerName: model.providerName,
    properties,
    supportsOutputSchemaWithTools: model.supportsOutputSchemaWithTools,
    assertConfigured: assertConfigured && (() => assertConfigured.call(model)),
    mapModels: mapModels && ((replace) => mapModels.call(model, (each) => replace(applied(each, added, properties)))),
    generateContentAsync: (request, options) =>
      model.generateContentAsync(configured(request), { validation: added.validation, ...options }),
    connect: connect && ((request, options) => connect.call(model, configured(request), options)),
  };
}

function undefinedOf(properties: ModelProperties): ModelProperties {
  return Object.fromEntries(givenProperties(properties).map(([name]) => [name, undefined]));
}
