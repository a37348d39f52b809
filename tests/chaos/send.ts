import { setTimeout as sleep } from 'node:timers/promises';
import { type Payment, readTold } from './purses.ts';

export interface Patience {
  tries: number;
  /** Hangs up after so long. */
  attemptMs: number;
}

/** Sends a payment once with a body, and writes down what came; undefined when nothing did. */
export async function sendOnce(
  url: string,
  payment: Payment,
  attemptMs: number,
  body = payment.body,
): Promise<number | undefined> {
  try {
    const response = await fetch(url + payment.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'payment-signature': payment.header },
      body,
      signal: AbortSignal.timeout(attemptMs),
    });
    payment.told.push(await readTold(response, body !== payment.body));
    return response.status;
  } catch {
    // Refused, reset, cut off in the middle, or we hung up: whatever it was, nothing was told.
    return undefined;
  }
}

/** The same signature until it is answered or refused, as the service asks for. */
export async function sendUntilTold(
  url: string,
  payment: Payment,
  { tries, attemptMs }: Patience,
): Promise<number | undefined> {
  let status: number | undefined;
  for (let turn = 0; turn < tries; turn += 1) {
    status = await sendOnce(url, payment, attemptMs);
    if (status !== undefined && status !== 503 && status !== 500 && status !== 429) return status;
    await sleep(500);
  }
  return status;
}
