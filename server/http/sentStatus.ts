import type { ServerResponse } from 'node:http';

/**
 * The status sent to the client; undefined if the client disconnected first. A response written to a closed connection
 * still reports `headersSent` and `writableFinished`, so `req.aborted` decides.
 */
export const sentStatus = (res: ServerResponse): number | undefined =>
  res.headersSent && !res.req.aborted ? res.statusCode : undefined;

/** Whether the whole response was written to the connection; whether it arrived is unknown. */
export const isFullySent = (res: ServerResponse): boolean => sentStatus(res) !== undefined && res.writableFinished;
