import type { ScriptedStep } from "#kit/testing/scripted-model.ts";

/** A step that waits until it is released, and reports when it has begun. */
export function heldStep(step: Exclude<ScriptedStep, (...args: never[]) => unknown> = "never") {
  const begun = Promise.withResolvers<void>();
  const hold = Promise.withResolvers<void>();
  const held: ScriptedStep = async () => {
    begun.resolve();
    await hold.promise;
    return step;
  };
  return { step: held, begun: begun.promise, release: hold.resolve };
}
