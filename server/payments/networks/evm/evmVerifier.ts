import type { Address } from 'viem';
import { type Chain, type ChainCall, JsonRpcError, toQuantity } from '../../chainCall.ts';
import type { Funds, SettleOutcome } from '../../facilitator.ts';
import { openChain } from '../../openChain.ts';
import type { EvmNetworkConfig, PaymentTimings } from '../../paymentConfig.ts';
import type { PaymentVerifier } from '../../paymentVerifier.ts';
import { shareRead } from '../../shareRead.ts';
import { domainSeparator, type SignedAuthorization } from './authorization.ts';
import { readAuthorizationStatus, type SpentAuthorization } from './authorizationStatus.ts';
import { type BlockInterval, createBlockInterval } from './blockInterval.ts';
import { checkNetwork } from './checkNetwork.ts';
import { checkSignature, isSignedByKey } from './checkSignature.ts';
import { findTermsFault } from './findTermsFault.ts';
import { bytes, header, quantity, rawQuantity } from './nodeAnswers.ts';
import { noteBlocks } from './noteBlocks.ts';
import { balanceUnread, readEvmBalances, readEvmFunds } from './readEvmFunds.ts';
import { refusalOfNodeError } from './revertReason.ts';
import { headTag, transferData } from './simulateTransfer.ts';

export interface EvmVerifier extends PaymentVerifier<SignedAuthorization> {
  chain: Pick<Chain, 'call' | 'callVerified' | 'callAllVerified' | 'sendRaw'>;
  interval: BlockInterval;
  /** Whether the payer's key signed the payment; false for signatures that only a contract wallet can verify. */
  isSignedByKey(payment: SignedAuthorization): boolean;
}

type Refused = Extract<SettleOutcome, { kind: 'refused' }>;

function describeSpent(
  spent: SpentAuthorization,
  payment: SignedAuthorization,
): Pick<Refused, 'detail' | 'mayHavePaid'> {
  if ('usedBefore' in spent) {
    const detail = `This authorization was used on chain before block ${spent.usedBefore}, too long ago to buy an answer. Look up its transfer before you sign a new one.`;
    return { detail, mayHavePaid: true };
  }
  const { transaction, use } = spent;
  if (use.kind === 'cancelled') {
    return { detail: `Transaction ${transaction} cancelled this authorization. Sign a new one with a fresh nonce.` };
  }
  const paid = use.kind === 'moved' ? `to pay ${use.value} units to ${use.to}` : 'without a transfer right after it';
  const detail = `Transaction ${transaction} used the nonce of this authorization ${paid}; the price is ${payment.value} units to ${payment.to}. Sign a new one with a fresh nonce.`;
  return { detail, mayHavePaid: true };
}

/** Refuses an authorization that was used on chain without paying the price. */
const spentOutcome = (spent: SpentAuthorization, payment: SignedAuthorization): Refused => ({
  kind: 'refused',
  reason: 'invalid_exact_evm_nonce_already_used',
  ...describeSpent(spent, payment),
});
const expiredOutcome = {
  kind: 'refused',
  reason: 'invalid_exact_evm_payload_authorization_valid_before',
  detail: 'The authorization expired (validBefore) before it was settled, and moved nothing. Sign a new one.',
} as const;

/** A block this many seconds old is no longer replaced by a reorganisation. */
const reorgSeconds = 600n;

/** Cache lifetime: refused payments that are rechecked together share one read. */
const headLifeMs = 2_000;

/** Batches the reads of a group into one request: its payments call this together, after their reservations. */
function createBalanceReader(call: ChainCall, asset: Address): (payer: Address) => Promise<Funds> {
  let collecting: { payers: Set<Address>; balances: ReturnType<typeof readEvmBalances> } | undefined;
  return async (payer) => {
    if (!collecting) {
      const payers = new Set<Address>();
      const balances = Promise.resolve().then(() => {
        collecting = undefined;
        return readEvmBalances(call, asset, [...payers]);
      });
      collecting = { payers, balances };
    }
    collecting.payers.add(payer);
    const balance = (await collecting.balances).get(payer);
    if (balance === undefined) throw balanceUnread();
    return { balance, ended: new Set() };
  };
}

/** Verifies EIP-3009 payments on one EVM network. Positions are block numbers. */
export function createEvmVerifier(config: EvmNetworkConfig, timings: PaymentTimings): EvmVerifier {
  const { chainId, asset, domain } = config;
  const { chain, assertNotBehind } = noteBlocks(
    openChain(config, timings.rpcTimeoutMs, {
      method: 'eth_chainId',
      shape: rawQuantity,
      matches: (networkId) => Number(networkId) === chainId,
    }),
  );
  const { call, callVerified, callAllVerified, sendRaw, readIdentities } = chain;
  const interval = createBlockInterval(callVerified);
  const separator = domainSeparator({ ...domain, chainId, verifyingContract: asset });
  /** Cached: an outdated head can only delay the time at which a payment counts as expired. */
  const recentHead = shareRead(() => callVerified('eth_getBlockByNumber', ['latest', false], header), headLifeMs);
  let checked: Promise<void> | undefined;

  const readBalance = createBalanceReader(callVerified, asset);

  return {
    chain: { call, callVerified, callAllVerified, sendRaw },
    interval,
    isSignedByKey: (payment) => isSignedByKey(separator, payment),
    check() {
      checked ??= checkNetwork(call, readIdentities, config, separator).catch((error) => {
        checked = undefined;
        throw error;
      });
      return checked;
    },
    async verifyPayload(payment, terms, nowSeconds) {
      const fault = findTermsFault(terms, payment, nowSeconds, timings.expiryMarginSeconds);
      return fault ? { kind: 'invalid', ...fault } : checkSignature(callVerified, separator, payment);
    },
    isSigned: async (payment, terms, nowSeconds) =>
      !findTermsFault(terms, payment, nowSeconds, timings.expiryMarginSeconds) && isSignedByKey(separator, payment),
    readFunds: ({ from }, open) =>
      open.length === 0 ? readBalance(from) : readEvmFunds(callVerified, asset, from, open),
    readPosition: () => callVerified('eth_blockNumber', [], quantity),
    async readStatus(payment, since) {
      const block = await callVerified('eth_getBlockByNumber', ['latest', false], header);
      assertNotBehind(block.number);
      // If this service did not send the payment, the node's result is the only evidence: verify its network too.
      const callStatus = since === undefined ? callVerified : call;
      const status = await readAuthorizationStatus(
        callStatus,
        asset,
        payment,
        since,
        toQuantity(block.number),
        interval,
      );
      if (status.kind === 'paid') return { kind: 'settled', transaction: status.transaction };
      if (status.kind === 'spent') return spentOutcome(status.spent, payment);
      // The token accepts an authorization only in a block before `validBefore`.
      return block.timestamp >= payment.validBefore ? expiredOutcome : { kind: 'unused', block };
    },
    async accepts(payment, { number, timestamp }) {
      // The payee as the caller, because the token accepts a transfer from any account.
      const transfer = { from: payment.to, to: asset, data: transferData(payment) };
      const tag = headTag(timestamp) === 'pending' ? 'pending' : toQuantity(number);
      try {
        await callVerified('eth_call', [transfer, tag], bytes);
        return true;
      } catch (error) {
        if (error instanceof JsonRpcError && refusalOfNodeError(error)) return false;
        throw error;
      }
    },
    async hasExpired({ validBefore }) {
      const { timestamp } = await recentHead.read();
      return timestamp >= validBefore + reorgSeconds;
    },
  };
}
