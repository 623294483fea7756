import { generateKeyPairSync } from "node:crypto";
import { BigQuery } from "@google-cloud/bigquery";
import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { connectionOptions } from "./google-auth.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const key = {
  type: "service_account",
  client_email: "writer@shop-1.iam.gserviceaccount.com",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
};

it("calls as the given service account", async () => {
  verifies("records:analytics:credentials");
  const client = new BigQuery({ projectId: "shop-1", ...(await connectionOptions(undefined, key)) });
  expect(await client.authClient.getClient()).toMatchObject({ email: key.client_email, key: key.private_key });
});

it("calls a private endpoint with credentials, and one without TLS without them", async () => {
  const kinds = await Promise.all(
    [undefined, "https://bigquery.p.example", "http://127.0.0.1:9050"].flatMap((endpoint) =>
      [undefined, key].map(async (credentials) => {
        const { apiEndpoint, authClient } = await connectionOptions(endpoint, credentials);
        return [apiEndpoint, Object(authClient).constructor.name];
      }),
    ),
  );
  expect(kinds).toEqual([
    [undefined, "Object"],
    [undefined, "JWT"],
    ["https://bigquery.p.example", "Object"],
    ["https://bigquery.p.example", "JWT"],
    ["http://127.0.0.1:9050", "PassThroughClient"],
    ["http://127.0.0.1:9050", "PassThroughClient"],
  ]);
});
