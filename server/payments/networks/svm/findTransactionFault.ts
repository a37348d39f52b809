import { type Address, address, getU32Decoder, getU64Decoder } from '@solana/kit';
import type { AcceptedTerms } from '../../decodePayment.ts';
import type { SvmTransaction } from './svmTransaction.ts';

/** Why a transaction does not match the terms: x402's code, and a sentence for the payer. */
export interface TransactionFault {
  reason: string;
  detail: string;
}

/** Limit the fee that we pay to 0.00002 SOL. The default limits of @x402/svm allow 350 times as much. */
const computeUnitLimit = 200_000;
const computePriceLimit = 50_000n;
/** The fee payer and the payer: each signature costs 5,000 lamports. */
const signatureLimit = 2;

const computeBudget = address('ComputeBudget111111111111111111111111111111');
const memo = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const lighthouse = address('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95');
/** Lighthouse 2.1: AssertAccountInfo, AssertAccountInfoMulti, AssertTokenAccount, AssertTokenAccountMulti. */
const accountGuards = [5, 6, 9, 10];
/** Phantom adds up to three, Solflare two; scheme `exact` requires us to accept them. */
const guardLimit = 3;
const setComputeUnitLimit = 2;
const setComputeUnitPrice = 3;

const fault = (code: string, detail: string): TransactionFault => ({ reason: `invalid_exact_svm_${code}`, detail });

type Instruction = SvmTransaction['message']['instructions'][number];

/**
 * Whether an instruction only asserts the state of the payer's wallet or of the paying token account. That state changes
 * only by transactions, like the balance. A guard on the clock, a slot or another account could pass in the simulation
 * and fail on chain, at our cost.
 */
function isAccountGuard({ data, accountIndices = [] }: Instruction, guarded: readonly number[]): boolean {
  const [target = -1] = accountIndices;
  return accountIndices.length === 1 && guarded.includes(target) && accountGuards.includes(data?.[0] ?? -1);
}

/** Checks the instructions after the transfer: only memos and the guards that wallets add are allowed. */
function findExtraFault({ message, transfer }: SvmTransaction): TransactionFault | undefined {
  const { staticAccounts, instructions } = message;
  const guarded = [transfer?.authority, transfer?.source].map((account) =>
    account === undefined ? -1 : staticAccounts.indexOf(account),
  );
  let guards = 0;
  for (const instruction of instructions.slice(3)) {
    const program = staticAccounts[instruction.programAddressIndex];
    if (program === memo) continue;
    if (program !== lighthouse) {
      return fault('payload_unknown_optional_instruction', 'Only memos and wallet guards may follow the transfer.');
    }
    guards += 1;
    if (!isAccountGuard(instruction, guarded) || guards > guardLimit) {
      return fault(
        'payload_unknown_optional_instruction',
        `At most ${guardLimit} Lighthouse guards may follow the transfer, each on the payer's wallet or its token account alone (AssertAccountInfo, AssertTokenAccount).`,
      );
    }
  }
  return undefined;
}

/**
 * Compares a transaction with the accepted terms; undefined if it matches. Needs no RPC.
 *
 * We sign as fee payer, so the transaction may contain only the one transfer, and no instruction may use our account.
 *
 * @param accounts our fee payer, and the token accounts of the transfer
 */
export function findTransactionFault(
  payment: SvmTransaction,
  terms: AcceptedTerms,
  accounts: { feePayer: Address; source: Address | undefined; destination: Address },
): TransactionFault | undefined {
  const { message, transfer } = payment;
  const { staticAccounts, instructions, header } = message;
  const programOf = (index: number) => staticAccounts[instructions[index]?.programAddressIndex ?? -1];

  if (staticAccounts[0] !== accounts.feePayer) {
    return fault('fee_payer_mismatch', `The transaction's fee payer must be ${accounts.feePayer}, as offered.`);
  }
  if (header.numSignerAccounts > signatureLimit) {
    return fault(
      'payload_excessive_signers',
      `The transaction requires ${header.numSignerAccounts} signatures; at most ${signatureLimit} are allowed, those of the fee payer and the payer.`,
    );
  }
  if ('addressTableLookups' in message && message.addressTableLookups?.length) {
    return fault(
      'payload_transaction_could_not_be_decoded',
      'Address lookup tables are not supported. Sign a new transaction without them.',
    );
  }
  if (instructions.length < 3 || instructions.length > 7) {
    return fault('payload_transaction_instructions_length', 'The transaction must have 3 to 7 instructions.');
  }
  const touchesFeePayer = (index: number) => staticAccounts[index] === accounts.feePayer;
  if (instructions.some(({ accountIndices }) => accountIndices?.some(touchesFeePayer))) {
    return fault('payload_transaction_fee_payer_transferring_funds', 'No instruction may use the fee payer.');
  }

  const [limit, price] = instructions.map(({ data }) => data);
  if (programOf(0) !== computeBudget || limit?.length !== 5 || limit[0] !== setComputeUnitLimit) {
    return fault(
      'payload_transaction_instructions_compute_limit_instruction',
      'The first instruction must be SetComputeUnitLimit.',
    );
  }
  if (getU32Decoder().decode(limit, 1) > computeUnitLimit) {
    return fault(
      'payload_transaction_instructions_compute_limit_instruction_too_high',
      `The compute unit limit is ${getU32Decoder().decode(limit, 1)}; it may be at most ${computeUnitLimit}.`,
    );
  }
  if (programOf(1) !== computeBudget || price?.length !== 9 || price[0] !== setComputeUnitPrice) {
    return fault(
      'payload_transaction_instructions_compute_price_instruction',
      'The second instruction must be SetComputeUnitPrice.',
    );
  }
  if (getU64Decoder().decode(price, 1) > computePriceLimit) {
    return fault(
      'payload_transaction_instructions_compute_price_instruction_too_high',
      `The compute unit price is ${getU64Decoder().decode(price, 1)} microlamports; it may be at most ${computePriceLimit}.`,
    );
  }

  if (!transfer)
    return fault('payload_no_transfer_instruction', 'The third instruction must be TransferChecked of SPL Token.');
  if (transfer.mint !== terms.asset) return fault('payload_mint_mismatch', `The transfer must be in ${terms.asset}.`);
  if (transfer.destination !== accounts.destination) {
    return fault('payload_recipient_mismatch', `The transfer must go to ${terms.payTo}'s token account.`);
  }
  if (transfer.source !== accounts.source) {
    return fault('payload_no_transfer_instruction', "The transfer must come from its signer's own token account.");
  }
  if (transfer.amount.toString() !== terms.amount) {
    return fault(
      'payload_amount_mismatch',
      `The transfer is for ${transfer.amount} units; the price is exactly ${terms.amount}.`,
    );
  }
  return findExtraFault(payment);
}
