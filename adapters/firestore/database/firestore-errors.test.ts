import { expect, it } from "vitest";
import { LostPreconditionError, translateFirestoreError } from "./firestore-errors.ts";

const failure = (code: number, message = "of the store: /projects/secret") =>
  Object.assign(new Error(message), { code });

it.each([1, 2, 4, 7, 8, 13, 14, 16])("reports that the store is unavailable for code %i, without its text", (code) => {
  const error = failure(code);
  for (const call of ["read", "commit"] as const) {
    expect(translateFirestoreError(error, call)).toMatchObject({
      reason: "STORE_UNAVAILABLE",
      message: "The session store did not answer. Try again.",
      cause: error,
    });
  }
});

it.each([5, 6, 9, 10])("takes code %i of a commit for a lost precondition", (code) => {
  expect(translateFirestoreError(failure(code), "commit")).toBeInstanceOf(LostPreconditionError);
});

it.each([
  "maximum entity size is 1048576 bytes",
  "Document 'x' cannot be written because its size (1,048,700 bytes) exceeds the maximum allowed size of 1,048,576 bytes.",
  'The value of property "json" is longer than 1048487 bytes.',
])("takes a refusal for size as an event that is too large", (message) => {
  expect(translateFirestoreError(failure(3, message), "commit")).toMatchObject({ reason: "EVENT_TOO_LARGE" });
});

it.each([5, 10])("reports that the store is unavailable for code %i of a read", (code) => {
  expect(translateFirestoreError(failure(code), "read")).toMatchObject({ reason: "STORE_UNAVAILABLE" });
});

it("leaves what it does not know as it is", () => {
  for (const error of [failure(3), new TypeError("a fault of ours"), "text"]) {
    expect(translateFirestoreError(error, "commit")).toBe(error);
  }
});
