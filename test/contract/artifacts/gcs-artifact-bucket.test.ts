import { generateKeyPairSync } from "node:crypto";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import {
  createGcsArtifactService,
  type GcsArtifactServiceSettings,
} from "#adapters/gcs/create-gcs-artifact-service.ts";
import type { ArtifactKey } from "#kit/artifacts/artifact-service.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InterceptingProxy, type ProxyRule } from "#test/helpers/faults/intercepting-proxy.ts";
import { findGcsEmulator, GcsEmulator } from "#tooling/emulators/gcs-emulator.ts";

const SESSION = { appName: "app", userId: "user@x", id: "session" };
const NOW_MS = 1_767_225_600_000;
/** Later than the emulator's clock, so that all versions are settled. */
const FAR_FUTURE_MS = 4_102_444_800_000;
const TOMBSTONE_TYPE = "application/x-fairlead-deleted";

/** A service account's key that only determines the form of signatures. */
async function createKeyFile(): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtempDisposable(join(tmpdir(), "fairlead-key-"));
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const path = join(folder.path, "key.json");
  const key = {
    type: "service_account",
    client_email: "artifacts@project.iam.gserviceaccount.com",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  };
  await writeFile(path, JSON.stringify(key));
  return { path, [Symbol.asyncDispose]: () => folder.remove() };
}

const found = await findGcsEmulator();

