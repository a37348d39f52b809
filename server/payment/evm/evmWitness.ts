import type { CashierTimings, EvmPaymentNetwork } from '../cashierConfig.ts';
import { type Chain, openChain, toQuantity } from '../chainCall.ts';
import type { PaymentWitness } from '../paymentWitness.ts';
import { domainSeparator, type SignedAuthorization } from './authorization.ts';
import { readAuthorizationFate } from './authorizationFate.ts';
import { checkNetwork } from './checkNetwork.ts';
import { checkSignature } from './checkSignature.ts';
import { findTermsFault } from './findTermsFault.ts';
import { header, quantity, rawQuantity } from './nodeAnswers.ts';
import { readEvmFunds } from './readEvmFunds.ts';

export interface EvmWitness extends PaymentWitness<SignedAuthorization> {
  chain: Pick<Chain, 'call' | 'callProven' | 'callAllProven'>;
}

export const spentOutcome = {
  kind: 'refused',
  reason: 'invalid_exact_evm_nonce_already_used',
  detail: 'This authorization was cancelled, or used for something else. Sign a new one with a fresh nonce.',
} as const;
const overOutcome = {
  kind: 'refused',
  reason: 'invalid_exact_evm_payload_authorization_valid_before',
  detail: 'The authorization ran out (validBefore) before it was settled, and moved nothing. Sign a new one.',
} as const;

/** Later than any reorganisation replaces a block. */
const replacedSeconds = 600n;

/** Sees EIP-3009 payments on one EVM network. Its positions are blocks. */
export function createEvmWitness(config: EvmPaymentNetwork, timings: CashierTimings): EvmWitness {
  const { chainId, asset, domain } = config;
  const { call, callProven, callAllProven, readIdentities } = openChain(config, timings.rpcTimeoutMs, {
    method: 'eth_chainId',
    shape: rawQuantity,
    isRight: (answer) => Number(answer) === chainId,
  });
  const separator = domainSeparator({ ...domain, chainId, verifyingContract: asset });
  let checked: Promise<void> | undefined;

  return {
    chain: { call, callProven, callAllProven },
    check() {
      checked ??= checkNetwork(call, readIdentities, config, separator).catch((error) => {
        checked = undefined;
        throw error;
      });
      return checked;
    },
    async examine(payment, terms, nowSeconds) {
      const fault = findTermsFault(terms, payment, nowSeconds, timings.expiryMarginSeconds);
      return fault ? { kind: 'invalid', ...fault } : checkSignature(callProven, separator, payment);
    },
    readFunds: ({ from }, open) => readEvmFunds(callProven, asset, from, open),
    async readPosition() {
      return callProven('eth_blockNumber', [], quantity);
    },
    async readFate(payment, since) {
      const block = await callProven('eth_getBlockByNumber', ['latest', false], header);
      const fate = await readAuthorizationFate(call, asset, payment, since, toQuantity(block.number));
      if (fate.kind === 'paid') return { kind: 'settled', transaction: fate.transaction };
      if (fate.kind === 'spent') return spentOutcome;
      // The token takes it only in a block of a time before `validBefore`, and there will be none.
      return block.timestamp >= payment.validBefore ? overOutcome : { kind: 'unused' };
    },
    async isOver({ validBefore }) {
      const { timestamp } = await callProven('eth_getBlockByNumber', ['latest', false], header);
      return timestamp >= validBefore + replacedSeconds;
    },
  };
}
