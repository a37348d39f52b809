import { isRecord } from './isRecord.ts';

// tRPC wraps each answer as `{result:{data}}` and each error as `{error:{data:{reason}}}`. The paying code reads only
// what is inside, so that one implementation sends, resumes and budgets both REST and tRPC calls.

const prefix = '/trpc/';

export function isTrpcPath(path: string): boolean {
  return path.startsWith(prefix);
}

export function toTrpcPath(procedure: string): string {
  return prefix + procedure;
}

/**
 * Returns the answer or the error body, as REST would send it, and tRPC's error object. The body is undefined when
 * there is no envelope, for example in a page of a proxy.
 */
export function unwrapEnvelope(envelope: unknown): { body: unknown; error: unknown } {
  if (!isRecord(envelope)) return { body: undefined, error: undefined };
  const { result, error } = envelope;
  if (isRecord(error) && isRecord(error.data) && isRecord(error.data.reason)) return { body: error.data.reason, error };
  return { body: isRecord(result) ? result.data : undefined, error: undefined };
}
