import { expect, it } from "vitest";
import { refuseOldNode } from "./refuse-old-node.ts";

it.each(["20.20.2", "22.18.0", "24.11.9"])("refuses Node %s in one sentence", (version) => {
  expect(refuseOldNode(version)).toBe(
    `Agentplane needs Node 24.12 or newer, and this is Node ${version}: run it with npm, which brings its own.`,
  );
});

it.each(["24.12.0", "25.0.0", "26.10.0"])("accepts Node %s", (version) => {
  expect(refuseOldNode(version)).toBeUndefined();
});
