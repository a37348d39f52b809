import { getAddress, type Hex } from 'viem';
import { expect, test } from 'vitest';
import { multicall3, type RpcCall, type RpcEndpoint } from '../../../../engine/index.ts';
import { EvmChain } from '../../../../tests/support/evmChain.ts';
import { createEvmNode } from '../../../../tests/support/evmNode.ts';
import { ChainUnreachableError } from '../../chainCall.ts';
import { defaultTimings } from '../../paymentConfig.ts';
import { createEvmVerifier } from './evmVerifier.ts';

const asset = getAddress('0x833589fcd6edb6e08f4c7c32d4f71b54bda02913');
const account = (digit: string) => getAddress(`0x${digit.repeat(40)}`);
const validBefore = 1_900_000_000;
const payment = {
  ...{ from: account('1'), to: account('2'), value: 20_000n, validAfter: 0n, validBefore: BigInt(validBefore) },
  ...{ nonce: `0x${'ab'.repeat(32)}` as Hex, signature: `0x${'11'.repeat(65)}` as Hex },
};

/** A verifier on a chain whose head has the given time. `change` alters the node's endpoint. */
function open(headSeconds: number, change: (node: RpcEndpoint) => RpcEndpoint = (node) => node) {
  const clock = { seconds: headSeconds };
  const now = () => clock.seconds * 1_000;
  const chain = new EvmChain({ chainId: 8453, asset, multicall: multicall3, separator: '0x', now });
  chain.register(payment);
  chain.give(payment.from, payment.value);
  chain.mine();
  const weather = { lag: 0 };
  const node = createEvmNode(
    chain,
    () => ({ lagOf: () => weather.lag, delayMs: 0 }),
    async () => undefined,
  );
  const config = {
    ...{ network: 'eip155:8453', chainId: 8453, rpcUrls: ['http://node.test'], asset, payTo: payment.to },
    ...{ domain: { name: 'USD Coin', version: '2' }, facilitatorKey: '0x', watchRpc: () => change(node) },
  };
  return { verifier: createEvmVerifier(config as never, defaultTimings), chain, clock, weather };
}

test('behavior: a payment has expired only when a reorganisation can no longer replace the block of its end', async () => {
  for (const [seconds, isExpired] of [
    [validBefore, false],
    [validBefore + 599, false],
    [validBefore + 600, true],
  ] as const) {
    expect(await open(seconds).verifier.hasExpired(payment, 0n)).toBe(isExpired);
  }
});

test('behavior: reads the status of a payment of a third party only from a node of this network', async () => {
  // The URL is switched to another network after the block was read.
  let blocks = 0;
  const switched = (node: RpcEndpoint): RpcEndpoint => ({
    ...node,
    async send(calls, options) {
      if (calls.some(({ method }: RpcCall) => method === 'eth_getBlockByNumber')) blocks += 1;
      const replies = await node.send(calls, options);
      const isOther = blocks > 0 && !calls.some(({ method }) => method === 'eth_getBlockByNumber');
      return replies.map((reply, index) =>
        isOther && calls[index]?.method === 'eth_chainId' ? { result: '0x1' } : reply,
      );
    },
  });
  const { verifier } = open(validBefore - 100, switched);
  await verifier.readPosition();
  await expect(verifier.readStatus(payment)).rejects.toThrow(ChainUnreachableError);
});

test('behavior: rejects a status of a node that is behind a block that was read before', async () => {
  const { verifier, chain, clock, weather } = open(validBefore - 100);
  clock.seconds += 2;
  chain.useByThirdParty(payment);
  chain.mine();
  await verifier.readPosition();
  weather.lag = 1;
  await expect(verifier.readStatus(payment, 1_000n)).rejects.toThrow('behind block 1001');
  weather.lag = 0;
  expect(await verifier.readStatus(payment, 1_000n)).toMatchObject({ kind: 'settled' });
});

test('behavior: a token accepts a payment at a block where it is valid and covered', async () => {
  const { verifier, chain, clock } = open(validBefore - 2);
  const block = { number: 1_000n, timestamp: BigInt(validBefore - 2) };
  expect(await verifier.accepts?.(payment, block)).toBe(true);
  clock.seconds += 3;
  chain.mine();
  expect(await verifier.accepts?.(payment, { number: 1_001n, timestamp: BigInt(validBefore + 1) })).toBe(false);
  await expect(verifier.accepts?.(payment, { number: 1_009n, timestamp: 1n })).resolves.toBe(false);
});
