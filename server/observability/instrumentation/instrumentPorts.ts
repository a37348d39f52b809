import {
  type AnswerShare,
  ChainUnavailableError,
  DeadlineExceededError,
  type Engine,
  type PretradeChecker,
  type RpcEndpoint,
  RpcTransportError,
} from '../../../engine/index.ts';
import type { PaymentLedger } from '../../payments/index.ts';
import type { Instrumentation } from './instrumentation.ts';

const engineFailure = (error: unknown): string => {
  if (error instanceof ChainUnavailableError) return 'chain unavailable';
  return error instanceof DeadlineExceededError ? 'deadline' : 'failed';
};

const rpcFailure = (error: unknown, signal: AbortSignal): string => {
  // Another node was faster, or the caller disconnected: not a failure of this node.
  if (signal.aborted) return 'given up';
  if (!(error instanceof RpcTransportError)) return 'failed';
  if (error.limited || error.retryAfterMs !== undefined) return 'limited';
  return error.answered ? 'garbled' : 'unreachable';
};

/**
 * Instruments an endpoint.
 * @param of chain or network, a metric label
 * @param endpoint position of its URL in the list, from 1
 */
export function instrumentEndpoint(
  instrumentation: Instrumentation,
  of: string,
  endpoint: number,
  port: RpcEndpoint,
): RpcEndpoint {
  const { label, pace } = port;
  return {
    label,
    ...(pace && { pace }),
    send: (calls, { signal }) =>
      instrumentation.span({ phase: 'rpc', of, endpoint }, () => port.send(calls, { signal }), {
        failed: (error) => rpcFailure(error, signal),
      }),
  };
}

/** Instruments the engine. */
export function instrumentEngine<Port extends Engine & PretradeChecker>(
  instrumentation: Instrumentation,
  port: Port,
): Port {
  const labels = { failed: engineFailure };
  return {
    ...port,
    quote: (query, options) =>
      instrumentation.span({ phase: 'engine', of: 'quote' }, () => port.quote(query, options), labels),
    check: (query, options) =>
      instrumentation.span({ phase: 'engine', of: 'check' }, () => port.check(query, options), labels),
    reach: (chain, product) =>
      instrumentation.span({ phase: 'engine', of: 'reach' }, () => port.reach(chain, product), labels),
    readCode: (chain, address) =>
      instrumentation.span({ phase: 'engine', of: 'read code' }, () => port.readCode(chain, address), labels),
  };
}

/** Instruments each step of the ledger. */
export function instrumentLedger(instrumentation: Instrumentation, port: PaymentLedger): PaymentLedger {
  const step =
    <Args extends unknown[], T>(of: string, work: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      instrumentation.span({ phase: 'store', of }, () => work(...args));
  return {
    load: step('load', port.load),
    isHeldElsewhere: step('is held elsewhere', port.isHeldElsewhere),
    claim: step('claim', port.claim),
    journal: step('journal', port.journal),
    journalAll: step('journal', port.journalAll),
    journalNext: step('journal', port.journalNext),
    loadOpenTransactions: step('load open transactions', port.loadOpenTransactions),
    settled: step('settled', port.settled),
    lost: step('lost', port.lost),
    hasPaid: step('has paid', port.hasPaid),
    hasTrial: step('has trial', port.hasTrial),
    claimTrial: step('claim trial', port.claimTrial),
    refused: step('refused', port.refused),
    forget: step('forget', port.forget),
    takeRefused: step('take refused', port.takeRefused),
    foundPaid: step('found paid', port.foundPaid),
    foundExpired: step('found over', port.foundExpired),
    answered: step('answered', port.answered),
    failed: step('failed', port.failed),
    reserve: step('reserve', port.reserve),
    loadReserved: step('load reserved', port.loadReserved),
    pausePayer: step('pause payer', port.pausePayer),
    takeGas: step('take gas', port.takeGas),
    returnGas: step('return gas', port.returnGas),
    release: step('release', port.release),
    loadHeldCredits: step('load held credits', port.loadHeldCredits),
    takeOverUnfinished: step('take over', port.takeOverUnfinished),
    loadPaid: step('load paid', port.loadPaid),
    loadIdentified: step('load identified', port.loadIdentified),
    claimIdentifier: step('claim identifier', port.claimIdentifier),
  };
}

/** Instruments shared answers; the outcome `found` is an answer of another replica. */
export function instrumentShare(instrumentation: Instrumentation, port: AnswerShare): AnswerShare {
  return {
    ...port,
    load: (queryKey) =>
      instrumentation.span({ phase: 'store', of: 'shared answer' }, () => port.load(queryKey), {
        ended: (found) => (found ? 'found' : 'none'),
      }),
  };
}
