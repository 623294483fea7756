import { expect, it } from "vitest";
import { formatTraceParent, parseTraceParent } from "./trace-context.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

it("reads what it writes, and what later versions add", () => {
  const parent = { traceId: TRACE, spanId: SPAN };
  expect(parseTraceParent(formatTraceParent(parent))).toEqual(parent);
  expect(parseTraceParent(`00-${TRACE}-${SPAN}-00`)).toEqual(parent);
  expect(parseTraceParent(`cc-${TRACE}-${SPAN}-01-what-comes-later`)).toEqual(parent);
});

it.each([
  undefined,
  ["two"],
  "",
  `ff-${TRACE}-${SPAN}-01`,
  `00-${"0".repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${"0".repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01\n`,
  `00-${TRACE}-${SPAN}-01-${"x".repeat(200)}`,
])("begins a trace of its own on %j", (text) => {
  expect(parseTraceParent(text)).toBeUndefined();
});
