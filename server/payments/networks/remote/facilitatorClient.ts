import { Readable } from 'node:stream';
import { z } from 'zod';
import { RpcTransportError, readBounded } from '../../../rpc/index.ts';
import { withTimeout } from '../../../time/withTimeout.ts';
import type { RemoteFacilitator } from '../../paymentConfig.ts';
import { createCdpSigner } from './cdpToken.ts';

/** No answer to be believed. The message names no URL and repeats nothing that was answered. */
export class FacilitatorUnansweredError extends Error {
  override readonly name = 'FacilitatorUnansweredError';
  constructor(
    message: string,
    /** The request certainly did not arrive. */
    readonly neverArrived: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const text = z.string().nullish();
const verifyAnswer = z.object({ isValid: z.boolean(), invalidReason: text, payer: text });
const settleAnswer = z.object({
  success: z.boolean(),
  errorReason: text,
  payer: text,
  transaction: text,
  network: text,
});
const supportedAnswer = z.object({
  kinds: z.array(
    z.object({
      x402Version: z.number(),
      scheme: z.string(),
      network: z.string(),
      extra: z.record(z.string(), z.unknown()).nullish(),
    }),
  ),
});

type VerifyAnswer = z.output<typeof verifyAnswer>;
export type SettleAnswer = z.output<typeof settleAnswer>;
type SupportedAnswer = z.output<typeof supportedAnswer>;

/** Request body: the payment as its client sent it, and the offered terms. */
export interface FacilitatorRequest {
  x402Version: 2;
  paymentPayload: unknown;
  paymentRequirements: unknown;
}

export interface FacilitatorClient {
  /** @throws {FacilitatorUnansweredError} */
  verify(question: FacilitatorRequest, signal: AbortSignal): Promise<VerifyAnswer>;
  /** @throws {FacilitatorUnansweredError} */
  settle(question: FacilitatorRequest, signal: AbortSignal): Promise<SettleAnswer>;
  /** @throws {FacilitatorUnansweredError} */
  supported(signal: AbortSignal): Promise<SupportedAnswer>;
}

const maxBytes = 256 * 1024;

/** Error codes of fetch when no connection was made. */
const neverArrivedCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function codeOf(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}

/**
 * The three requests of the x402 facilitator API, with a time and a size limit. No redirect is followed: the
 * credentials would go along.
 *
 * The published client is not used here: it follows redirects, reads without bound, and puts what it was answered
 * into its error messages.
 *
 * @throws {CdpKeyError}
 */
export function createFacilitatorClient(
  { url, headers, cdp }: RemoteFacilitator,
  timeouts: { facilitatorTimeoutMs: number; facilitatorSettleTimeoutMs: number },
): FacilitatorClient {
  const sign = cdp && createCdpSigner(cdp, Date.now);

  async function send(method: 'GET' | 'POST', path: string, body: unknown, signal: AbortSignal): Promise<Response> {
    const target = new URL(`${url}${path}`);
    try {
      return await fetch(target, {
        method,
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
          ...(sign && { authorization: sign(method, target) }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'error',
        signal,
      });
    } catch (cause) {
      // fetch rejects for nothing but the transport: refused, reset, redirected, aborted, timed out.
      const neverArrived = neverArrivedCodes.has(String(codeOf(cause)));
      throw new FacilitatorUnansweredError(`The facilitator's ${path} could not be reached.`, neverArrived, { cause });
    }
  }

  async function ask<T>(
    schema: z.ZodType<T>,
    request: { method: 'GET' | 'POST'; path: string; body?: unknown; timeoutMs: number },
    signal: AbortSignal,
  ): Promise<T> {
    const { method, path, body, timeoutMs } = request;
    return withTimeout(signal, timeoutMs, async (bounded) => {
      const response = await send(method, path, body, bounded);
      try {
        // Some answer a refusal with 200, some with 4xx: what counts is that it is one.
        const text = await readBounded(response.body ?? Readable.from([]), maxBytes, 'The facilitator');
        const parsed = schema.safeParse(JSON.parse(text));
        if (parsed.success && response.status < 500) return parsed.data;
      } catch (error) {
        if (!(error instanceof RpcTransportError) && !(error instanceof SyntaxError)) throw error;
      }
      throw new FacilitatorUnansweredError(
        `The facilitator's ${path} answered HTTP ${response.status} and no verdict.`,
        false,
      );
    });
  }

  const { facilitatorTimeoutMs, facilitatorSettleTimeoutMs } = timeouts;
  return {
    verify: (body, signal) =>
      ask(verifyAnswer, { method: 'POST', path: '/verify', body, timeoutMs: facilitatorTimeoutMs }, signal),
    settle: (body, signal) =>
      ask(settleAnswer, { method: 'POST', path: '/settle', body, timeoutMs: facilitatorSettleTimeoutMs }, signal),
    supported: (signal) =>
      ask(supportedAnswer, { method: 'GET', path: '/supported', timeoutMs: facilitatorTimeoutMs }, signal),
  };
}
