import { createApp } from "fairlead/adk";
import { FunctionTool, LlmAgent, Runner, textOf, userContent } from "fairlead/kit";
import { functionCallResponse, ScriptedModel } from "fairlead/kit/testing";
import { inMemoryStores } from "fairlead/stores";
import { z } from "zod";

const writeReport = new FunctionTool({
  name: "write_report",
  description: "Writes a report to a file.",
  parameters: z.object({ text: z.string() }),
  execute: async ({ text }, context) => {
    const data = Buffer.from(text).toString("base64");
    const version = await context.saveArtifact("report.txt", { inlineData: { mimeType: "text/plain", data } });
    return { version };
  },
});
const model = new ScriptedModel([
  functionCallResponse("write_report", { text: "All is well." }),
  "The report is written.",
]);
const rootAgent = new LlmAgent({ name: "writer", model, instruction: "Write reports.", tools: [writeReport] });
const { artifactService } = inMemoryStores();
const app = createApp({ name: "reports", rootAgent });
const runner = new Runner({ app, artifactService, runConfig: { autoCreateSession: true } });

const newMessage = userContent("Write the report");
for await (const event of runner.runAsync({ userId: "ada", sessionId: "first", newMessage })) {
  for (const [file, version] of Object.entries(event.actions.artifactDelta)) console.log(`${file}: version ${version}`);
  if (textOf(event.content) !== "") console.log(`${event.author}: ${textOf(event.content)}`);
}
const session = { appName: "reports", userId: "ada", id: "first" };
const part = await artifactService.loadArtifact({ session, filename: "report.txt" });
console.log(Buffer.from(part?.inlineData?.data ?? "", "base64").toString());
