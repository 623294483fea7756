/**
 * Loads a value at the first call and keeps it. A failure is not kept: the next call loads again, so that a temporary
 * fault (no file descriptor, no network) does not last until the process ends.
 */
export function lazy<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined;
  return () => {
    if (loading !== undefined) return loading;
    const attempt = load();
    loading = attempt;
    attempt.catch(() => {
      if (loading === attempt) loading = undefined;
    });
    return attempt;
  };
}
