import type { BaseLlm } from "#kit/models/base-llm.ts";
import type { ModelObservability } from "#kit/models/model-properties.ts";
import { withDefaults } from "#kit/platform/members.ts";
import type { StepContext } from "./step-context.ts";

/** Every switch of observability. */
export type Observability = { readonly [Name in keyof ModelObservability]-?: boolean };

/** Decides what is recorded of a call of the model: as the model says, or else the process. */
export function observabilityOf({ context }: Pick<StepContext, "context">, model: BaseLlm): Observability {
  const { captureContent, modelProperties } = context.services;
  const own = model.properties?.observability;
  const defaults = modelProperties?.observability;
  if (own === undefined && defaults === undefined) return captureContent ? WITH_CONTENT : WITHOUT_CONTENT;
  const { includeContent, ...switches } = withDefaults(defaults ?? {}, own ?? {});
  return {
    ...withDefaults(WITHOUT_CONTENT, switches),
    // A run can keep its own content off spans, whatever its model says.
    includeContent: context.runConfig.captureContent !== false && (includeContent ?? captureContent),
  };
}

const WITHOUT_CONTENT: Observability = { enabled: true, includeContent: false, metricsEnabled: true };
const WITH_CONTENT: Observability = { ...WITHOUT_CONTENT, includeContent: true };
