import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** One request to send, with its expected status. */
export interface Arrival {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
  paymentSignature?: string;
  status: number;
}

export interface Answered {
  /** Latency from the due time in milliseconds, so that queueing at a slow server counts. */
  took: number;
  /** `refused`: 503, without a loss for the client. */
  came: 'right' | 'refused' | 'wrong';
  /** The path and the received status; 0 without a response. */
  what: string;
}

/** Interval of the scheduler: everything that is due by then is sent. */
const tickMs = 10;

function send(url: string, agent: Agent, { method, path, body = '', paymentSignature }: Arrival): Promise<number> {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(paymentSignature && { 'payment-signature': paymentSignature }),
  };
  return new Promise((resolve) => {
    const going = request(url + path, { method, agent, headers: method === 'GET' ? {} : headers }, (answer) => {
      answer.resume();
      answer.on('close', () => resolve(answer.complete ? (answer.statusCode ?? 0) : 0));
    });
    going.on('error', () => resolve(0));
    going.end(method === 'GET' ? undefined : body);
  });
}

function judge(came: number, expected: number): Answered['came'] {
  if (came === expected) return 'right';
  return came === 503 ? 'refused' : 'wrong';
}

/**
 * Sends requests at a fixed rate, whether or not earlier ones have been answered.
 *
 * @param next returns the next request
 * @param heard called with each response
 */
export async function openLoop(options: {
  url: string;
  perSecond: number;
  seconds: number;
  next: () => Arrival;
  heard: (answered: Answered) => void;
}): Promise<void> {
  const { url, perSecond, seconds, next, heard } = options;
  const agent = new Agent({ keepAlive: true });
  const startedAt = performance.now();
  const under = new Set<Promise<void>>();
  const all = Math.floor(perSecond * seconds);
  for (let sent = 0; sent < all; await sleep(tickMs)) {
    const due = Math.min(all, Math.floor(((performance.now() - startedAt) / 1000) * perSecond));
    for (; sent < due; sent += 1) {
      const dueAt = startedAt + (sent / perSecond) * 1000;
      const arrival = next();
      const going = send(url, agent, arrival).then((status) => {
        const took = performance.now() - dueAt;
        heard({ took, came: judge(status, arrival.status), what: `${arrival.path} ${status}` });
        under.delete(going);
      });
      under.add(going);
    }
  }
  await Promise.all(under);
  agent.destroy();
}
