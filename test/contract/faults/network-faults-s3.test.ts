import { afterAll, describe, it } from "vitest";
import { createS3ArtifactService } from "#adapters/s3/create-s3-artifact-service.ts";
import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InterceptingProxy, type ProxyAction } from "#test/helpers/faults/intercepting-proxy.ts";
import { findS3Server, S3Server } from "#tooling/emulators/s3-server.ts";
import { expectRecovery, type NetworkOperation } from "./network-faults.ts";

const SESSION = { appName: "app", userId: "ada", id: "talk" };
const NOTES = { session: SESSION, filename: "notes.txt" };
const FAULTS: readonly ProxyAction[] = [503, 429, "lose-answer"];

const OPERATIONS: readonly NetworkOperation<ArtifactService, void>[] = [
  {
    name: "save",
    run: (store) => store.saveArtifact({ ...NOTES, artifact: { text: "b" } }).then(({ version }) => version),
    isRepeatable: false,
  },
  { name: "load", run: (store) => store.loadArtifact(NOTES) },
  { name: "list names", run: (store) => store.listArtifactKeys(SESSION) },
  { name: "list numbers", run: (store) => store.listVersions(NOTES) },
  { name: "delete", run: (store) => store.deleteArtifact(NOTES) },
];

const found = await findS3Server();

if ("missing" in found) {
  describe.skip(`S3 that fails once (${found.missing})`);
} else {
  const server = await S3Server.start(found.program);
  afterAll(() => server.stop());

  const open = async () => {
    const { region, credentials } = server;
    const settings = { bucket: await server.createBucket(), region, credentials, pathStyle: true, setting: "endpoint" };
    const clock = new FixedClock();
    let failing: { readonly at: number; readonly action: ProxyAction } | undefined;
    let sent = 0;
    let hasFailed = false;
    const proxy = await InterceptingProxy.start(server.url, () => {
      sent += 1;
      if (failing?.at !== sent) return "forward";
      hasFailed = true;
      return failing.action;
    });
    const opened = createS3ArtifactService({
      ...settings,
      endpoint: server.url,
      clock,
      ids: new SequentialIds("read"),
    });
    const broken = createS3ArtifactService({ ...settings, endpoint: proxy.url, clock, ids: new SequentialIds("save") });
    const { service: direct } = opened;
    const { service: store } = broken;
    return {
      store,
      faults: {
        failCall: (at: number, action: ProxyAction) => {
          failing = { at, action };
          sent = 0;
        },
        heal: () => {
          failing = undefined;
        },
        get hasFailed() {
          return hasFailed;
        },
      },
      stored: async () => [await direct.listVersions(NOTES), await direct.loadArtifact(NOTES)],
      [Symbol.asyncDispose]: async () => {
        opened[Symbol.dispose]();
        broken[Symbol.dispose]();
        await proxy[Symbol.asyncDispose]();
      },
    };
  };
  const prepare = async (store: ArtifactService): Promise<void> => {
    await store.saveArtifact({ ...NOTES, artifact: { text: "a" } });
  };

  describe.each(FAULTS)("a request to S3 that meets %s", (fault) => {
    it.each(OPERATIONS)("leaves everything or nothing of $name, and the next call works", (operation) =>
      expectRecovery({ open, prepare, reasons: ["STORE_UNAVAILABLE"] }, operation, fault),
    );
  });
}
