import { describe, expect, it } from "vitest";
import { assertNoFormerSettings } from "./former-settings.ts";

describe("the former setting of one key for all services", () => {
  it("is refused with the settings that replace it, because without it nothing would be checked", () => {
    expect(() => assertNoFormerSettings({ PRINCIPAL_KEY_FILE: "/run/key" })).toThrow(
      expect.objectContaining({
        reason: "CONFIGURATION",
        message: expect.stringMatching(/PRINCIPAL_PRIVATE_KEY_FILE/),
      }),
    );
  });

  it.each([{}, { PRINCIPAL_KEY_FILE: "" }, { PRINCIPAL_PUBLIC_KEYS_FILE: "keys" }])(
    "is no matter with %j",
    (environment) => {
      expect(assertNoFormerSettings(environment)).toBeUndefined();
    },
  );
});
