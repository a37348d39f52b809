import type { Response } from './outcome.ts';
import type { PaymentSession } from './paymentSession.ts';
import { type Attempt, send } from './send.ts';
import { isTrpcPath, unwrapEnvelope } from './trpcEnvelope.ts';

export interface Call {
  path: string;
  /** JSON */
  body: string;
}

/**
 * Sends a call to the configured service, with or without a payment, and unwraps the answer of tRPC.
 * @param endsEarly whether a retryable response ends the retries
 */
export async function post(
  session: PaymentSession,
  call: Call & { paymentSignature?: string },
  endsEarly?: (response: Response) => Promise<boolean>,
): Promise<Attempt> {
  const unwrap = (attempt: Attempt): Attempt => {
    if (attempt.kind === 'lost' || !isTrpcPath(call.path)) return attempt;
    return { ...attempt, body: unwrapEnvelope(attempt.body).body };
  };
  const attempt = await send({
    ...call,
    fetch: session.fetch,
    url: session.url + call.path,
    retry: session.retry,
    signal: session.signal,
    onWait: (waitMs, attempt) => {
      const reason = attempt.kind === 'lost' ? 'the connection was lost' : `the service returned ${attempt.status}`;
      session.onProgress({ stage: 'waiting', waitMs, reason });
    },
    endsEarly: async (attempt) => {
      const response = unwrap(attempt);
      return response.kind === 'response' && (await endsEarly?.(response)) === true;
    },
  });
  if (attempt.kind === 'response' && isTrpcPath(call.path)) session.onTrpcError?.(unwrapEnvelope(attempt.body).error);
  return unwrap(attempt);
}
