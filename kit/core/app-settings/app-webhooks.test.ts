import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { type AppWebhook, assertAppWebhooks } from "./app-webhooks.ts";

const HOOK: AppWebhook = { name: "alerts", url: "https://hooks.example.com/" };

it.each([
  [[HOOK, HOOK], "webhooks.name"],
  [[{ ...HOOK, name: "" }], "name"],
  [[{ ...HOOK, url: "ftp://hooks.example.com" }], "webhooks.url"],
  [[{ name: "alerts" }], "webhooks.url"],
  [[{ ...HOOK, events: [] }], "webhooks.events"],
  [[{ ...HOOK, events: ["run.never"] }], "webhooks.events"],
  [[{ ...HOOK, secret: `whsec_${"A".repeat(32)}` }], "webhooks.secret"],
  [Array.from({ length: 21 }, (_, index) => ({ ...HOOK, name: `w${index}` })), "webhooks"],
])("refuses %j, and names the member without a secret (case %#)", (webhooks, field) => {
  verifies("webhooks:apps");
  // What a file or a program without types gives.
  const check = () => assertAppWebhooks(webhooks as readonly AppWebhook[]);
  expect(check).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ field: expect.stringContaining(field) }) }),
  );
  expect(check).not.toThrow(/AAAA/);
});

it("accepts a name of a secret, and several webhooks", () => {
  assertAppWebhooks([
    { ...HOOK, secret: "alerts", events: ["run.failed"] },
    { ...HOOK, name: "other", userId: "ada" },
  ]);
});
