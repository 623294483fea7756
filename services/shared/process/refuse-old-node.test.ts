import { expect, it } from "vitest";
import { refuseOldNode } from "./refuse-old-node.ts";

it.each(["20.20.2", "22.18.0", "24.11.9"])("refuses Node %s for sources, in one sentence", (version) => {
  expect(refuseOldNode(version)).toBe(
    `Fairlead needs Node 24.12 or newer, and this is Node ${version}: run it with npm, which brings its own.`,
  );
});

it.each(["24.12.0", "25.0.0", "26.10.0"])("accepts Node %s for sources", (version) => {
  expect(refuseOldNode(version)).toBeUndefined();
});

it.each(["20.20.2", "22.15.1"])("refuses Node %s for the compiled package, in one sentence", (version) => {
  expect(refuseOldNode(version, "compiled")).toBe(
    `Fairlead needs Node 22.16 or newer, and this is Node ${version}: install a newer one.`,
  );
});

it.each(["22.16.0", "23.0.0", "24.0.0", "26.10.0"])("accepts Node %s for the compiled package", (version) => {
  expect(refuseOldNode(version, "compiled")).toBeUndefined();
});
