import { encodeFunctionResult, getAddress, type Hex, pad, toEventSelector, toHex } from 'viem';
import { expect, test } from 'vitest';
import { multicall3, type RpcCall, type RpcEndpoint, type RpcReply } from '../../../../engine/index.ts';
import { EvmChain } from '../../../../tests/support/evmChain.ts';
import { createEvmNode } from '../../../../tests/support/evmNode.ts';
import { ChainUnreachableError } from '../../chainCall.ts';
import { defaultTimings } from '../../paymentConfig.ts';
import { domainSeparator } from './authorization.ts';
import { createEvmVerifier } from './evmVerifier.ts';
import { multicallAbi } from './readEvmFunds.ts';

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

/** Results of the node that a test replaces by method. */
const replacing =
  (results: Record<string, unknown>, seen: RpcCall[] = []) =>
  (node: RpcEndpoint): RpcEndpoint => ({
    ...node,
    async send(calls, options) {
      seen.push(...calls);
      const replies = await node.send(calls, options);
      return replies.map((reply, index) => {
        const method = calls[index]?.method ?? '';
        return method in results ? (results[method] as RpcReply) : reply;
      });
    },
  });

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

test('behavior: reads the time of the head once for payments that are rechecked together', async () => {
  const seen: RpcCall[] = [];
  const { verifier } = open(validBefore, replacing({}, seen));
  await Promise.all([verifier.hasExpired(payment, 0n), verifier.hasExpired(payment, 0n)]);
  expect(seen.filter(({ method }) => method === 'eth_getBlockByNumber')).toHaveLength(1);
});

test.each([
  [validBefore - 1, { kind: 'unused', block: { number: 1_000n, timestamp: BigInt(validBefore - 1) } }],
  [validBefore, { kind: 'refused', reason: 'invalid_exact_evm_payload_authorization_valid_before' }],
])('behavior: at %d an unused payment can or can no longer be included', async (seconds, status) => {
  expect(await open(seconds).verifier.readStatus(payment)).toMatchObject(status);
});

const transaction = pad('0x99');
const topic = (name: string) => toEventSelector(name);
const log = (name: string, logIndex: number, more: Hex[], data: Hex = '0x') => ({
  ...{ address: asset, topics: [topic(name), pad(payment.from), ...more], data, logIndex: toHex(logIndex) },
  transactionHash: transaction,
});
const usedLog = log('AuthorizationUsed(address,bytes32)', 0, [payment.nonce]);
const transferLog = (to: Hex, value: bigint) =>
  log('Transfer(address,address,uint256)', 1, [pad(to)], pad(toHex(value)));
const cancelledLog = log('AuthorizationCanceled(address,bytes32)', 0, [payment.nonce]);
const receiptWith = (logs: object[]) => ({ status: '0x1', transactionHash: transaction, blockNumber: '0x3e8', logs });
/** A chain where a transaction with these logs has used the authorization. */
const usedIn = (logs: object[]) =>
  replacing({
    eth_call: { result: pad('0x1') },
    eth_getLogs: { result: logs.slice(0, 1) },
    eth_getTransactionReceipt: { result: receiptWith(logs) },
  });

test('behavior: a payment that a third party sent is settled', async () => {
  const { verifier } = open(validBefore, usedIn([usedLog, transferLog(payment.to, payment.value)]));
  expect(await verifier.readStatus(payment)).toEqual({ kind: 'settled', transaction });
});

test.each([
  ['cancelled', [cancelledLog], `Transaction ${transaction} cancelled this authorization.`, undefined],
  [
    'used for another payee',
    [usedLog, transferLog(payment.from, 5n)],
    `to pay 5 units to ${payment.from}; the price is 20000 units to ${payment.to}`,
    true,
  ],
  ['used without a transfer', [usedLog], 'without a transfer right after it; the price is 20000 units', true],
] as const)('behavior: refuses an authorization that was %s', async (_name, logs, detail, mayHavePaid) => {
  const status = await open(validBefore - 100, usedIn([...logs])).verifier.readStatus(payment);
  expect(status).toMatchObject({
    ...{ kind: 'refused', reason: 'invalid_exact_evm_nonce_already_used', detail: expect.stringContaining(detail) },
  });
  expect('mayHavePaid' in status && status.mayHavePaid).toBe(mayHavePaid ?? false);
});

test('behavior: refuses an authorization that was used long ago, which may have paid', async () => {
  const { verifier } = open(
    validBefore - 100,
    replacing({ eth_call: { result: pad('0x1') }, eth_getLogs: { result: [] } }),
  );
  expect(await verifier.readStatus(payment)).toMatchObject({
    ...{ kind: 'refused', reason: 'invalid_exact_evm_nonce_already_used', mayHavePaid: true },
    detail: expect.stringContaining('was used on chain before block 0, too long ago'),
  });
});

