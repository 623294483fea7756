import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { fromThrown } from "./errors.ts";

it.each(["EMFILE", "ENFILE"])("answers 503 while the process has too many open files: %s", (code) => {
  verifies("peers:files:too-many-open");
  const { httpStatus, reason, message } = fromThrown(Object.assign(new Error(`${code}: open /secret/path`), { code }));
  expect([httpStatus, reason, message]).toEqual([503, "SERVICE_UNAVAILABLE", expect.not.stringContaining("secret")]);
});
