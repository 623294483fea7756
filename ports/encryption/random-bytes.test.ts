import { expect, it } from "vitest";
import { newContentId } from "#kit/platform/random-text.ts";
import { contentKeyUnavailable, contentUnreadable } from "./content-errors.ts";
import { Nonces, newDataKey, newRecordVersion } from "./random-bytes.ts";

it("keys, versions, ids and nonces are of their sizes, and each is another one", () => {
  const nonces = new Nonces();
  const makers: readonly [() => string, RegExp][] = [
    [() => newDataKey().toString("hex"), /^[0-9a-f]{64}$/],
    [() => newContentId(), /^[0-9a-f]{16}$/],
    [() => String(newRecordVersion()), /^[1-9]\d*$/],
    [() => nonces.next().toString("hex"), /^[0-9a-f]{24}$/],
  ];
  for (const [make, form] of makers) {
    // More than the nonces that are made at a time.
    const made = Array.from({ length: 600 }, make);
    expect(new Set(made).size).toBe(600);
    for (const text of made) expect(text).toMatch(form);
  }
});

it.each([contentKeyUnavailable, contentUnreadable])(
  "errors of content name the tenant, and have the cause that there is",
  (create) => {
    const cause = new Error("down");
    expect(create("acme", cause)).toMatchObject({ details: { tenantId: "acme" }, cause });
    expect("cause" in create("acme")).toBe(false);
  },
);
