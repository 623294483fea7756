// Runs in a gateway's pod, and prints what the gateway sends to a runner: the texts of a run's start and cancellation.
// Its only argument is the run as JSON.
import { systemClock as clock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { silentLogger as logger } from "#kit/platform/logger.ts";
import { gatewayProcessConfigSchema } from "#services/gateway/config.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { openServiceSecurity } from "#shared/grpc/service-security.ts";
import type { OwnRun } from "./attack-order.ts";
import { signOwnRun } from "./own-run-texts.ts";

// The test that starts this program writes it.
const run = JSON.parse(process.argv.at(-1) ?? "") as Pick<OwnRun, "session" | "runId">;
const config = loadConfig(gatewayProcessConfigSchema, process.env);
using gateway = openServiceSecurity({ config, self: "gateway", clock, ids: new UuidV7Generator(), logger });
process.stdout.write(JSON.stringify(signOwnRun(gateway, run)));
