import { type Address, getBase64Decoder, getTransactionEncoder } from '@solana/kit';
import type { ChainCall } from '../../chainCall.ts';
import type { TransactionFault } from './findTransactionFault.ts';
import { simulation } from './nodeAnswers.ts';
import type { SvmTransaction } from './svmTransaction.ts';

/** A transaction error in JSON-RPC: a name, or an object with one. */
type TransactionError = string | { InstructionError?: [number, string | { Custom?: number }] };

export type Simulated =
  | { kind: 'fits' }
  | { kind: 'feePayerEmpty' }
  /** A block holds this very message already. Only the status of its signature shows what it did. */
  | { kind: 'alreadyProcessed' }
  | ({ kind: 'refused'; mayHavePaid?: true } & TransactionFault);

const reason = 'invalid_exact_svm_transaction_simulation_failed';
/** `TokenError::InsufficientFunds` of SPL Token. */
const insufficientFunds = 1;
/** The transfer is the third instruction. */
const transferPosition = 2;

function tell(error: TransactionError): Simulated {
  if (error === 'AlreadyProcessed') return { kind: 'alreadyProcessed' };
  // Both are said of the fee payer, and so of us: the payment is no worse for it.
  if (error === 'InsufficientFundsForFee' || error === 'AccountNotFound') return { kind: 'feePayerEmpty' };
  if (error === 'BlockhashNotFound') {
    // It may have landed while its blockhash was valid: nodes check the age first.
    const detail =
      'The transaction is too old (its blockhash has run out). If you have sent it before, look it up before you sign a new one.';
    return { kind: 'refused', reason, detail, mayHavePaid: true };
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
  const detail = 'The token rejects this transfer (no USDC account, or a frozen one).';
  return { kind: 'refused', reason, detail };
}

/**
 * Simulates the payment at the head of the chain, without the fee payer's signature: a node that broadcasts what it
 * simulates cannot charge the payer. The blockhash stays the payer's own, so that its age is checked.
 *
 * `feePayerEmpty`: our own account cannot pay the fee; the payment itself may be valid.
 *
 * @throws {ChainUnreachableError} @throws {JsonRpcError} when there is no verdict.
 */
export async function simulateTransaction(
  call: ChainCall,
  { transaction }: SvmTransaction,
  feePayer: Address,
): Promise<Simulated> {
  const unsigned = { ...transaction, signatures: { ...transaction.signatures, [feePayer]: null } };
  const wire = getBase64Decoder().decode(getTransactionEncoder().encode(unsigned));
  const options = { encoding: 'base64', commitment: 'confirmed', sigVerify: false, replaceRecentBlockhash: false };
  const { value } = await call('simulateTransaction', [wire, options], simulation);
  return value.err === null ? { kind: 'fits' } : tell(value.err as TransactionError);
}
