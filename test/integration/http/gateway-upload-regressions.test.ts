import { describe, expect, it } from "vitest";
import type { AgentFiles } from "#services/gateway/deps.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const HEADERS = { "content-type": "multipart/form-data; boundary=b" };

function part(filename: string, text = "name: a\n"): string {
  return `--b\r\nContent-Disposition: form-data; name="files"; filename="${filename}"\r\n\r\n${text}\r\n`;
}

async function upload(payload: string, headers: Readonly<Record<string, string>> = HEADERS) {
  const saved: string[] = [];
  const builder: AgentFiles = {
    read: async () => undefined,
    save: async (_app, files) => {
      saved.push(...files.keys());
      return true;
    },
    cancel: async () => true,
  };
  await using world = await startGateway({ deps: { builder } });
  const response = await world.gateway.inject({ method: "POST", url: "/builder/save", headers, payload });
  const body: unknown = response.json();
  const reason = typeof body === "object" && body !== null && "reason" in body ? body.reason : undefined;
  return { status: response.statusCode, reason, saved };
}

describe("uploads of definition files", () => {
  it("are taken when they are whole", async () => {
    expect(await upload(`${part("echo/root_agent.yaml")}--b--\r\n`)).toEqual({
      status: 200,
      reason: undefined,
      saved: ["root_agent.yaml"],
    });
  });

  it.each([
    ["that end in the middle", part("echo/root_agent.yaml")],
    ["with headers that are none", "--b\r\nnonsense\r\n\r\nx\r\n--b--\r\n"],
    ["that are empty", ""],
    ["without the boundary that was named", "--other\r\n\r\n--other--\r\n"],
  ])("are refused %s", async (_name, payload) => {
    const { status, saved } = await upload(payload);
    expect([Math.floor(status / 100), saved]).toEqual([4, []]);
  });

  it("are refused without a boundary", async () => {
    const { status } = await upload("x", { "content-type": "multipart/form-data" });
    expect(Math.floor(status / 100)).toBe(4);
  });

  it.each([
    ["name", `echo/${"x".repeat(300)}.yaml`],
    ["app's name", `${"x".repeat(300)}/root_agent.yaml`],
    ["path", `echo/${"abc/".repeat(400)}a.yaml`],
  ])("are refused with a %s that no file system takes", async (_name, filename) => {
    expect(await upload(`${part(filename)}--b--\r\n`)).toEqual({ status: 422, reason: "INVALID_FIELD", saved: [] });
  });
});
