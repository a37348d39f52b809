import { Readable } from 'node:stream';
import { z } from 'zod';
import { RpcTransportError, readBounded } from '../../../rpc/index.ts';
import { withTimeout } from '../../../time/withTimeout.ts';
import type { RemoteFacilitator } from '../../paymentConfig.ts';
import { createCdpSigner } from './cdpToken.ts';

/** The facilitator returned no valid response. The message contains neither its URL nor its response. */
export class FacilitatorUnansweredError extends Error {
  override readonly name = 'FacilitatorUnansweredError';
  constructor(
    message: string,
    /** No connection was made, so the facilitator did not receive the request. */
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
  verify(request: FacilitatorRequest, signal: AbortSignal): Promise<VerifyAnswer>;
  /** @throws {FacilitatorUnansweredError} */
  settle(request: FacilitatorRequest, signal: AbortSignal): Promise<SettleAnswer>;
  /** @throws {FacilitatorUnansweredError} */
  supported(signal: AbortSignal): Promise<SupportedAnswer>;
}

const maxBytes = 256 * 1024;

/** Error codes of `fetch` without a connection. */
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
 * Sends the three requests of the x402 facilitator API, with timeouts and a size limit. Redirects are not followed,
 * because they would receive the credentials.
 *
 * x402's client is not used: it follows redirects, reads responses of any size, and copies them into error messages.
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
      // `fetch` rejects only because of the transport: refused, reset, redirected, aborted, timed out.
      const neverArrived = neverArrivedCodes.has(String(codeOf(cause)));
      throw new FacilitatorUnansweredError(`The request to the facilitator's ${path} failed.`, neverArrived, { cause });
    }
  }

  async function request<T>(
    schema: z.ZodType<T>,
    { method, path, body, timeoutMs }: { method: 'GET' | 'POST'; path: string; body?: unknown; timeoutMs: number },
    signal: AbortSignal,
  ): Promise<T> {
    return withTimeout(signal, timeoutMs, async (bounded) => {
      const response = await send(method, path, body, bounded);
      try {
        // Accepts 4xx with a valid body, because some facilitators return a refusal with 200 and some with 4xx.
        const text = await readBounded(response.body ?? Readable.from([]), maxBytes, 'The facilitator');
        const parsed = schema.safeParse(JSON.parse(text));
        if (parsed.success && response.status < 500) return parsed.data;
      } catch (error) {
        if (!(error instanceof RpcTransportError) && !(error instanceof SyntaxError)) throw error;
      }
      throw new FacilitatorUnansweredError(
        `The facilitator's ${path} returned HTTP ${response.status} without a valid result.`,
        false,
      );
    });
  }

  const { facilitatorTimeoutMs, facilitatorSettleTimeoutMs } = timeouts;
  return {
    verify: (body, signal) =>
      request(verifyAnswer, { method: 'POST', path: '/verify', body, timeoutMs: facilitatorTimeoutMs }, signal),
    settle: (body, signal) =>
      request(settleAnswer, { method: 'POST', path: '/settle', body, timeoutMs: facilitatorSettleTimeoutMs }, signal),
    supported: (signal) =>
      request(supportedAnswer, { method: 'GET', path: '/supported', timeoutMs: facilitatorTimeoutMs }, signal),
  };
}
