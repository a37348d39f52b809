import type { Server } from 'node:http';

/** Regular responses are complete by then; connections that are still open belong to slow clients. */
const closeAfterMs = 5_000;

/**
 * Accepts no more connections and resolves when the last one is closed. Idle keep-alive connections are closed at once.
 * Remaining connections are closed after `waitMs`, because Node stops enforcing request timeouts on a closing server.
 */
export function stopListening(server: Server, waitMs = closeAfterMs): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), 100);
    const end = setTimeout(() => server.closeAllConnections(), waitMs);
    // The only possible error is ERR_SERVER_NOT_RUNNING: there is nothing to stop.
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(end);
      resolve();
    });
  });
}
