import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** One request, with its expected status. */
export interface Arrival {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
  paymentSignature?: string;
  status: number;
}

/** The outcome of one request. */
export interface Answered {
  /** Latency in milliseconds from the time at which the request was due, so that queueing at a slow server counts. */
  took: number;
  /** `refused`: a 503 where another status was expected. */
  outcome: 'expected' | 'refused' | 'unexpected';
  /** Path and received status; status 0 without a response. */
  what: string;
}

/** Interval in which the scheduler sends the requests that are due. */
const tickMs = 10;

/** @returns the status; 0 without a complete response */
function send(url: string, agent: Agent, { method, path, body = '', paymentSignature }: Arrival): Promise<number> {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(paymentSignature && { 'payment-signature': paymentSignature }),
  };
  return new Promise((resolve) => {
    const outgoing = request(url + path, { method, agent, headers: method === 'GET' ? {} : headers }, (answer) => {
      answer.resume();
      answer.on('close', () => resolve(answer.complete ? (answer.statusCode ?? 0) : 0));
    });
    outgoing.on('error', () => resolve(0));
    outgoing.end(method === 'GET' ? undefined : body);
  });
}

function outcomeOf(status: number, expected: number): Answered['outcome'] {
  if (status === expected) return 'expected';
  return status === 503 ? 'refused' : 'unexpected';
}

/**
 * Sends requests at a fixed rate, without waiting for earlier responses. Resolves after the last response.
 *
 * @param options.next returns the next request
 * @param options.onAnswer called with each outcome
 */
export async function openLoop(options: {
  url: string;
  perSecond: number;
  seconds: number;
  next: () => Arrival;
  onAnswer: (answered: Answered) => void;
}): Promise<void> {
  const { url, perSecond, seconds, next, onAnswer } = options;
  const agent = new Agent({ keepAlive: true });
  const startedAt = performance.now();
  const pending = new Set<Promise<void>>();
  const total = Math.floor(perSecond * seconds);
  for (let sent = 0; sent < total; await sleep(tickMs)) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1000) * perSecond));
    for (; sent < due; sent += 1) {
      const dueAt = startedAt + (sent / perSecond) * 1000;
      const arrival = next();
      const answered = send(url, agent, arrival).then((status) => {
        const took = performance.now() - dueAt;
        onAnswer({ took, outcome: outcomeOf(status, arrival.status), what: `${arrival.path} ${status}` });
        pending.delete(answered);
      });
      pending.add(answered);
    }
  }
  await Promise.all(pending);
  agent.destroy();
}
