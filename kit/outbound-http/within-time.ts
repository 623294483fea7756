/** Waits for a call of a service, and throws if its answer takes longer than the limit. The call itself is not stopped. */
export async function withinTime<Value>(call: Promise<Value>, timeoutMs: number, service: string): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${service} has not answered within ${timeoutMs} ms.`)), timeoutMs);
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}
