import { expect, it } from "vitest";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { fairlead } from "#test/helpers/worlds/command-world.ts";

const app = (name: string) => ({
  [`${name}/root_agent.yaml`]: `name: ${name}\nmodel: demo/chat\ninstruction: Help.\n`,
});

it("talks to the one app of a folder, and asks which of several", async () => {
  const one = agentsFolder({ "only/root_agent.yaml": app("only")["only/root_agent.yaml"] ?? "" });
  const said = await fairlead(one.path, ["run", "."], { input: "Hello\n/state\n/nothing\n" });
  expect(said).toEqual({ exitCode: 0, output: expect.stringContaining("only: ") });
  expect(said.output).toContain('There is no command "/nothing"');
  const two = agentsFolder({ ...app("first"), ...app("second") });
  expect(await fairlead(two.path, ["run", "."], { input: "Hello\n" })).toEqual({
    ...{ exitCode: 2, output: expect.stringContaining("Which app? Add one of: first, second.") },
  });
  expect((await fairlead(two.path, ["run", ".", "second"], { input: "Hello\n" })).output).toContain("second: ");
  expect(await fairlead(two.path, ["run", ".", "secnd"], { input: "Hello\n" })).toEqual({
    ...{ exitCode: 1, output: 'fairlead: App not found: secnd: did you mean "second"? Apps: first, second.\n' },
  });
  const none = agentsFolder({ "notes.txt": "" });
  expect(await fairlead(none.path, ["run", "."], { input: "Hello\n" })).toEqual({
    ...{ exitCode: 2, output: expect.stringContaining("The folder has no agents.") },
  });
});
