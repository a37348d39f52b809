import { type Address, address } from '@solana/kit';
import type { Chain } from '../../chainCall.ts';
import type { AcceptedTerms } from '../../decodePayment.ts';
import type { PayloadOutcome } from '../../facilitator.ts';
import { openChain } from '../../openChain.ts';
import type { PaymentTimings, SvmNetworkConfig } from '../../paymentConfig.ts';
import type { PaymentVerifier } from '../../paymentVerifier.ts';
import { checkSigners } from './checkSigners.ts';
import { checkSvmNetwork, networkOf } from './checkSvmNetwork.ts';
import { findIncludedTransfer } from './findIncludedTransfer.ts';
import { findTransactionFault } from './findTransactionFault.ts';
import { genesisHash, natural, validity } from './nodeAnswers.ts';
import { readSvmFunds } from './readSvmFunds.ts';
import type { SvmTransaction } from './svmTransaction.ts';
import { tokenAccountOf } from './tokenAccountOf.ts';

export interface SvmVerifier extends PaymentVerifier<SvmTransaction> {
  chain: Pick<Chain, 'call' | 'callVerified' | 'callAllVerified'>;
  /** The token account that receives payments. */
  destination: Promise<Address>;
}

export const expiredOutcome = {
  kind: 'refused',
  reason: 'invalid_exact_svm_transaction_failed',
  detail: 'The transaction expired before a block included it, and moved nothing. Sign a new one.',
} as const;
export const failedOutcome = {
  kind: 'refused',
  reason: 'invalid_exact_svm_transaction_failed',
  detail: 'The transfer failed on chain and moved nothing. Sign a new one.',
} as const;

/** For an expired transaction that this service never sent: an older slot than those searched may contain it. */
const tooOldOutcome = {
  kind: 'refused',
  reason: 'invalid_exact_svm_transaction_failed',
  detail:
    'The transaction is too old (its blockhash has expired). If you have sent it before, look up whether it paid before you sign a new one.',
  mayHavePaid: true,
} as const;

/** Number of blocks for which a blockhash is valid, and so a lower bound in slots: a slot has at most one block. */
const blockhashLifetime = 150n;
/** Slots by which two nodes may differ. */
const lagMargin = 64n;

/** Verifies payments of scheme `exact` on Solana. Positions are slots. */
export function createSvmVerifier(config: SvmNetworkConfig, timings: PaymentTimings): SvmVerifier {
  const mint = address(config.asset);
  const { call, callVerified, callAllVerified, readIdentities } = openChain(config, timings.rpcTimeoutMs, {
    method: 'getGenesisHash',
    shape: genesisHash,
    matches: (networkId) => networkOf(networkId) === config.network,
  });
  const destination = tokenAccountOf(address(config.payTo), mint);
  let checked: Promise<void> | undefined;

  /** The finalized slot, if a blockhash in use at `since` is no longer valid there; undefined if it is valid. */
  async function findExpirySlot({ message }: SvmTransaction, since: bigint): Promise<number | undefined> {
    const finalized = { commitment: 'finalized' };
    const slot = await callVerified('getSlot', [finalized], natural);
    if (BigInt(slot) <= since + blockhashLifetime) return undefined;
    // A node behind this slot may not have the blockhash yet, and would return it as invalid.
    const options = { ...finalized, minContextSlot: slot };
    const { value } = await callVerified('isBlockhashValid', [message.lifetimeToken, options], validity);
    return value ? undefined : slot;
  }

  async function verifyPayload(payment: SvmTransaction, terms: AcceptedTerms): Promise<PayloadOutcome> {
    const { transfer } = payment;
    const fault = findTransactionFault(payment, terms, {
      feePayer: address(String(terms.extra.feePayer)),
      source: transfer && (await tokenAccountOf(transfer.authority, mint)),
      destination: await destination,
    });
    return fault ? { kind: 'invalid', ...fault } : checkSigners(payment);
  }

  const readPosition = async (): Promise<bigint> =>
    BigInt(await callVerified('getSlot', [{ commitment: 'confirmed' }], natural));

  return {
    chain: { call, callVerified, callAllVerified },
    destination,
    check() {
      checked ??= destination
        .then((account) => checkSvmNetwork(call, readIdentities, config, account))
        .catch((error) => {
          checked = undefined;
          throw error;
        });
      return checked;
    },
    verifyPayload,
    isSigned: async (payment, terms) => (await verifyPayload(payment, terms)).kind === 'valid',
    readPosition,
    readFunds: ({ transfer }, open) => readSvmFunds(callVerified, transfer?.source, open),
    hasExpired: async (payment, since) => (await findExpirySlot(payment, since)) !== undefined,
    async readStatus(payment, since) {
      const from = since ?? (await readPosition()) - blockhashLifetime - lagMargin;
      // Read first, so that a transaction included between the two reads is found by the search.
      const expirySlot = await findExpirySlot(payment, from);
      const isExpired = expirySlot !== undefined;
      if (isExpired && since === undefined) return tooOldOutcome;
      const included = await findIncludedTransfer(isExpired ? callVerified : call, payment, from, expirySlot);
      if (included) return included.failed ? failedOutcome : { kind: 'settled', transaction: included.signature };
      return isExpired ? expiredOutcome : { kind: 'unused' };
    },
  };
}
