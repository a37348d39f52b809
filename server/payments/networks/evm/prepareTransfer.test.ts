import { numberToHex, pad } from 'viem';
import { expect, test } from 'vitest';
import { createScriptedChain, twoSeconds } from '../../../../tests/support/scriptedChain.ts';
import { JsonRpcError } from '../../chainCall.ts';
import { createTransferPreparer } from './prepareTransfer.ts';
import type { Cost, CostReading } from './settlementCost.ts';

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
      interval: { readMs: async () => 2_000 },
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

/** One wei costs one millionth of a US dollar. */
const cost: CostReading = { kind: 'read', l1Fee: 0n, toMicroUsd: (wei) => wei, toWei: (microUsd) => microUsd };
const fees = { maxFeePerGas: 3n, maxPriorityFeePerGas: 1n, height: 50n, timestamp: 1n };

/** A preparer on a node where the transfer needs 100,000 gas. */
function open({ code = '0x', read = cost as Cost, waitMs = undefined as number | undefined } = {}) {
  const { chain } = createScriptedChain({
    eth_getCode: code,
    eth_estimateGas: numberToHex(100_000),
    eth_blockNumber: '0x32',
    eth_call: ([call, , , block]: readonly unknown[]) => {
      const { number, time } = block as { number: string; time: string };
      const word = (value: string) => pad(numberToHex(BigInt(value))).slice(2);
      return (call as { to?: string }).to ? '0x' : `0x${word(number)}${word(time)}`;
    },
  });
  const taken: number[] = [];
  const sizes: number[] = [];
  const lines: [facts: object, message: string][] = [];
  const write = (...line: [object, string]) => void lines.push(line);
  const preparer = createTransferPreparer({
    network: 'eip155:8453',
    node: { chain, chainId: 8453, account, asset: account, interval: twoSeconds },
    sender: { readFees: async () => fees },
    costs: {
      async read(size) {
        sizes.push(size);
        return read;
      },
      toUsd: () => undefined,
    },
    contractWalletGas: {
      async take(amount) {
        taken.push(amount);
        return waitMs;
      },
      refund: async () => undefined,
    },
    logger: { info: write, warn: write, error: write },
    isSignedByKey: () => true,
  });
  const spending = { held: 0n, lost: new Map() };
  const prepare = (amount: bigint) =>
    preparer.prepare(
      { payment: { ...payment, validBefore: 2n ** 63n }, terms: { amount: `${amount}` } } as never,
      spending,
    );
  return { ...preparer, prepare, taken, sizes, lines, spending };
}

test('a transfer is ready if its gas costs less than the price', async () => {
  const { prepare, taken, sizes, lines } = open();
  // 110,000 gas at 3 wei.
  expect(await prepare(330_001n)).toEqual({ kind: 'ready', gas: 110_000n, fees });
  expect(taken).toEqual([]);
  // Selector, nine words, one of them the length of the signature, and 65 bytes in three words.
  expect(sizes).toEqual([356]);
  expect(lines).toEqual([]);
});

test('a transfer that costs exactly its price is unavailable', async () => {
  const { prepare } = open();
  expect(await prepare(330_000n)).toMatchObject({ kind: 'unavailable' });
});

test('a transfer whose gas costs more than the price is unavailable, with both amounts', async () => {
  const { prepare, lines } = open();
  expect(await prepare(20_000n)).toEqual({
    kind: 'unavailable',
    detail: 'Settlement gas would cost up to 0.33 USD, more than the price of the call, 0.02 USD.',
  });
  const facts = { network: 'eip155:8453', costUsd: '0.33', priceUsd: '0.02' };
  expect(lines).toEqual([[facts, 'Gas costs more than the call']]);
});

test('a group whose gas costs too much names the amounts of one payment', () => {
  const { limitCost } = open();
  expect(limitCost(cost, { gas: 220_000n, fees, price: 40_000n }, 2)).toMatchObject({
    detail: 'Settlement gas would cost up to 0.33 USD, more than the price of the call, 0.02 USD.',
  });
  expect(limitCost(cost, { gas: 220_000n, fees, price: 700_000n }, 2)).toEqual({
    kind: 'fits',
    fees,
    microUsd: 660_000n,
  });
});

test('a transfer is unavailable while gas has no price', async () => {
  const { prepare, lines } = open({ read: { kind: 'unreadable', what: 'the price of the native coin' }, code: '0x60' });
  expect(await prepare(330_001n)).toEqual({
    kind: 'unavailable',
    detail: 'The cost of gas is unknown: the price of the native coin cannot be read.',
  });
  expect(lines).toEqual([
    [
      { network: 'eip155:8453', unreadable: 'the price of the native coin' },
      'The gas of a settlement cannot be priced',
    ],
  ]);
});

test('a contract wallet takes its gas from the budget', async () => {
  const { prepare, taken, spending } = open({ code: '0x60' });
  // 125,000 gas at 3 wei.
  expect(await prepare(400_000n)).toMatchObject({ kind: 'ready', gas: 125_000n });
  expect(taken).toEqual([375_000]);
  expect(spending).toEqual({ held: 375_000n, cost, lost: new Map() });
});

test('a contract wallet is limited while the budget is used up', async () => {
  expect(await open({ code: '0x60', waitMs: 5 }).prepare(400_000n)).toMatchObject({
    kind: 'limited',
    retryAfterSeconds: 1,
  });
});

test('a transfer that the token rejects is refused', async () => {
  const preparer = preparerOf('ERC20: transfer amount exceeds balance', true);
  const prepared = preparer.prepare({ payment, terms: { amount: '1' } } as never, { held: 0n, lost: new Map() });
  expect(await prepared).toMatchObject({ kind: 'refused', reason: 'invalid_exact_evm_insufficient_balance' });
});

test('a simulation returns the fees that it used', async () => {
  expect(await open().simulate({ ...payment, validBefore: 2n ** 63n })).toMatchObject({ gas: 110_000n, fees });
});
