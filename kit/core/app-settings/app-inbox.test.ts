import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { type AppInbox, assertAppInbox } from "./app-inbox.ts";

it.each([
  [{ expiresAfterSeconds: 0 }, "inbox.expiresAfterSeconds"],
  [{ expiresAfterSeconds: 1.5 }, "inbox.expiresAfterSeconds"],
  [{ expiresAfterSeconds: 91 * 24 * 60 * 60 }, "inbox.expiresAfterSeconds"],
  [{ expiresAfterSeconds: "24h" }, "inbox.expiresAfterSeconds"],
  [{ expiresAfterSeconds: 60, onExpiry: "forget" }, "inbox.onExpiry"],
])("refuses %j, and names the member", (inbox, field) => {
  verifies("platform:inbox:expiry");
  // What a file or a program without types gives.
  expect(() => assertAppInbox(inbox as AppInbox)).toThrow(
    expect.objectContaining({ reason: "INVALID_FIELD", details: { field } }),
  );
});

it("accepts up to 90 days", () => {
  assertAppInbox({ expiresAfterSeconds: 90 * 24 * 60 * 60, onExpiry: "approve" });
});
