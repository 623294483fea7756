import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { FileUriCheck } from "./check-file-uris.ts";

const message = (fileUri: string) => ({ role: "user", parts: [{ text: "look" }, { fileData: { fileUri } }] });

it.each([
  "gs://bucket/file.pdf",
  "fairlead-inline:a#0",
  "https://files.example/a.png",
  "http://cdn.own.example:8080/a",
  "https://generativelanguage.googleapis.com/v1beta/files/abc",
])("lets a model have %s", (uri) => {
  verifies("peers:models:file-addresses");
  expect(new FileUriCheck(["files.example", "*.own.example:8080"]).check(message(uri))).toBeUndefined();
});

it.each([
  ...["https://evil.example/a", "http://169.254.169.254/latest", "file:///etc/passwd", "data:text/plain,hi", "//x/y"],
  ...["ftp://files.example/a", "https://user:key@files.example/a", "https://files.example.evil/a", "javascript:1"],
  ...["https://xfiles.example/", "https://own.example:8080/", "https://a.own.example/", "nothing", "s3://bucket/a"],
])("refuses %s, and names the part", (uri) => {
  verifies("peers:models:file-addresses");
  const check = (): void => new FileUriCheck(["files.example", "*.own.example:8080"]).check(message(uri));
  expect(check).toThrow(PlatformError);
  expect(check).toThrow("newMessage.parts.1.fileData.fileUri");
});

it("refuses the run before anything of it is stored", async () => {
  verifies("peers:models:file-addresses");
  const model = new ScriptedModel(["never"]);
  const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
  await expect(world.run(message("https://evil.example/a"))).rejects.toMatchObject({ reason: "INVALID_MESSAGE" });
  expect([(await world.session()).events, model.callCount]).toEqual([[], 0]);
});

it("names the setting of a wrong entry", () => {
  expect(() => new FileUriCheck(["https://a/b"])).toThrow("FILE_URI_HOSTS");
});
