import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { isNotFound, isPreconditionFailed, isTransient, toStoreError } from "./store-errors.ts";

const withCode = (code: unknown) => Object.assign(new Error("gs://bucket/name"), { code });

describe("errors of the store", () => {
  it("know a status by each of the members that the client uses", () => {
    for (const error of [withCode(412), withCode("412"), { status: 412 }, { response: { status: 412 } }])
      expect([isPreconditionFailed(error), isNotFound(error), isTransient(error)]).toEqual([true, false, false]);
  });

  it("are worth another try when they pass", () => {
    const network = new TypeError("fetch failed", { cause: withCode("ECONNRESET") });
    expect([429, 500, 503, "503", "ECONNRESET", "EPIPE"].map((code) => isTransient(withCode(code)))).toEqual(
      Array.from({ length: 6 }, () => true),
    );
    expect(isTransient(network)).toBe(true);
    const lasting = [400, 401, 403, 404, 412, "ECONNREFUSED", undefined].map(withCode);
    expect([...lasting, null, "text"].map(isTransient)).toEqual(Array.from({ length: 9 }, () => false));
  });

  it("explain what to do when there are no credentials", () => {
    const error = new Error("Could not load the default credentials. Browse to …");
    expect(toStoreError(error)).toMatchObject({
      reason: "STORE_UNAVAILABLE",
      message:
        "This server has no credentials for the artifact store. The operator must set up workload identity or a key file.",
      cause: error,
    });
  });

  it("do not hide faults of the program or errors that are ours", () => {
    const own = new PlatformError("INVALID_FIELD", "x");
    const fault = new TypeError("x is not a function");
    expect([toStoreError(own), toStoreError(fault)]).toEqual([own, fault]);
    expect(toStoreError(new TypeError("fetch failed", { cause: own }))).toMatchObject({ reason: "STORE_UNAVAILABLE" });
  });
});
