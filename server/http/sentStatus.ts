import type { ServerResponse } from 'node:http';

/**
 * The status that a client was sent; undefined where it was gone before. A response that is written to nobody says that
 * it was sent and finished, so the request is asked: Node marks one that was cut.
 */
export const sentStatus = (res: ServerResponse): number | undefined =>
  res.headersSent && !res.req.aborted ? res.statusCode : undefined;

/** Whether the client had all of its answer, as far as this side can tell. */
export const hasAll = (res: ServerResponse): boolean => sentStatus(res) !== undefined && res.writableFinished;
