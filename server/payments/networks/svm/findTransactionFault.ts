import { type Address, address, getU32Decoder, getU64Decoder } from '@solana/kit';
import type { AcceptedTerms } from '../../decodePayment.ts';
import type { SvmTransaction } from './svmTransaction.ts';

/** Why a transaction does not fit: x402's code, and a sentence for the buyer. */
export interface TransactionFault {
  reason: string;
  detail: string;
}

/** Limits the fee that a payer can make us spend to 0.00002 SOL. The package's default limits allow 350 times as much. */
const computeUnitLimit = 200_000;
const computePriceLimit = 50_000n;
/** The fee payer and the payer: each signature costs 5,000 lamports. */
const signatureLimit = 2;

const computeBudget = address('ComputeBudget111111111111111111111111111111');
const memo = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const lighthouse = address('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95');
/** Lighthouse 2.1: AssertAccountInfo, AssertAccountInfoMulti, AssertTokenAccount, AssertTokenAccountMulti. */
const accountGuards = [5, 6, 9, 10];
/** Phantom adds up to three, Solflare two; scheme `exact` requires us to admit them. */
const guardLimit = 3;
const setComputeUnitLimit = 2;
const setComputeUnitPrice = 3;

const fault = (code: string, detail: string): TransactionFault => ({ reason: `invalid_exact_svm_${code}`, detail });

type Instruction = SvmTransaction['message']['instructions'][number];

/**
 * Whether an instruction only asserts on the payer's wallet or on the paying token account. Only transactions change
 * those, as with the balance that the transfer needs. A guard on the clock, a slot or another account could pass in the
 * simulation and later fail on chain, at our cost.
 */
function isAccountGuard({ data, accountIndices = [] }: Instruction, guarded: readonly number[]): boolean {
  const [target = -1] = accountIndices;
  return accountIndices.length === 1 && guarded.includes(target) && accountGuards.includes(data?.[0] ?? -1);
}

/** What may follow the transfer: memos, and the guards that wallets add. */
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
 * What a transaction lacks for the accepted terms; undefined when it fits. Reads only the transaction.
 *
 * We sign it as fee payer, so it may do nothing but the one transfer, and our account may stand in no instruction.
 *
 * @param accounts the token accounts that the transfer must move between.
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
    return fault('payload_excessive_signers', `The transaction asks for more than ${signatureLimit} signatures.`);
  }
  if ('addressTableLookups' in message && message.addressTableLookups?.length) {
    return fault('payload_transaction_could_not_be_decoded', 'Address lookup tables are not taken.');
  }
  if (instructions.length < 3 || instructions.length > 7) {
    return fault('payload_transaction_instructions_length', 'The transaction must have 3 to 7 instructions.');
  }
  const touchesFeePayer = (index: number) => staticAccounts[index] === accounts.feePayer;
  if (instructions.some(({ accountIndices }) => accountIndices?.some(touchesFeePayer))) {
    return fault('payload_transaction_fee_payer_transferring_funds', 'The fee payer may stand in no instruction.');
  }

  const [limit, price] = instructions.map(({ data }) => data);
  if (programOf(0) !== computeBudget || limit?.length !== 5 || limit[0] !== setComputeUnitLimit) {
    return fault('payload_transaction_instructions_compute_limit_instruction', 'First must come SetComputeUnitLimit.');
  }
  if (getU32Decoder().decode(limit, 1) > computeUnitLimit) {
    return fault(
      'payload_transaction_instructions_compute_limit_instruction_too_high',
      `The compute unit limit may be at most ${computeUnitLimit}.`,
    );
  }
  if (programOf(1) !== computeBudget || price?.length !== 9 || price[0] !== setComputeUnitPrice) {
    return fault('payload_transaction_instructions_compute_price_instruction', 'Second must come SetComputeUnitPrice.');
  }
  if (getU64Decoder().decode(price, 1) > computePriceLimit) {
    return fault(
      'payload_transaction_instructions_compute_price_instruction_too_high',
      `The compute unit price may be at most ${computePriceLimit} microlamports.`,
    );
  }

  if (!transfer) return fault('payload_no_transfer_instruction', 'Third must come TransferChecked of SPL Token.');
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
      `The transfer is over ${transfer.amount} units; the price is exactly ${terms.amount}.`,
    );
  }
  return findExtraFault(payment);
}
