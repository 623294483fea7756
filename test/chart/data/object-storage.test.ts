import { describe, expect, it } from "vitest";
import { SERVICE_NAMES } from "#shared/security/call-graph.ts";
import { environmentOf, podOf } from "../pods.ts";
import { render, tools } from "../render.ts";
import { secretsOf } from "../secret-mounts.ts";

const AZURE = { stores: { artifact: "azure" }, objectStorage: { containerUrl: "https://a.blob.core.windows.net/f" } };
const S3 = { stores: { artifact: "s3" }, objectStorage: { bucket: "files" } };

type Objects = Awaited<ReturnType<typeof render>>;

/** The variables and files of the services that have any for object storage. */
function storageOf(objects: Objects) {
  const entries = SERVICE_NAMES.map((name) => {
    const environment = Object.entries(environmentOf(podOf(objects, name)));
    const variables = environment.filter(([key]) => /^(?:S3|AZURE)_/.test(key));
    const files = Object.entries(secretsOf(objects, name)).filter(([path]) => path.startsWith("object-storage/"));
    return [name, Object.fromEntries([...variables, ...files])] as const;
  });
  return Object.fromEntries(entries.filter(([, settings]) => Object.keys(settings).length > 0));
}

function egressOf(objects: Objects, name: string): string {
  return JSON.stringify(objects.find(({ kind, metadata }) => kind === "NetworkPolicy" && metadata.name.endsWith(name)));
}

describe.skipIf(tools.helm === undefined)("artifacts on S3 and Azure", () => {
  it("have no settings while the store is another one", async () => {
    expect(storageOf(await render())).toEqual({});
  });

  it("are AWS's with the role of the pods by default", async () => {
    const objects = await render(S3);
    expect(storageOf(objects)).toEqual({
      artifact: { S3_BUCKET: "files", S3_REGION: "us-east-1", S3_PATH_STYLE: "false" },
    });
    expect(environmentOf(podOf(objects, "artifact"))).toMatchObject({ ARTIFACT_STORE: "s3" });
    expect(egressOf(objects, "-artifact")).toContain('"port":443');
    expect(egressOf(objects, "-artifact")).toContain("169.254.170.23/32");
  });

  it("can be on any server, with keys in files", async () => {
    const objects = await render({
      ...S3,
      objectStorage: {
        bucket: "files",
        endpoint: "https://minio.internal:9000",
        port: 9000,
        region: "eu",
        pathStyle: true,
        kmsKeyId: "key",
        existingSecret: { name: "minio", secretAccessKeyKey: "secret" },
      },
      networkPolicy: { objectStorage: { to: [{ ipBlock: { cidr: "10.1.2.3/32" } }] } },
    });
    expect(storageOf(objects)).toEqual({
      artifact: {
        S3_BUCKET: "files",
        S3_ENDPOINT: "https://minio.internal:9000",
        S3_REGION: "eu",
        S3_PATH_STYLE: "true",
        S3_KMS_KEY_ID: "key",
        S3_ACCESS_KEY_ID_FILE: "/run/fairlead/object-storage/access-key-id",
        S3_SECRET_ACCESS_KEY_FILE: "/run/fairlead/object-storage/secret-access-key",
        "object-storage/access-key-id": "minio/accessKeyId",
        "object-storage/secret-access-key": "minio/secret",
      },
    });
    const egress = egressOf(objects, "-artifact");
    expect([egress.includes('"port":9000'), egress.includes("10.1.2.3/32")]).toEqual([true, true]);
    expect(egress).not.toContain("169.254.170.23");
    expect(egressOf(objects, "-memory")).not.toContain("9000");
  });

  it("take the role of an annotation of the ServiceAccount", async () => {
    const annotations = { "eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/files" };
    const objects = await render({ ...S3, artifact: { serviceAccount: { annotations } } });
    const accounts = objects.filter(({ kind }) => kind === "ServiceAccount");
    expect(accounts.find(({ metadata }) => metadata.name.endsWith("artifact"))?.metadata.annotations).toEqual(
      annotations,
    );
  });

  it("can be on Azure, with an identity or an account key", async () => {
    const objects = await render(AZURE);
    expect(storageOf(objects)).toEqual({ artifact: { AZURE_CONTAINER_URL: "https://a.blob.core.windows.net/f" } });
    expect(egressOf(objects, "-artifact")).toContain('"port":443');
    expect(egressOf(objects, "-artifact")).not.toContain("169.254.170.23");
    const existingSecret = { name: "files", accountKeyKey: "key" };
    const withKey = await render({ ...AZURE, objectStorage: { ...AZURE.objectStorage, existingSecret } });
    expect(storageOf(withKey)["artifact"]).toMatchObject({
      AZURE_ACCOUNT_KEY_FILE: "/run/fairlead/object-storage/account-key",
      "object-storage/account-key": "files/key",
    });
  });

  it.each([
    [{ stores: { artifact: "azure" } }, "objectStorage.containerUrl is empty"],
    [{ objectStorage: AZURE.objectStorage }, "objectStorage.containerUrl is set, and stores.artifact is gcs"],
    [{ ...AZURE, objectStorage: { containerUrl: "https://a.example/f?sig=x" } }, "containerUrl"],
    [{ stores: { artifact: "s3" } }, "objectStorage.bucket is empty"],
    [{ objectStorage: { bucket: "files" } }, "objectStorage.bucket is set, and stores.artifact is gcs"],
    [{ ...S3, objectStorage: { bucket: "files", endpoint: "minio:9000" } }, "endpoint"],
    [{ stores: { session: "s3" } }, "session"],
  ])("are refused with %o", async (values, message) => {
    await expect(render(values)).rejects.toThrow(message);
  });
});