test('behavior: a status of our own payment needs no network id in each request', async () => {
  const idsOf = async (since?: bigint) => {
    const seen: RpcCall[] = [];
    const { verifier } = open(validBefore - 100, replacing({}, seen));
    await verifier.readPosition();
    seen.length = 0;
    await verifier.readStatus(payment, since);
    return seen.filter(({ method }) => method === 'eth_chainId').length;
  };
  expect(await idsOf(1n)).toBe(1);
  expect(await idsOf()).toBe(2);
});

test('behavior: reads the state of an authorization at the block whose time it reports', async () => {
  const seen: RpcCall[] = [];
  await open(validBefore - 100, replacing({}, seen)).verifier.readStatus(payment);
  expect(seen.filter(({ method }) => method === 'eth_call').map(({ params }) => params[1])).toEqual(['0x3e8']);
});

test('behavior: reads the balances of payments that arrive together in one call', async () => {
  const seen: RpcCall[] = [];
  const { verifier } = open(validBefore - 100, replacing({}, seen));
  const other = { ...payment, from: account('3') };
  const funds = await Promise.all([payment, other, payment].map((each) => verifier.readFunds(each, [])));
  expect(funds.map(({ balance }) => balance)).toEqual([20_000n, 0n, 20_000n]);
  const calls = () => seen.filter(({ method }) => method === 'eth_call').length;
  expect(calls()).toBe(1);
  await verifier.readFunds(payment, []);
  expect(calls()).toBe(2);
});

test('behavior: reads the state of open payments with the balance', async () => {
  const { verifier, chain } = open(validBefore - 100);
  chain.useByThirdParty({ ...payment, value: 1n });
  chain.mine();
  const key = `eip155:8453|${asset}|${payment.from}|${payment.nonce}`;
  expect(await verifier.readFunds(payment, [{ key, hashes: [] }])).toEqual({ balance: 19_999n, ended: new Set([key]) });
});

test('error: a balance cannot be read', async () => {
  const result = encodeFunctionResult({
    ...{ abi: multicallAbi, functionName: 'aggregate3', result: [{ success: false, returnData: '0x' }] },
  });
  const { verifier } = open(validBefore - 100, replacing({ eth_call: { result } }));
  await expect(verifier.readFunds(payment, [])).rejects.toThrow("The payer's balance could not be read.");
});

test('behavior: checks the network once, and again after a failure', async () => {
  const seen: RpcCall[] = [];
  const results: Record<string, unknown> = { eth_call: { error: { code: -32000, message: 'busy' } } };
  const { verifier } = open(validBefore - 100, replacing(results, seen));
  await expect(verifier.check()).rejects.toThrow();
  const separator = domainSeparator({ name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: asset });
  results.eth_call = { result: separator };
  await verifier.check();
  const { length } = seen;
  await Promise.all([verifier.check(), verifier.check()]);
  expect(seen).toHaveLength(length);
});

test('behavior: verifies terms before the signature, and accepts only a key without a request', async () => {
  const seen: RpcCall[] = [];
  const { verifier } = open(validBefore - 100, replacing({}, seen));
  const terms = { payTo: payment.to, amount: '20000' } as never;
  expect(await verifier.verifyPayload(payment, terms, validBefore)).toMatchObject({
    ...{ kind: 'invalid', reason: 'invalid_exact_evm_payload_authorization_valid_before' },
  });
  expect(await verifier.isSigned(payment, terms, validBefore - 100)).toBe(false);
  expect(verifier.isSignedByKey(payment)).toBe(false);
  expect(seen).toEqual([]);
});

test('behavior: simulates at the named block, and at the pending one on a chain with an old head', async () => {
  const now = Math.floor(Date.now() / 1_000);
  const tagsOf = async (timestamp: number) => {
    const seen: RpcCall[] = [];
    await open(validBefore - 100, replacing({}, seen)).verifier.accepts?.(payment, {
      number: 1_000n,
      timestamp: BigInt(timestamp),
    });
    return seen.filter(({ method }) => method === 'eth_call').map(({ params }) => params[1]);
  };
  expect(await tagsOf(now)).toEqual(['0x3e8']);
  expect(await tagsOf(now - 600)).toEqual(['pending']);
});

test('error: a node that fails does not reject a payment', async () => {
  const busy = { error: { code: -32000, message: 'busy' } };
  const { verifier } = open(validBefore - 100, replacing({ eth_call: busy }));
  await expect(verifier.accepts?.(payment, { number: 1_000n, timestamp: 1n })).rejects.toThrow();
});

test('behavior: asks for the latest block without its transactions', async () => {
  const seen: RpcCall[] = [];
  const { verifier } = open(validBefore - 100, replacing({}, seen));
  await Promise.all([verifier.hasExpired(payment, 0n), verifier.readStatus(payment), verifier.readPosition()]);
  const paramsOf = (name: string) => seen.filter(({ method }) => method === name).map(({ params }) => params);
  expect(paramsOf('eth_getBlockByNumber')).toEqual(Array(2).fill(['latest', false]));
  expect(paramsOf('eth_blockNumber')).toEqual([[]]);
});
