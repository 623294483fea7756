import { expect, it } from "vitest";
import { ModelError, mapModelError } from "#kit/models/error-mapper.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { retryDelayOf } from "./retry-delay.ts";

it("counts the attempts and the delay of a request's options before those of the model", () => {
  verifies("model:retry-options");
  const busy = mapModelError(Object.assign(new Error("busy"), { status: 503 }), { provider: "p", keySource: "KEY" });
  if (!(busy instanceof ModelError)) throw busy;
  const model = { retry: { maxAttempts: 1 } };
  expect(retryDelayOf(busy, 1, model)).toBeUndefined();
  expect(retryDelayOf(busy, 1, model, { attempts: 2 })).toBeGreaterThanOrEqual(0);
  expect(retryDelayOf(busy, 2, model, { attempts: 2 })).toBeUndefined();
  expect(retryDelayOf(busy, 1, model, { attempts: 2, maxDelay: 0.001 })).toBeUndefined();
});
