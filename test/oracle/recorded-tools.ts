import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import type { BaseTool } from "#kit/core/base-tool.ts";
import type { AuthConfig } from "#kit/credentials/auth-config.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import { ExitLoopTool } from "#kit/tools/exit-loop-tool.ts";
import { FunctionTool, LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import { LoadArtifactsTool } from "#kit/tools/load-artifacts-tool.ts";
import { LoadMemoryTool } from "#kit/tools/load-memory-tool.ts";
import { TypeMismatch, ValueError } from "./errors.ts";

const anything = z.unknown();

/** The client and the server of the credential that `need_key` asks for. */
const READING: AuthConfig = {
  authScheme: {
    type: "oauth2",
    flows: {
      authorizationCode: {
        authorizationUrl: "https://auth.example.com/authorize",
        tokenUrl: "https://auth.example.com/token",
        scopes: { read: "read" },
      },
    },
  },
  rawAuthCredential: { authType: "oauth2", oauth2: { clientId: "cid", clientSecret: "very-secret" } },
};

/** The tools of the recordings that the kit supports, by name. */
export const RECORDED_TOOLS: ReadonlyMap<string, BaseTool> = new Map(
  [
    new FunctionTool({
      name: "get_weather",
      description: "Weather of a city.",
      parameters: z.object({ city: z.string() }),
      execute: ({ city }) => ({ city, temp: city.length }),
    }),
    new FunctionTool({
      name: "add",
      description: "Adds two integers.",
      parameters: z.object({ a: anything, b: anything }),
      execute: ({ a, b }) => {
        if (!Number.isInteger(a) || !Number.isInteger(b)) throw new TypeMismatch("a and b must be integers");
        return Number(a) + Number(b);
      },
    }),
    new FunctionTool({
      name: "wait_ms",
      description: "Waits.",
      parameters: z.object({ ms: z.number(), tag: z.string() }),
      execute: async ({ ms, tag }, { signal }) => {
        await pause(ms, undefined, { signal });
        return { tag };
      },
    }),
    new ExitLoopTool(),
    new LoadArtifactsTool(),
    new LoadMemoryTool(),
    new FunctionTool({ name: "nothing", description: "Gives nothing.", execute: () => null }),
    new LongRunningFunctionTool({
      name: "slow_job",
      description: "Starts a job.",
      parameters: z.object({ task: z.string() }),
      execute: ({ task }) => ({ status: "pending", ticket: `T-${task}` }),
    }),
    new LongRunningFunctionTool({
      name: "slow_none",
      description: "Starts a job and says nothing.",
      parameters: z.object({ task: z.string() }),
      execute: () => null,
    }),
    new FunctionTool({
      name: "delete_file",
      description: "Deletes a file.",
      parameters: z.object({ path: z.string() }),
      requireConfirmation: true,
      execute: ({ path }) => ({ deleted: path }),
    }),
    new FunctionTool({
      name: "pay",
      description: "Pays.",
      parameters: z.object({ amount: z.number() }),
      execute: ({ amount }, context) => {
        if (amount <= 100) return { status: "paid", amount };
        if (context.toolConfirmation === undefined) {
          context.requestConfirmation({ hint: `Pay ${amount}?`, payload: { limit: 0 } });
          return { status: "needs approval" };
        }
        const { confirmed, payload } = context.toolConfirmation;
        if (!confirmed) return { status: "refused" };
        return { status: "paid", amount, limit: isJsonObject(payload) ? (payload["limit"] ?? null) : null };
      },
    }),
    new FunctionTool({
      name: "set_state",
      description: "Sets a state key.",
      parameters: z.object({ key: z.string(), value: z.string() }),
      execute: ({ key, value }, context) => {
        context.state.set(key, value);
        return { ok: true, seen: context.state.get(key) ?? null };
      },
    }),
    new FunctionTool({
      name: "get_state",
      description: "Reads a state key.",
      parameters: z.object({ key: z.string() }),
      execute: ({ key }, context) => ({ value: context.state.get(key) ?? null }),
    }),
    new FunctionTool({
      name: "save_note",
      description: "Saves a note.",
      parameters: z.object({ filename: z.string(), text: z.string() }),
      execute: async ({ filename, text }, context) => {
        const inlineData = { mimeType: "text/plain", data: Buffer.from(text).toString("base64") };
        return { version: await context.saveArtifact(filename, { inlineData }) };
      },
    }),
    new FunctionTool({
      name: "read_note",
      description: "Reads a note.",
      parameters: z.object({ filename: z.string() }),
      execute: async ({ filename }, context) => {
        const data = (await context.loadArtifact(filename))?.inlineData?.data;
        return { text: data === undefined ? null : Buffer.from(data, "base64").toString("utf8") };
      },
    }),
    new FunctionTool({
      name: "list_notes",
      description: "Lists the notes.",
      execute: async (_args, context) => ({ names: await context.listArtifacts() }),
    }),
    new FunctionTool({
      name: "boom",
      description: "Fails.",
      parameters: z.object({ msg: z.string() }),
      execute: ({ msg }) => {
        throw new ValueError(msg);
      },
    }),
    new FunctionTool({
      name: "quiet",
      description: "Skips the summary.",
      parameters: z.object({ x: z.string() }),
      execute: ({ x }, context) => {
        context.actions.skipSummarization = true;
        return { x };
      },
    }),
    new FunctionTool({
      name: "stop_here",
      description: "Escalates.",
      execute: (_args, context) => {
        context.actions.escalate = true;
        return { stopped: true };
      },
    }),
    new FunctionTool({
      name: "go_to",
      description: "Hands over.",
      parameters: z.object({ name: z.string() }),
      execute: ({ name }, context) => {
        context.actions.transferToAgent = name;
        return { going: name };
      },
    }),
    new FunctionTool({
      name: "need_key",
      description: "Needs a credential of the user.",
      parameters: z.object({ q: z.string() }),
      execute: async (_args, context) => {
        const credential = await context.getAuthResponse(READING);
        if (credential !== undefined)
          return { status: "authorised", has_oauth2: "oauth2" in credential && credential.oauth2 !== undefined };
        await context.requestCredential(READING);
        return { status: "auth pending" };
      },
    }),
  ].map((tool) => [tool.name, tool]),
);
