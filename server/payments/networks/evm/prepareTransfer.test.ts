import { expect, test } from 'vitest';
import { JsonRpcError } from '../../chainCall.ts';
import { createTransferPreparer } from './prepareTransfer.ts';

const account = `0x${'12'.repeat(20)}` as const;
const payment = {
  ...{ from: account, to: account, value: 1n, validAfter: 0n, validBefore: 1n },
  ...{ nonce: `0x${'ab'.repeat(32)}` as const, signature: `0x${'11'.repeat(65)}` as const },
};
/** A preparer on a node that reverts each transfer with this message. */
const preparerOf = (message: string, isSignedByKey: boolean) =>
  createTransferPreparer({
    network: 'eip155:8453',
    node: {
      chainId: 8453,
      account,
      asset: account,
      chain: {
        callAllVerified: () => Promise.reject(new JsonRpcError(3, `execution reverted: ${message}`, undefined)),
      },
    },
    sender: { readFees: async () => ({ maxFeePerGas: 2n, maxPriorityFeePerGas: 1n, height: 1n, timestamp: 1n }) },
    costs: { read: async () => ({ kind: 'unreadable', what: 'the price' }), toUsd: () => undefined },
    contractWalletGas: {} as never,
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    isSignedByKey: () => isSignedByKey,
  });

test('behavior: names the delegation of a wallet whose own signature the token rejects', async () => {
  const refusal = await preparerOf('FiatTokenV2: invalid signature', true).simulate(payment);
  expect(refusal).toMatchObject({ reason: 'invalid_exact_evm_signature' });
  expect(refusal).toHaveProperty('detail', expect.stringContaining(`Wallet ${account} delegates to code (EIP-7702)`));
});

test.each([
  ['FiatTokenV2: invalid signature', false],
  ['ERC20: transfer amount exceeds balance', true],
])('behavior: does not name a delegation for "%s" with a key signature: %s', async (message, isSignedByKey) => {
  const refusal = await preparerOf(message, isSignedByKey).simulate(payment);
  expect(refusal).toHaveProperty('detail', expect.not.stringContaining('EIP-7702'));
});
