import { expect, it } from "vitest";
import * as yaml from "yaml";
import { readAgentsIndex } from "./read-agents-index.ts";

const ONE = "4be0c1a2d93f";
const read = (text: string) => readAgentsIndex(yaml, text, "/etc/agents");

it("reads versions with their folders, weights and ends", () => {
  const text = `apps:\n  shop:\n    - {agentRevision: ${ONE}, folder: revisions/shop, weight: 90}\n    - {agentRevision: "123456789012", folder: /other, retired: true}\n`;
  expect(Object.fromEntries(read(text))).toEqual({
    shop: [
      { agentRevision: ONE, folder: "/etc/agents/revisions/shop", weight: 90, isRetired: false },
      { agentRevision: "123456789012", folder: "/other", weight: 0, isRetired: true },
    ],
  });
  expect(read("").size).toBe(0);
});

it.each([
  ["apps: []", "Line 1: apps must be a map of names to values."],
  ["app: {}", "Line 1: app is unknown here: there are apps."],
  ["apps:\n  shop: 3", "Line 2: apps.shop must be a list of 1 to 20 versions."],
  ["apps:\n  shop: []", "Line 2: apps.shop must be a list of 1 to 20 versions."],
  [`apps: {"a\\u0001": [{agentRevision: ${ONE}, folder: x, weight: 1}]}`, "is not the name of an app."],
  [`apps: {s: [{agentRevision: ${ONE}, folder: x}]}`, "apps.s gives no version a weight above 0."],
  [
    `apps: {s: [{agentRevision: ${ONE}, folder: x, weight: 1}, {agentRevision: ${ONE}, folder: y}]}`,
    "apps.s lists an agentRevision twice.",
  ],
  ["apps: {s: [{agentRevision: 123456789012, folder: x, weight: 1}]}", "apps.s[0].agentRevision must be the twelve"],
  [`apps: {s: [{agentRevision: ${ONE}, weight: 1}]}`, "apps.s[0].folder must name the folder"],
  [`apps: {s: [{agentRevision: ${ONE}, folder: x, weight: 1.5}]}`, "apps.s[0].weight must be a whole number from 0"],
  [`apps: {s: [{agentRevision: ${ONE}, folder: x, weight: -1}]}`, "apps.s[0].weight must be a whole number from 0"],
  [
    `apps: {s: [{agentRevision: ${ONE}, folder: x, weight: 1, retired: yes}]}`,
    "apps.s[0].retired must be true or false",
  ],
  [`apps: {s: [{agentRevision: ${ONE}, folder: x, weight: 1, retired: true}]}`, "only for a version with the weight 0"],
  [`apps: {s: [{agentRevision: ${ONE}, folder: x, weight: 1, size: 2}]}`, "apps.s[0].size is unknown here"],
  ["apps: {s: [", "AGENTS_INDEX: Line 1:"],
])("refuses %j with its line", (text, message) => {
  expect(() => read(text)).toThrow(
    expect.objectContaining({ reason: "CONFIGURATION", message: expect.stringContaining(message) }),
  );
});

it("bounds apps and versions", () => {
  const revisions = Array.from(
    { length: 21 },
    (_, n) => `{agentRevision: "${String(n).padStart(12, "0")}", folder: x, weight: 1}`,
  );
  expect(() => read(`apps: {s: [${revisions.join(",")}]}`)).toThrow("must be a list of 1 to 20 versions");
  const apps = Array.from({ length: 1_001 }, (_, n) => `a${n}: [{agentRevision: ${ONE}, folder: x, weight: 1}]`);
  expect(() => read(`apps: {${apps.join(",")}}`)).toThrow("more than 1000 apps");
  expect(() => read(`# ${"x".repeat(1024 * 1024)}`)).toThrow("over 1 MiB");
});
