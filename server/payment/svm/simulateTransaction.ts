import type { ChainCall } from '../chainCall.ts';
import type { TransactionFault } from './findTransactionFault.ts';
import { simulation } from './nodeAnswers.ts';

/** A transaction error in JSON-RPC: a name, or an object with one. */
type TransactionError = string | { InstructionError?: [number, string | { Custom?: number }] };

export type Simulated = { kind: 'fits' } | { kind: 'poor' } | ({ kind: 'refused' } & TransactionFault);

const reason = 'invalid_exact_svm_transaction_simulation_failed';
/** `TokenError::InsufficientFunds` of SPL Token. */
const insufficientFunds = 1;
/** The transfer is the third instruction. */
const transferPosition = 2;

function tell(error: TransactionError): Simulated {
  // Only we can have sent it, so another ledger than this one holds it: it was a payment there.
  if (error === 'AlreadyProcessed') {
    return {
      kind: 'refused',
      reason: 'duplicate_settlement',
      detail: 'This payment has been settled before. Sign a new one.',
    };
  }
  // Both are said of the fee payer, and so of us: the payment is no worse for it.
  if (error === 'InsufficientFundsForFee' || error === 'AccountNotFound') return { kind: 'poor' };
  if (error === 'BlockhashNotFound') {
    const detail = 'The transaction is too old (its blockhash has run out). Sign a new one.';
    return { kind: 'refused', reason, detail };
  }
  const [position, cause] = (typeof error === 'object' && error.InstructionError) || [];
  if (position !== transferPosition) {
    return { kind: 'refused', reason, detail: 'The transaction would fail: look at its guards and limits.' };
  }
  if (typeof cause === 'object' && cause.Custom === insufficientFunds) {
    const detail =
      'The paying wallet holds less USDC than the price on this network. Fund it, or pay from another one.';
    return { kind: 'refused', reason, detail };
  }
  const detail = 'The token refuses this transfer (no USDC account, or a frozen one). Nothing was charged.';
  return { kind: 'refused', reason, detail };
}

/**
 * Tries the signed transaction at the head of the chain, without sending it.
 *
 * `poor`: our own account cannot pay the fee; that is no word about the payment.
 *
 * @param wire base64
 * @throws {ChainUnreachableError} @throws {NodeRefusalError} when there is no verdict.
 */
export async function simulateTransaction(call: ChainCall, wire: string): Promise<Simulated> {
  const options = { encoding: 'base64', commitment: 'confirmed', sigVerify: false, replaceRecentBlockhash: false };
  const { value } = await call('simulateTransaction', [wire, options], simulation);
  return value.err === null ? { kind: 'fits' } : tell(value.err as TransactionError);
}
