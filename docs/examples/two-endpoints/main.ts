// Two servers of the OpenAI protocol in one program, each with its own key: one model writes a draft, the other
// improves it. Run it with `node main.ts "a poem about rain"`.
import { createApp } from "fairlead/adk";
import { LlmAgent, Runner, SequentialAgent, textOf, userContent } from "fairlead/kit";
import { OpenAiCompatible } from "fairlead/models";

const { DRAFT_URL = "http://127.0.0.1:11434/v1", DRAFT_KEY, REVIEW_URL, REVIEW_KEY } = process.env;
const draft = new OpenAiCompatible({ model: "llama3.3", baseUrl: DRAFT_URL, apiKey: DRAFT_KEY });
const review = new OpenAiCompatible({ model: "gpt-6-luna", baseUrl: REVIEW_URL, apiKey: REVIEW_KEY });

const rootAgent = new SequentialAgent({
  name: "desk",
  subAgents: [
    new LlmAgent({ name: "writer", model: draft, instruction: "Write a short draft.", outputKey: "draft" }),
    new LlmAgent({ name: "editor", model: review, instruction: "Improve this draft: {draft}" }),
  ],
});
const app = createApp({ name: "two_endpoints", rootAgent });
const runner = new Runner({ app, runConfig: { autoCreateSession: true } });
const newMessage = userContent(process.argv[2] ?? "A poem about rain.");
for await (const { author, content } of runner.runAsync({ userId: "ada", sessionId: "first", newMessage }))
  console.log(`${author}: ${textOf(content)}`);
