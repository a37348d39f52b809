import type { Server } from 'node:http';

/** All regular responses are complete by then; connections that are still open transfer only occasional bytes. */
const closeAfterMs = 5_000;

/**
 * Accepts no more connections and resolves when the last one is closed. Idle keep-alive connections are closed at once.
 * Incomplete requests are cut after `waitMs`, because Node stops enforcing request timeouts on a closing server.
 */
export function stopListening(server: Server, waitMs = closeAfterMs): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), 100);
    const end = setTimeout(() => server.closeAllConnections(), waitMs);
    // The only error is ERR_SERVER_NOT_RUNNING, which is fine here.
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(end);
      resolve();
    });
  });
}
