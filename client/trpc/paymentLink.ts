import { TRPCClientError, type TRPCLink } from '@trpc/client';
import type { inferRouterError } from '@trpc/server';
import { observable } from '@trpc/server/observable';
import {
  AnswerPendingError,
  PaymentRefusedError,
  type PendingCall,
  RequestRefusedError,
  TruefillError,
  UnavailableError,
} from '../errors.ts';
import { type Bought, buy, redeem } from '../pay/buy.ts';
import { isRecord } from '../pay/isRecord.ts';
import { openSession, type PaymentOptions } from '../pay/paymentOptions.ts';
import type { PaymentSession } from '../pay/paymentSession.ts';
import { toTrpcPath } from '../pay/trpcEnvelope.ts';
import type { AppRouter } from './appRouter.ts';

export type PaymentLinkOptions = PaymentOptions;

/** The part of tRPC's `Operation` that is used. */
interface Operation {
  id: number;
  path: string;
  input: unknown;
  context: Record<string, unknown>;
  signal?: AbortSignal | null | undefined;
}

/**
 * A terminating tRPC link that pays for each call. It sends, resumes and limits payments like `createTruefillClient`.
 *
 * Each failure is a `TRPCClientError` with one of this package's errors as its `cause`. If `error.cause` is an
 * `AnswerPendingError`, repeat the call with `{ context: { pending: error.cause.pending } }`: it sends the same signature
 * and pays nothing more.
 *
 * @example
 * const trpc = createTRPCClient<AppRouter>({ links: [paymentLink({ url, wallet, spendLimit: { totalUsd: 5 } })] });
 * const quote = await trpc.quote.mutate({ tokenIn, tokenOut, sizeIn: '2.5' });
 */
export function paymentLink(options: PaymentLinkOptions): TRPCLink<AppRouter> {
  const session = openSession(options);
  const payAndReport = async (call: PaymentSession, op: Operation, resumable: PendingCall | undefined) => {
    const { answer, receipt } = await payFor(call, op, resumable);
    options.onReceipt?.(receipt);
    return answer;
  };
  return () => {
    // retryLink passes the same operation again: resume its payment, because a new one would be charged again.
    const unanswered = new Map<number, PendingCall>();
    return ({ op }) =>
      observable((observer) => {
        let shape: unknown;
        const onTrpcError = (error: unknown) => {
          shape = error;
        };
        payAndReport({ ...session, signal: op.signal ?? undefined, onTrpcError }, op, unanswered.get(op.id)).then(
          (data) => {
            unanswered.delete(op.id);
            observer.next({ result: { type: 'data', data } });
            observer.complete();
          },
          (error: unknown) => {
            const pending = pendingOf(error);
            if (pending) unanswered.set(op.id, pending);
            observer.error(toClientError(error, shape));
          },
        );
      });
  };
}

/** The payment that a retry of the call sends again. */
function pendingOf(error: unknown): PendingCall | undefined {
  return error instanceof AnswerPendingError || error instanceof UnavailableError ? error.pending : undefined;
}

async function payFor(session: PaymentSession, op: Operation, resumable: PendingCall | undefined): Promise<Bought> {
  const pending = resumable ?? op.context.pending;
  return pending === undefined
    ? buy(session, toTrpcPath(op.path), op.input)
    : redeem(session, assertSameCall(pending, op));
}

/** @throws {TruefillError} `pending` belongs to another call: its answer must not be returned for this one */
function assertSameCall(pending: unknown, { path, input }: Operation): PendingCall {
  const call = isRecord(pending) ? (pending as unknown as PendingCall) : undefined;
  if (call?.path === toTrpcPath(path) && call.body === JSON.stringify(input)) return call;
  throw new TruefillError(
    `context.pending is not for this call: expected path ${toTrpcPath(path)} and body ${JSON.stringify(input)}, got ${call?.path} and ${call?.body}. Nothing was sent. Call the procedure of pending.path with JSON.parse(pending.body), or use resume() of createTruefillClient.`,
  );
}

/**
 * Attaches the server's error shape only if the error reports that response: a local error must not have the shape of an
 * earlier response.
 */
function toClientError(error: unknown, shape: unknown): TRPCClientError<AppRouter> {
  const cause = error instanceof Error ? error : new TruefillError(String(error));
  const reported = cause instanceof AnswerPendingError ? cause.cause : cause;
  const isReported =
    reported instanceof RequestRefusedError ||
    reported instanceof PaymentRefusedError ||
    reported instanceof UnavailableError;
  if (!isReported || !isRecord(shape)) return new TRPCClientError(cause.message, { cause });
  const result = { error: shape as unknown as inferRouterError<AppRouter> };
  return new TRPCClientError(cause.message, { cause, result });
}
