import { expect, it } from "vitest";
import { UnknownTool } from "./call-tool.ts";

const names = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);

it.each([
  [[], "There are no tools."],
  [["a", "b"], "Tools are: a, b."],
  [names(50), `Tools are: ${names(50).join(", ")}.`],
  [names(52), `Tools are: ${names(50).join(", ")} and 2 more.`],
])("lists the tools that there are: %j", async (known, list) => {
  const error = { reason: "TOOL_NOT_FOUND", message: `There is no tool named "made_up". ${list}` };
  await expect(new UnknownTool("made_up", known).runAsync()).rejects.toMatchObject(error);
});
