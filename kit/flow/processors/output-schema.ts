import type { StepContext } from "../step-context.ts";

/** Asks for an answer of the agent's output schema, where the model can give one beside tools. */
export function outputSchema({ agent, request }: StepContext): void {
  if (agent.outputSchema === undefined) return;
  const model = agent.resolveModel();
  if (agent.tools.length > 0 && model.supportsOutputSchemaWithTools !== true) return;
  request.config = {
    ...request.config,
    responseMimeType: "application/json",
    responseSchema: agent.outputSchema.jsonSchema,
  };
}
