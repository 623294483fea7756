import { PlatformError } from "#kit/errors/platform-error.ts";

export function appNotFound(name: string): PlatformError {
  return new PlatformError("APP_NOT_FOUND", `App not found: ${name}`, { details: { appName: name } });
}
