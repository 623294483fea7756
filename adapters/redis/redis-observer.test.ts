import { ReplyError } from "ioredis";
import { expect, it } from "vitest";
import { reasonOf } from "./redis-observer.ts";

it.each([
  [new ReplyError("OOM command not allowed when used memory > 'maxmemory'."), "refused"],
  [new Error("Command timed out"), "timeout"],
  [new Error("The cluster is not ready."), "timeout"],
  [new Error("Connection is closed."), "connection"],
  [new Error("Reached the max retries per request limit (which is 1)."), "connection"],
  ["something else", "connection"],
])("classifies why a command failed: %s is %s", (error, reason) => {
  expect(reasonOf(error)).toBe(reason);
});
