import { createKeyPairSignerFromPrivateKeyBytes, getBase58Decoder } from '@solana/kit';
import type { SettleTask } from '../../server/payments/facilitator.ts';
import type { JournaledTransaction } from '../../server/payments/ledger/ledgerTypes.ts';
import { createSvmFacilitator } from '../../server/payments/networks/svm/svmFacilitator.ts';
import type { SvmTransaction } from '../../server/payments/networks/svm/svmTransaction.ts';
import { defaultTimings } from '../../server/payments/paymentConfig.ts';
import {
  atSlot,
  openSolanaParties,
  rpcOf,
  type SolanaMethods,
  type SolanaParties,
  solanaNode,
  solanaPayment,
} from './solanaPayments.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A transaction of our key, and one of a remote facilitator. */
export const ours: JournaledTransaction = { hash: '5'.repeat(88), raw: 'AQ==', nonce: 0, fromBlock: 1_000n };
export const remote: JournaledTransaction = { hash: '', raw: '', nonce: 0, fromBlock: 1_000n };

export const confirmed = { slot: 1_000, err: null, confirmationStatus: 'confirmed' };

/** The parties of a payment whose fee payer is our key. */
export interface OwnParties {
  parties: SolanaParties;
  payment: SvmTransaction;
  secretKey: string;
}

export async function openOwnParties(): Promise<OwnParties> {
  const seed = new Uint8Array(32).fill(7);
  const signer = await createKeyPairSignerFromPrivateKeyBytes(seed);
  const opened = await openSolanaParties();
  const feePayer = signer.address;
  const parties = { ...opened, feePayer, terms: { ...opened.terms, extra: { feePayer } } };
  const publicKey = new Uint8Array(await crypto.subtle.exportKey('raw', signer.keyPair.publicKey));
  const secretKey = getBase58Decoder().decode(new Uint8Array([...seed, ...publicKey]));
  return { parties, payment: await solanaPayment(parties), secretKey };
}

/** Our facilitator with a node of these methods, which accepts every payment by default. Close it at the end. */
export function openSvmFacilitator({ parties, payment, secretKey }: OwnParties, methods: SolanaMethods) {
  const node = solanaNode({
    getAccountInfo: () => atSlot(1, { owner: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }),
    simulateTransaction: () => atSlot(1_000, { err: null }),
    getBlockHeight: () => 1_000,
    getSlot: () => 2_000,
    getSignatureStatuses: () => atSlot(2_000, [confirmed]),
    sendTransaction: () => ours.hash,
    ...methods,
  });
  const { terms, payTo, mint } = parties;
  const config = { network: terms.network, payTo, asset: mint, facilitatorKey: secretKey, ...rpcOf(node) };
  const opened = createSvmFacilitator(config, defaultTimings, silent);
  const journaled: JournaledTransaction[] = [];
  const taskOf = (change: Partial<SettleTask<SvmTransaction>>) =>
    ({
      key: 'k',
      payment,
      terms: parties.terms,
      sent: [],
      wasRefused: false,
      checkFunds: async () => undefined,
      journal: async (transaction: JournaledTransaction) => {
        node.calls.push({ method: 'journal', params: [] });
        journaled.push(transaction);
      },
      ...change,
    }) as unknown as SettleTask<SvmTransaction>;
  return {
    ...opened,
    settle: (change: Partial<SettleTask<SvmTransaction>> = {}) => opened.settle(taskOf(change)),
    verify: () => opened.verify(taskOf({})),
    journaled,
    calls: node.calls,
    methods: () => node.calls.map(({ method }) => method),
  };
}
