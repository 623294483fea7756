import { once } from "node:events";
import { connect, createServer } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { createS3ArtifactService, type S3ArtifactServiceSettings } from "#adapters/s3/create-s3-artifact-service.ts";
import type { ArtifactKey } from "#kit/artifacts/artifact-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InterceptingProxy, type ProxyRule } from "#test/helpers/faults/intercepting-proxy.ts";
import { findS3Server, S3Server } from "#tooling/emulators/s3-server.ts";

const SESSION = { appName: "app", userId: "user@x", id: "session" };
const FOLDER = "app/user@x/s/session";
const NOW_MS = 1_767_225_600_000;
/** Later than the server's clock, so that all versions are settled. */
const FAR_FUTURE_MS = 4_102_444_800_000;
const PROBE = "_tenants/.conditional-writes";

const found = await findS3Server();

if ("missing" in found) {
  describe.skip(`Artifacts in their S3 bucket (${found.missing})`);
} else {
  const server = await S3Server.start(found.program);
  const open: Disposable[] = [];
  afterAll(async () => {
    for (const each of open) each[Symbol.dispose]();
    await server.stop();
  });

  const createService = (bucket: string, settings: Partial<S3ArtifactServiceSettings> = {}) => {
    const opened = createS3ArtifactService({
      ...{ bucket, endpoint: server.url, region: server.region, credentials: server.credentials, pathStyle: true },
      clock: new FixedClock(NOW_MS),
      ids: new SequentialIds(`save-${open.length}`),
      sleep: async () => {},
      setting: "endpoint",
      ...settings,
    });
    open.push(opened);
    return opened.service;
  };
  const startProxy = (rule?: ProxyRule) => InterceptingProxy.start(server.url, rule);
  const key = (filename: string): ArtifactKey => ({ session: SESSION, filename });
  const text = (value: string) => ({ artifact: { text: value } });
  const stored = async (bucket: string) => (await server.names(bucket)).filter((name) => name !== PROBE);

  describe("Artifacts in their S3 bucket", () => {
    it("keep what is known of them in one header, and after the content if it is too long or the content is empty", async () => {
      const bucket = await server.createBucket();
      const service = createService(bucket, { ids: new SequentialIds("save") });
      const long = "é  ".repeat(300);
      await service.saveArtifact({ ...key("short"), ...text("é"), customMetadata: { two: "a  b" } });
      await service.saveArtifact({ ...key("long"), ...text("é"), customMetadata: { long } });
      await service.saveArtifact({ ...key("empty"), ...text("") });
      const short = await server.object(bucket, `${FOLDER}/short/0`);
      expect([await short.text(), short.headers.get("content-type")]).toEqual(["é", "text/plain; charset=utf-8"]);
      expect(JSON.parse(short.headers.get("x-amz-meta-fairlead-record") ?? "")).toEqual({
        fairleadSaveId: "save-1",
        fairleadKind: "text",
        fairleadPart: '{"text":""}',
        fairleadCreateTime: String(NOW_MS),
        fairleadCustomMetadata: '{"two":"a  b"}',
        adkIsText: "true",
      });
      const contentBytes = async (name: string) =>
        (await server.object(bucket, `${FOLDER}/${name}/0`)).headers.get("x-amz-meta-fairlead-content-bytes");
      expect([await contentBytes("long"), await contentBytes("empty")]).toEqual(["2", "0"]);
      expect(await service.getArtifactVersion(key("long"))).toMatchObject({ customMetadata: { long } });
      expect(await service.listArtifactVersions(key("long"))).toMatchObject([{ customMetadata: { long } }]);
      expect(await service.loadArtifact(key("long"))).toEqual({ text: "é" });
      expect(await service.loadArtifact(key("empty"))).toEqual({ text: "" });
      expect(await service.describeArtifact(key("long"))).toMatchObject({ contentBytes: 2 });
      // What follows the content is never returned as content.
      const range = await service.readArtifact({ ...key("long"), version: 0, from: 1, bytes: 1_000 });
      expect(range).toEqual(Buffer.from("é").subarray(1));
    });

    it.each([
      ["a space", "two words"],
      ["signs of URLs", "a+b%20c?d#e&f=g"],
      ["other alphabets", "日本語 🙂 é"],
      ["slashes at its ends", "/leading//double/"],
      ["dots", "../.."],
      ["signs of XML", `<Key>&amp;"'`],
    ])("have names with %s", async (_what, filename) => {
      const bucket = await server.createBucket();
      const service = createService(bucket);
      await service.saveArtifact({ ...key(filename), ...text(filename) });
      await service.saveArtifact({ ...key(`user:${filename}`), ...text("of the user") });
      expect(await service.loadArtifact(key(filename))).toEqual({ text: filename });
      expect(await service.listArtifactKeys(SESSION)).toEqual({ filenames: [filename, `user:${filename}`].sort() });
      const [own = "", shared = ""] = await stored(bucket);
      expect([own.split("/").length, shared.split("/").length]).toEqual([6, 5]);
      await service.deleteArtifact(key(filename));
      expect(await service.listArtifactKeys(SESSION)).toEqual({ filenames: [`user:${filename}`] });
    });

    it("are listed and deleted completely beyond the 1,000 of one answer", async () => {
      const bucket = await server.createBucket();
      const service = createService(bucket);
      const names = Array.from({ length: 1_203 }, (_, index) => `f${String(index).padStart(4, "0")}`);
      for (let first = 0; first < names.length; first += 50)
        await Promise.all(
          names.slice(first, first + 50).map((name) => server.seed(bucket, `${FOLDER}/${name}/0`, name)),
        );
      const firstPage = await service.listArtifactKeys(SESSION);
      const secondPage = await service.listArtifactKeys(SESSION, firstPage.filenames.at(-1));
      expect([...firstPage.filenames, ...secondPage.filenames]).toEqual(names);
      await service.deleteSessionArtifacts(SESSION);
      expect(await stored(bucket)).toEqual([]);
    }, 60_000);

    it("are deleted of one user in all apps, and of one tenant, and no others", async () => {
      const bucket = await server.createBucket();
      const service = createService(bucket, { pageSize: 2 });
      const owners = ["", "acme"].flatMap((tenantId) =>
        ["ada", "ada2"].flatMap((userId) =>
          ["app", "zoo"].map((appName) => ({ appName, userId, id: "s", ...(tenantId !== "" && { tenantId }) })),
        ),
      );
      for (const session of owners)
        for (const filename of ["a", "user:b"]) await service.saveArtifact({ session, filename, ...text("x") });
      const deleteAll = async (owner: { readonly tenantId: string; readonly userId?: string }) => {
        while (!(await service.deleteData({ ...owner, limit: 3 })).isDone);
      };
      await deleteAll({ tenantId: "acme", userId: "ada" });
      const left = async () => (await stored(bucket)).map((name) => name.split("/").slice(0, -2).join("/"));
      const ofDefault = ["app/ada/s/s", "app/ada/u", "app/ada2/s/s", "app/ada2/u"];
      const all = [...ofDefault, ...ofDefault.map((name) => name.replace("app", "zoo"))];
      const ofOther = ["_tenants/acme/app/ada2/s/s", "_tenants/acme/app/ada2/u"];
      expect(await left()).toEqual([...ofOther, ...ofOther.map((name) => name.replace("app", "zoo")), ...all]);
      await deleteAll({ tenantId: "acme" });
      expect(await left()).toEqual(all);
      await deleteAll({ tenantId: "default", userId: "ada" });
      expect(await left()).toEqual(all.filter((name) => name.includes("ada2")));
    });

    it("get different numbers from concurrent saves of two services, and none is lost", async () => {
      const bucket = await server.createBucket();
      const services = [createService(bucket), createService(bucket)];
      const saves = services.flatMap((service, instance) =>
        Array.from({ length: 8 }, async (_, index) => {
          const value = `${instance}.${index}`;
          return [(await service.saveArtifact({ ...key("a"), ...text(value) })).version, value] as const;
        }),
      );
      const saved = (await Promise.all(saves)).sort(([left], [right]) => left - right);
      expect(saved.map(([version]) => version)).toEqual(Array.from({ length: 16 }, (_, version) => version));
      for (const [version, value] of saved)
        expect(await services[0]?.loadArtifact(key("a"), version)).toEqual({ text: value });
    });

    it("leave an empty object for each young version that is deleted, and of settled ones only for the newest", async () => {
      const bucket = await server.createBucket();
      const service = createService(bucket);
      for (const value of ["0", "1", "2"]) await service.saveArtifact({ ...key("a"), ...text(value) });
      await service.deleteArtifact(key("a"));
      expect(await stored(bucket)).toEqual([0, 1, 2].map((version) => `${FOLDER}/a/${version}`));
      const later = createService(bucket, { clock: new FixedClock(FAR_FUTURE_MS) });
      await later.deleteArtifact(key("a"));
      expect(await stored(bucket)).toEqual([`${FOLDER}/a/2`]);
      expect(await (await server.object(bucket, `${FOLDER}/a/2`)).text()).toBe("");
      expect((await later.saveArtifact({ ...key("a"), ...text("3") })).version).toBe(3);
      expect(await later.listVersions(key("a"))).toEqual({ versions: [3] });
    });

    it("do not get a number that was taken and deleted during their save", async () => {
      const bucket = await server.createBucket();
      const other = createService(bucket);
      await other.saveArtifact({ ...key("a"), ...text("first") });
      let done = false;
      await using proxy = await startProxy(async ({ method, path }) => {
        if (method === "PUT" && path.includes("/a/") && !done) {
          done = true;
          await other.saveArtifact({ ...key("a"), ...text("theirs") });
          await other.saveArtifact({ ...key("a"), ...text("theirs too") });
          await other.deleteArtifact(key("a"));
        }
        return "forward" as const;
      });
      const service = createService(bucket, { endpoint: proxy.url });
      expect((await service.saveArtifact({ ...key("a"), ...text("mine") })).version).toBe(3);
      expect(await service.listVersions(key("a"))).toEqual({ versions: [3] });
    });

    it("are saved once when the answer to the upload is lost", async () => {
      let lost = false;
      await using proxy = await startProxy(({ method, path }) => {
        if (method !== "PUT" || !path.includes("/a/") || lost) return "forward" as const;
        lost = true;
        return "lose-answer";
      });
      const service = createService(await server.createBucket(), { endpoint: proxy.url });
      expect((await service.saveArtifact({ ...key("a"), ...text("x") })).version).toBe(0);
      expect(lost).toBe(true);
      expect(await service.listVersions(key("a"))).toEqual({ versions: [0] });
    });

    it("are not there at all after an upload whose connection broke in the body", async () => {
      const bucket = await server.createBucket();
      await using broken = await startBreaking(server.url, 1_000_000);
      const artifact = { inlineData: { mimeType: "a/b", data: Buffer.alloc(5_000_000, 1).toString("base64") } };
      const through = createService(bucket, { endpoint: broken.url });
      await expect(through.saveArtifact({ ...key("a"), artifact })).rejects.toMatchObject({
        reason: "STORE_UNAVAILABLE",
      });
      expect(broken.count).toBeGreaterThan(0);
      const service = createService(bucket);
      expect(await stored(bucket)).toEqual([]);
      expect(await service.loadArtifact(key("a"), 0)).toBeUndefined();
      expect((await service.saveArtifact({ ...key("a"), artifact })).version).toBe(0);
      expect((await service.loadArtifact(key("a")))?.inlineData?.data === artifact.inlineData.data).toBe(true);
    });

    it("are encrypted at rest with the key of KMS that is given", async () => {
      const bucket = await server.createBucket();
      await createService(bucket, { kmsKeyId: "key-1" }).saveArtifact({ ...key("a"), ...text("x") });
      const { headers } = await server.object(bucket, `${FOLDER}/a/0`);
      expect([
        headers.get("x-amz-server-side-encryption"),
        headers.get("x-amz-server-side-encryption-aws-kms-key-id"),
      ]).toEqual(["aws:kms", expect.stringContaining("key-1")]);
    });

    it("need one request to find at a later start that the server honours conditions", async () => {
      const bucket = await server.createBucket();
      const starts: string[][] = [];
      for (let start = 0; start < 2; start += 1) {
        await using proxy = await startProxy();
        const opened = createS3ArtifactService({
          ...{ bucket, endpoint: proxy.url, region: server.region, credentials: server.credentials, pathStyle: true },
          ...{ clock: new FixedClock(NOW_MS), ids: new SequentialIds("save"), setting: "endpoint" },
        });
        await opened.start();
        opened[Symbol.dispose]();
        starts.push(proxy.seen.map(({ method, path }) => `${method} ${path.split("?")[0]}`));
      }
      const probe = `PUT /${bucket}/${PROBE}`;
      expect(starts).toEqual([[probe, probe], [probe]]);
    });
  });
}

/** Passes each connection on, and breaks it after so many bytes from the client. */
async function startBreaking(url: string, bytes: number) {
  let count = 0;
  const { hostname, port } = new URL(url);
  const proxy = createServer((client) => {
    const target = connect(Number(port), hostname);
    let received = 0;
    client.on("data", (chunk: Buffer) => {
      received += chunk.length;
      target.write(chunk);
      if (received < bytes) return;
      count += 1;
      client.destroy();
    });
    target.pipe(client);
    for (const socket of [client, target]) {
      socket.on("error", () => {});
      socket.on("close", () => (socket === client ? target : client).destroy());
    }
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : undefined}`,
    get count() {
      return count;
    },
    [Symbol.asyncDispose]: async () => void proxy.close(),
  };
}
