import type { Server } from 'node:http';

/** Answers have left by then; what is still open is somebody who sends or reads a byte now and then. */
const laggardsMs = 5_000;

/**
 * Takes no connection any more and resolves when the last one is closed. One that is kept alive would hold the server
 * open after its last answer; one that never ends its request would too, since Node stops counting its time here.
 */
export function stopListening(server: Server, waitMs = laggardsMs): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), 100);
    const end = setTimeout(() => server.closeAllConnections(), waitMs);
    // The error says that it was not listening, which is what is wanted.
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(end);
      resolve();
    });
  });
}
