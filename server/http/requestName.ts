import type { ServerResponse } from 'node:http';

const names = new WeakMap<ServerResponse, string>();

/** Keeps the request's name beside its answer: a header that is written in one go cannot be read back. */
export function noteRequestName(res: ServerResponse, requestId: string): void {
  names.set(res, requestId);
}

/** Undefined where nothing of ours has taken the request up. */
export const requestNameOf = (res: ServerResponse): string | undefined => names.get(res);
