import { type Address, getBase64Decoder, getTransactionEncoder } from '@solana/kit';
import type { ChainCall } from '../../chainCall.ts';
import type { TransactionFault } from './findTransactionFault.ts';
import { simulation } from './nodeAnswers.ts';
import type { SvmTransaction } from './svmTransaction.ts';

/** A transaction error in JSON-RPC: a name, or an object with one. */
type TransactionError = string | { InstructionError?: [number, string | { Custom?: number }] };

export type Simulated =
  | { kind: 'valid' }
  /** Our account cannot pay the fee; the payment itself may be valid. */
  | { kind: 'feePayerEmpty' }
  /** A block already contains this message. The status of its signature shows whether it paid. */
  | { kind: 'alreadyProcessed' }
  | ({ kind: 'refused'; mayHavePaid?: true } & TransactionFault);

const reason = 'invalid_exact_svm_transaction_simulation_failed';
/** `TokenError::InsufficientFunds` of SPL Token. */
const insufficientFunds = 1;
/** The transfer is the third instruction. */
const transferPosition = 2;

function toSimulated(error: TransactionError): Simulated {
  if (error === 'AlreadyProcessed') return { kind: 'alreadyProcessed' };
  // Both concern the fee payer, which is our account, not the payment.
  if (error === 'InsufficientFundsForFee' || error === 'AccountNotFound') return { kind: 'feePayerEmpty' };
  if (error === 'BlockhashNotFound') {
    // Nodes check the age first, so the transaction may have been included while its blockhash was valid.
    const detail =
      'The transaction is too old (its blockhash has expired). If you have sent it before, look up whether it paid before you sign a new one.';
    return { kind: 'refused', reason, detail, mayHavePaid: true };
  }
  const [position, cause] = (typeof error === 'object' && error.InstructionError) || [];
  if (position !== transferPosition) {
    const detail = 'The transaction would fail before or after its transfer: check its guards and compute limits.';
    return { kind: 'refused', reason, detail };
  }
  if (typeof cause === 'object' && cause.Custom === insufficientFunds) {
    const detail =
      'The paying wallet holds less USDC than the price on this network. Fund it, or pay from another wallet.';
    return { kind: 'refused', reason, detail };
  }
  const detail =
    'The token rejects this transfer (no USDC account, or a frozen one). Pay from another wallet or on another network.';
  return { kind: 'refused', reason, detail };
}

/**
 * Simulates the payment at the head of the chain. Our signature is left out, so that a node cannot charge the payer by
 * broadcasting the simulated transaction. The payer's blockhash is kept, so that the node checks its age.
 *
 * @throws {ChainUnreachableError} @throws {JsonRpcError} the simulation has no result
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
  return value.err === null ? { kind: 'valid' } : toSimulated(value.err as TransactionError);
}
