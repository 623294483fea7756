import { describe, expect, it, vi } from "vitest";
import type { AgentFiles } from "#services/gateway/deps.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const YAML = "name: root\nmodel: demo/echo\n";

class RecordingFiles implements AgentFiles {
  readonly calls: unknown[] = [];

  async read(...call: Parameters<AgentFiles["read"]>): Promise<string | undefined> {
    this.calls.push(["read", ...call]);
    return call[1].filePath === "none.yaml" ? undefined : YAML;
  }

  async save(appName: string, files: ReadonlyMap<string, string>, options: object): Promise<boolean> {
    this.calls.push(["save", appName, [...files], options]);
    return true;
  }

  async cancel(appName: string): Promise<boolean> {
    this.calls.push(["cancel", appName]);
    return false;
  }
}

async function upload(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<{ payload: Buffer; headers: Record<string, string> }> {
  const form = new FormData();
  // A copy, because a File accepts only bytes on a buffer of their own.
  for (const [name, content] of Object.entries(files))
    form.append("files", new File([typeof content === "string" ? content : new Uint8Array(content)], name));
  const request = new Request("http://localhost", { method: "POST", body: form });
  return {
    payload: Buffer.from(await request.arrayBuffer()),
    headers: { "content-type": request.headers.get("content-type") ?? "" },
  };
}

describe("the YAML editor's endpoints", () => {
  it("read a file of the app or of its draft", async () => {
    const builder = new RecordingFiles();
    await using world = await startGateway({ deps: { builder } });
    const read = await world.gateway.inject("/dev/apps/echo/builder?ts=1");
    expect([read.statusCode, read.headers["content-type"], read.headers["cache-control"], read.body]).toEqual([
      200,
      "application/x-yaml; charset=utf-8",
      "no-store",
      YAML,
    ]);
    const none = await world.gateway.inject("/builder/app/echo?file_path=none.yaml&tmp=true");
    expect([none.statusCode, none.headers["content-type"], none.body]).toEqual([200, "text/plain; charset=utf-8", ""]);
    expect(builder.calls).toEqual([
      ["read", "echo", { temporary: false }],
      ["read", "echo", { temporary: true, filePath: "none.yaml" }],
    ]);
  });

  it("save uploaded files, and drop a draft, under both paths", async () => {
    const builder = new RecordingFiles();
    await using world = await startGateway({ deps: { builder } });
    const listed = vi.spyOn(world.runner, "listApps");
    const files = await upload({ "echo/root_agent.yaml": YAML, "echo/sub/a.yml": "name: ä\n" });
    const saved = await world.gateway.inject({ method: "POST", url: "/dev/apps/echo/builder/save?tmp=true", ...files });
    // A runner looks at its folder for a new app, which it serves from its draft too.
    expect(listed).toHaveBeenCalledTimes(1);
    const savedOld = await world.gateway.inject({ method: "POST", url: "/builder/save", ...files });
    expect(listed).toHaveBeenCalledTimes(2);
    const cancelled = await world.gateway.inject({ method: "POST", url: "/builder/app/echo/cancel", payload: {} });
    expect([saved.body, savedOld.body, cancelled.body]).toEqual(["true", "true", "false"]);
    const entries = [
      ["root_agent.yaml", YAML],
      ["sub/a.yml", "name: ä\n"],
    ];
    expect(builder.calls).toEqual([
      ["save", "echo", entries, { temporary: true }],
      ["save", "echo", entries, { temporary: false }],
      ["cancel", "echo"],
    ]);
  });

  it.each([
    ["a file of another app", { "other/root_agent.yaml": YAML }, "Every file name should start with echo/"],
    ["a program", { "echo/agent.ts": "x" }, "Only .yaml and .yml files can be saved"],
    ["a bare name", { "root_agent.yaml": YAML }, "The file name should have the form {app}/{path}.yaml"],
    ["bytes that are not text", { "echo/a.yaml": new Uint8Array([0xff, 0xfe]) }, "The file should be UTF-8 text"],
    ["nothing", {}, "Send at least one part named files"],
  ])("refuse to save %s", async (_title, files, msg) => {
    const builder = new RecordingFiles();
    await using world = await startGateway({ deps: { builder } });
    const response = await world.gateway.inject({
      method: "POST",
      url: "/dev/apps/echo/builder/save",
      ...(await upload(files)),
    });
    expect([
      response.statusCode,
      response.json<{ detail: readonly { msg: string }[] }>().detail.map((problem) => problem.msg),
    ]).toEqual([422, [msg]]);
    expect(builder.calls).toEqual([]);
  });

  it("refuse a file over 256 KiB and a body that is not multipart", async () => {
    const builder = new RecordingFiles();
    await using world = await startGateway({ deps: { builder } });
    const url = "/dev/apps/echo/builder/save";
    const large = await world.gateway.inject({
      method: "POST",
      url,
      ...(await upload({ "echo/a.yaml": "x".repeat(256 * 1024 + 1) })),
    });
    const json = await world.gateway.inject({ method: "POST", url, payload: {} });
    expect([large.json<{ reason: string }>().reason, json.json<{ reason: string }>().reason]).toEqual([
      "BODY_TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
    ]);
    expect(builder.calls).toEqual([]);
  });

  it("read nothing and write nothing where the editor is off", async () => {
    await using world = await startGateway();
    const read = await world.gateway.inject("/dev/apps/echo/builder?ts=1");
    expect([read.statusCode, read.body]).toEqual([200, ""]);
    const save = await world.gateway.inject({
      method: "POST",
      url: "/builder/save",
      ...(await upload({ "echo/a.yaml": YAML })),
    });
    const cancel = await world.gateway.inject({ method: "POST", url: "/dev/apps/echo/builder/cancel", payload: {} });
    expect([save, cancel].map((response) => [response.statusCode, response.json<{ reason: string }>().reason])).toEqual(
      [
        [403, "EDITOR_OFF"],
        [403, "EDITOR_OFF"],
      ],
    );
  });
});
