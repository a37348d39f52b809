import { address } from '@solana/kit';
import type { Chain } from '../../chainCall.ts';
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
  chain: Pick<Chain, 'call' | 'callVerified'>;
}

export const expiredOutcome = {
  kind: 'refused',
  reason: 'invalid_exact_svm_transaction_failed',
  detail: 'No block took the transaction before it ran out, and none can now. Sign a new one.',
} as const;
export const failedOutcome = {
  kind: 'refused',
  reason: 'invalid_exact_svm_transaction_failed',
  detail: 'The transfer failed on chain and moved nothing. Sign a new one.',
} as const;

/** For a transaction that this service never sent: it may have landed outside the searched slots. */
const tooOldOutcome = {
  kind: 'refused',
  reason: 'invalid_exact_svm_transaction_failed',
  detail:
    'The transaction is too old (its blockhash has run out). If you have sent it before, look it up before you sign a new one.',
  mayHavePaid: true,
} as const;

/** A blockhash can be used for so many blocks; a slot holds one at most. */
const blockhashLifetime = 150n;
/** Two nodes may differ by this many slots. */
const lagMargin = 64n;

/** Sees payments of scheme `exact` on Solana. Its positions are slots. */
export function createSvmVerifier(config: SvmNetworkConfig, timings: PaymentTimings): SvmVerifier {
  const mint = address(config.asset);
  const { call, callVerified, readIdentities } = openChain(config, timings.rpcTimeoutMs, {
    method: 'getGenesisHash',
    shape: genesisHash,
    matches: (networkId) => networkOf(networkId) === config.network,
  });
  const destination = tokenAccountOf(address(config.payTo), mint);
  let checked: Promise<void> | undefined;

  /** Final blocks are so old that a blockhash which they do not know, and which was in use at `since`, has run out. */
  async function hasExpired({ message }: SvmTransaction, since: bigint): Promise<boolean> {
    const finalized = { commitment: 'finalized' };
    const slot = BigInt(await callVerified('getSlot', [finalized], natural));
    if (slot <= since + blockhashLifetime) return false;
    const { value } = await callVerified('isBlockhashValid', [message.lifetimeToken, finalized], validity);
    return !value;
  }

  const readPosition = async (): Promise<bigint> =>
    BigInt(await callVerified('getSlot', [{ commitment: 'confirmed' }], natural));

  return {
    chain: { call, callVerified },
    check() {
      checked ??= destination
        .then((account) => checkSvmNetwork(call, readIdentities, config, account))
        .catch((error) => {
          checked = undefined;
          throw error;
        });
      return checked;
    },
    async examine(payment, terms) {
      const { transfer } = payment;
      const fault = findTransactionFault(payment, terms, {
        feePayer: address(String(terms.extra.feePayer)),
        source: transfer && (await tokenAccountOf(transfer.authority, mint)),
        destination: await destination,
      });
      return fault ? { kind: 'invalid', ...fault } : checkSigners(payment);
    },
    readPosition,
    readFunds: ({ transfer }, open) => readSvmFunds(callVerified, transfer?.source, open),
    hasExpired,
    async readStatus(payment, since) {
      const from = since ?? (await readPosition()) - blockhashLifetime - lagMargin;
      // Asked first: what lands in between is then found below.
      const over = await hasExpired(payment, from);
      if (over && since === undefined) return tooOldOutcome;
      const landed = await findIncludedTransfer(call, payment, from);
      if (landed) return landed.failed ? failedOutcome : { kind: 'settled', transaction: landed.signature };
      return over ? expiredOutcome : { kind: 'unused' };
    },
  };
}
