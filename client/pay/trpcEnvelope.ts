import { isRecord } from './isRecord.ts';

// tRPC wraps each answer as `{result:{data}}` and each error as `{error:{data:{reason}}}`. The payment code reads only the
// inner value, so that one implementation serves REST and tRPC calls.

const prefix = '/trpc/';

export function isTrpcPath(path: string): boolean {
  return path.startsWith(prefix);
}

export function toTrpcPath(procedure: string): string {
  return prefix + procedure;
}

/**
 * Returns the answer or the error body, as on REST, and tRPC's error object. The body is undefined without an envelope,
 * for example for a proxy's page.
 */
export function unwrapEnvelope(envelope: unknown): { body: unknown; error: unknown } {
  if (!isRecord(envelope)) return { body: undefined, error: undefined };
  const { result, error } = envelope;
  if (isRecord(error) && isRecord(error.data) && isRecord(error.data.reason)) return { body: error.data.reason, error };
  return { body: isRecord(result) ? result.data : undefined, error: undefined };
}
