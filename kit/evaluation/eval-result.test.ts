import { describe, expect, it } from "vitest";
import { EVAL_STATUS, evalSetResultId, evalSetResultName } from "./eval-result.ts";

describe("evaluation results", () => {
  it("have statuses that are numbers", () => {
    expect(EVAL_STATUS).toEqual({ PASSED: 1, FAILED: 2, NOT_EVALUATED: 3, INFORMATIONAL: 4 });
  });

  it("have an id of app, set and time, and a name that is a file's", () => {
    const id = evalSetResultId("my/app", "smoke", 1787140002.25);
    expect([id, evalSetResultName(id)]).toEqual(["my/app_smoke_1787140002.25", "my_app_smoke_1787140002.25"]);
  });
});
