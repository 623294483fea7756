import { expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { importOptional, OPTIONAL_PACKAGES } from "./optional-package.ts";

const failing = (message: string, code = "ERR_MODULE_NOT_FOUND") =>
  importOptional({
    name: "openai",
    user: "OpenAI models",
    load: () => Promise.reject(Object.assign(new Error(message), { code })),
  });

it("names the command that installs a missing package", async () => {
  await expect(failing("Cannot find package 'openai' imported from /app/openai-compatible.js")).rejects.toMatchObject({
    reason: "PACKAGE_MISSING",
    message: "OpenAI models need the package openai. Install it: npm install openai@7",
    details: { package: "openai" },
  });
});

it("passes other failures on", async () => {
  const message = "Cannot find package 'ws' imported from /app/node_modules/openai/index.js";
  await expect(failing("no file descriptor", "EMFILE")).rejects.toThrow("no file descriptor");
  await expect(failing(message.replace("/node_modules/openai/", "/elsewhere/"))).rejects.toThrow("'ws'");
});

it("returns what the package exports", async () => {
  const module = await importOptional({ name: "openai", user: "Tests", load: () => import("openai") });
  expect(typeof module.OpenAI).toBe("function");
});

it("names the major versions that this package is developed with", () => {
  const ranges: Readonly<Record<string, string>> = manifest.dependencies;
  const majors = Object.keys(OPTIONAL_PACKAGES).map((name) => [
    name,
    Number(/^\^(\d+)\./.exec(ranges[name] ?? "")?.[1]),
  ]);
  expect(Object.fromEntries(majors)).toEqual(OPTIONAL_PACKAGES);
});