if ("missing" in found) {
  describe.skip(`GcsArtifactService and its bucket (${found.missing})`);
} else {
  const emulator = await GcsEmulator.start(found.program);
  afterAll(() => emulator.stop());

  let instances = 0;
  const createService = (bucketName: string, settings: Partial<GcsArtifactServiceSettings> = {}) => {
    instances += 1;
    return createGcsArtifactService({
      bucketName,
      apiEndpoint: emulator.url,
      clock: new FixedClock(NOW_MS),
      ids: new SequentialIds(`save-${instances}`),
      sleep: async () => {},
      ...settings,
    });
  };
  const startProxy = (rule?: ProxyRule) => InterceptingProxy.start(emulator.url, rule);
  const key = (filename: string): ArtifactKey => ({ session: SESSION, filename });
  const text = (value: string) => ({ artifact: { text: value } });

  afterEach(() => vi.unstubAllEnvs());

  describe("GcsArtifactService in its bucket", () => {
    it("names objects by escaped segments and keeps what is known of them in their metadata", async () => {
      const bucket = await emulator.createBucket();
      const service = createService(bucket, { ids: new SequentialIds("save") });
      await service.saveArtifact({ ...key("dir/ä b.txt"), ...text("é"), customMetadata: { source: "ü" } });
      const inlineData = { mimeType: "image/png", data: "aGk=", displayName: "p.png" };
      await service.saveArtifact({ ...key("user:logo"), artifact: { inlineData } });
      const fileData = { fileUri: "gs://b/o", mimeType: "video/mp4" };
      await service.saveArtifact({ ...key("user:logo"), artifact: { fileData } });
      const common = { fairleadCreateTime: String(NOW_MS) };
      expect(await emulator.objects(bucket)).toEqual([
        {
          name: "app/user@x/s/session/dir%2F%C3%A4%20b.txt/0",
          size: "2",
          contentType: "text/plain; charset=utf-8",
          metadata: {
            ...common,
            fairleadSaveId: "save-1",
            fairleadKind: "text",
            fairleadPart: '{"text":""}',
            fairleadCustomMetadata: '{"source":"\\u00fc"}',
            adkIsText: "true",
          },
        },
        {
          name: "app/user@x/u/logo/0",
          size: "2",
          contentType: "image/png",
          metadata: {
            ...common,
            fairleadSaveId: "save-2",
            fairleadKind: "inline",
            fairleadPart: '{"inlineData":{"mimeType":"image/png","displayName":"p.png"}}',
            adkDisplayName: "p.png",
          },
        },
        {
          name: "app/user@x/u/logo/1",
          size: "0",
          contentType: "video/mp4",
          metadata: {
            ...common,
            fairleadSaveId: "save-3",
            fairleadKind: "fileData",
            fairleadPart: '{"fileData":{"fileUri":"gs://b/o","mimeType":"video/mp4"}}',
            adkFileUri: "gs://b/o",
            adkFileMimeType: "video/mp4",
          },
        },
      ]);
    });

    it("gives concurrent saves of two services different numbers and loses none", async () => {
      const bucket = await emulator.createBucket();
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

    it("sends small bodies in one request and large ones by resumable upload", async () => {
      await using proxy = await startProxy();
      const service = createService(await emulator.createBucket(), { apiEndpoint: proxy.url });
      const data = Buffer.alloc(20 * 1024 * 1024, "0123456789abcde").toString("base64");
      await service.saveArtifact({ ...key("big"), artifact: { inlineData: { mimeType: "a/b", data } } });
      await service.saveArtifact({ ...key("small"), ...text("x") });
      const uploads = proxy.seen.filter(({ method }) => method === "POST").map(({ path }) => new URL(path, proxy.url));
      expect(
        uploads.map(({ searchParams }) => [searchParams.get("uploadType"), searchParams.get("ifGenerationMatch")]),
      ).toEqual([
        ["resumable", "0"],
        ["multipart", "0"],
      ]);
      expect((await service.loadArtifact(key("big")))?.inlineData?.data === data).toBe(true);
    });

    it("refuses a number for a large body that another service took", async () => {
      const bucket = await emulator.createBucket();
      const other = createService(bucket);
      let taken = false;
      await using proxy = await startProxy(async ({ path }) => {
        if (path.includes("uploadType=resumable") && !taken) {
          taken = true;
          await other.saveArtifact({ ...key("a"), ...text("theirs") });
        }
        return "forward" as const;
      });
      const service = createService(bucket, { apiEndpoint: proxy.url });
      const data = Buffer.alloc(9 * 1024 * 1024).toString("base64");
      const saved = await service.saveArtifact({ ...key("a"), artifact: { inlineData: { data } } });
      expect(saved.version).toBe(1);
      expect(await service.loadArtifact(key("a"), 0)).toEqual({ text: "theirs" });
      expect((await service.loadArtifact(key("a")))?.inlineData?.data === data).toBe(true);
    });

    it("reads, lists and deletes over several pages", async () => {
      const bucket = await emulator.createBucket();
      const service = createService(bucket, { pageSize: 2 });
      for (const filename of ["a", "b", "user:u"])
        for (const value of ["0", "1", "2"]) await service.saveArtifact({ ...key(filename), ...text(value) });
      expect(await service.listVersions(key("a"))).toEqual({ versions: [0, 1, 2] });
      expect(await service.listArtifactKeys(SESSION)).toEqual({ filenames: ["a", "b", "user:u"] });
      await service.deleteSessionArtifacts(SESSION);
      expect((await emulator.objects(bucket)).map(({ name }) => name)).toEqual(
        ["0", "1", "2"].map((version) => `app/user@x/u/u/${version}`),
      );
    });

    it("leaves an empty object for each young version that is deleted, and of settled ones only for the newest", async () => {
      const bucket = await emulator.createBucket();
      const service = createService(bucket);
      for (const value of ["0", "1", "2"]) await service.saveArtifact({ ...key("a"), ...text(value) });
      const tombstone = (version: number) => ({
        name: `app/user@x/s/session/a/${version}`,
        size: "0",
        contentType: TOMBSTONE_TYPE,
      });
      await service.deleteArtifact(key("a"));
      expect(await emulator.objects(bucket)).toEqual([0, 1, 2].map(tombstone));
      const later = createService(bucket, { clock: new FixedClock(FAR_FUTURE_MS) });
      await later.deleteArtifact(key("a"));
      expect(await emulator.objects(bucket)).toEqual([tombstone(2)]);
      expect((await later.saveArtifact({ ...key("a"), ...text("3") })).version).toBe(3);
      expect(await later.listVersions(key("a"))).toEqual({ versions: [3] });
    });

    it("does not reuse a number that was taken and deleted during a save", async () => {
      const bucket = await emulator.createBucket();
      const other = createService(bucket);
      await other.saveArtifact({ ...key("a"), ...text("first") });
      let done = false;
      await using proxy = await startProxy(async ({ method }) => {
        if (method === "POST" && !done) {
          done = true;
          await other.saveArtifact({ ...key("a"), ...text("theirs") });
          await other.saveArtifact({ ...key("a"), ...text("theirs too") });
          await other.deleteArtifact(key("a"));
        }
        return "forward" as const;
      });
      const service = createService(bucket, { apiEndpoint: proxy.url });
      expect((await service.saveArtifact({ ...key("a"), ...text("mine") })).version).toBe(3);
      expect(await service.listVersions(key("a"))).toEqual({ versions: [3] });
    });

    it("saves once when the answer to the upload is lost", async () => {
      let lost = false;
      await using proxy = await startProxy(({ method }) => {
        if (method !== "POST" || lost) return "forward" as const;
        lost = true;
        return "lose-answer";
      });
      const service = createService(await emulator.createBucket(), { apiEndpoint: proxy.url });
      expect((await service.saveArtifact({ ...key("a"), ...text("x") })).version).toBe(0);
      expect(lost).toBe(true);
      expect(await service.listVersions(key("a"))).toEqual({ versions: [0] });
    });

    it("gets through passing faults of uploads, downloads, listings and deletes", async () => {
      const failed = new Set<string>();
      await using proxy = await startProxy(({ method, path }) => {
        const request = `${method} ${path}`;
        if (failed.has(request)) return "forward";
        failed.add(request);
        return 503;
      });
      const service = createService(await emulator.createBucket(), { apiEndpoint: proxy.url });
      await service.saveArtifact({ ...key("a"), ...text("x") });
      expect(await service.loadArtifact(key("a"))).toEqual({ text: "x" });
      await service.deleteSessionArtifacts(SESSION);
      expect(await service.listVersions(key("a"))).toEqual({ versions: [] });
      expect(new Set(proxy.seen.map(({ method }) => method))).toEqual(new Set(["GET", "POST", "DELETE"]));
    });

    it("has all objects of a tenant below its prefix, where no session of another tenant reaches", async () => {
      const bucket = await emulator.createBucket();
      const service = createService(bucket);
      // Without a reserved name, the first session would contain the objects of the tenant's app `s`.
      const sessions: readonly SessionKey[] = [
        { appName: "tenants", userId: "acme", id: "app" },
        { tenantId: "acme", appName: "s", userId: "app", id: "session" },
        { tenantId: "acme", ...SESSION },
        SESSION,
      ];
      for (const session of sessions)
        for (const filename of ["a", "user:b"]) await service.saveArtifact({ session, filename, ...text("x") });
      const names = async () => (await emulator.objects(bucket)).map(({ name }) => name);
      const ofAcme = [
        "_tenants/acme/app/user@x/s/session/a/0",
        "_tenants/acme/app/user@x/u/b/0",
        "_tenants/acme/s/app/s/session/a/0",
        "_tenants/acme/s/app/u/b/0",
      ];
      expect(await names()).toEqual([
        ...ofAcme,
        "app/user@x/s/session/a/0",
        "app/user@x/u/b/0",
        "tenants/acme/s/app/a/0",
        "tenants/acme/u/b/0",
      ]);
      for (const session of sessions) if (session.tenantId === undefined) await service.deleteSessionArtifacts(session);
      expect(await names()).toEqual([...ofAcme, "app/user@x/u/b/0", "tenants/acme/u/b/0"]);
    });

    it("has no place for names over the store's limit, and finds nothing under them", async () => {
      const bucket = await emulator.createBucket();
      const service = createService(bucket);
      const long = { session: { ...SESSION, id: "日".repeat(85) }, filename: "本".repeat(85) };
      await expect(service.saveArtifact({ ...long, ...text("x") })).rejects.toMatchObject({
        reason: "INVALID_IDENTIFIER",
        details: { field: "filename" },
      });
      expect(await service.loadArtifact(long)).toBeUndefined();
      expect(await service.getArtifactVersion(long, 0)).toBeUndefined();
      expect(await service.listVersions(long)).toEqual({ versions: [] });
      await service.deleteArtifact(long);
      const user = { ...long.session, userId: "本".repeat(85) };
      expect(await service.listArtifactKeys(user)).toEqual({ filenames: [] });
      await service.deleteSessionArtifacts(user);
      expect(await emulator.objects(bucket)).toEqual([]);
    });

    it("signs URLs for versions that exist", async () => {
      await using keyFile = await createKeyFile();
      vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", keyFile.path);
      const service = createService(await emulator.createBucket(), { clock: new FixedClock(Date.now()) });
      await service.saveArtifact({ ...key("a"), ...text("signed") });
      const url = new URL((await service.createSignedUrl(key("a"), { expiresInMs: 60_000 })) ?? "");
      expect(url.searchParams.get("X-Goog-Expires")).toBe("60");
      expect(url.searchParams.get("response-content-disposition")).toBe("attachment; filename*=UTF-8''a");
      expect(await (await fetch(url)).text()).toBe("signed");
      expect(await service.createSignedUrl(key("a"), { version: 1, expiresInMs: 60_000 })).toBeUndefined();
      await service.deleteArtifact(key("a"));
      expect(await service.createSignedUrl(key("a"), { version: 0, expiresInMs: 60_000 })).toBeUndefined();
      for (const expiresInMs of [0, -1, Number.NaN, 8 * 86_400_000])
        await expect(service.createSignedUrl(key("a"), { expiresInMs })).rejects.toMatchObject({
          reason: "INVALID_FIELD",
          details: { field: "expiresInMs" },
        });
    });
  });
}
