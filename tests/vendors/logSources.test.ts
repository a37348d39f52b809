import { type Address, createPublicClient, erc20Abi, http, parseAbiItem, zeroAddress } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LowerAddress, type PretradeVendors, toLowerAddress } from '../../engine/index.ts';
import { fund, type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { createHttpRpcEndpoint } from '../../server/rpc/index.ts';
import type { Stores } from '../../server/storage/index.ts';
import { createVendors, defaultLogIndexLimits, type Vendors } from '../../server/vendors/index.ts';
import { openTemporaryStores } from '../support/temporaryStores.ts';

let sandbox: Sandbox;
let base: SandboxChain;
let stores: Stores;
let vendors: Vendors;
const options = { signal: new AbortController().signal };

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  if (!sandbox.chains.base) throw new Error('The sandbox has no Base chain.');
  base = sandbox.chains.base;
  stores = await openTemporaryStores();
  vendors = createVendors({
    config: { logs: defaultLogIndexLimits, timeoutMs: 2_000 },
    endpoints: [createHttpRpcEndpoint({ url: base.rpcUrl, label: 'base-1', timeoutMs: 8_000 })],
    logIndexes: stores.facts('base').logIndexes,
    now: Date.now,
  });
});
afterAll(async () => {
  await vendors?.close();
  await stores?.close();
  await sandbox?.close();
});

const holdersOf = (source: PretradeVendors, token: Address) =>
  source.holders[0]?.fetchTopHolders(toLowerAddress(token), options);
const chain = () => createPublicClient({ transport: http(base.rpcUrl) });
const transferEvent = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)');

/** Every wallet in the logs with its `balanceOf`. */
async function expectedHolders(token: Address): Promise<Map<LowerAddress, bigint>> {
  const logs = await chain().getLogs({ address: token, event: transferEvent, fromBlock: 0n });
  const wallets = [...new Set(logs.flatMap(({ args }) => [args.from, args.to]))].filter(
    (wallet) => wallet !== undefined,
  );
  const held = new Map<LowerAddress, bigint>();
  for (const wallet of wallets) {
    const balance = await chain().readContract({
      address: token,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [wallet],
    });
    if (balance > 0n && wallet !== zeroAddress) held.set(toLowerAddress(wallet), balance);
  }
  return held;
}

test('returns exact balances for every seeded token, and an exact count if they add up to the supply', async () => {
  let exact = 0;
  for (const { address, symbol } of base.tokens) {
    const expected = await expectedHolders(address);
    if (expected.size === 0) continue;
    const found = await holdersOf(vendors, address);
    const hints = new Map(found?.holders.map((holder) => [holder.address, holder.rawBalanceHint]));
    expect(hints, symbol).toEqual(expected);
    const supply = await chain().readContract({ address, abi: erc20Abi, functionName: 'totalSupply' });
    const sum = [...expected.values()].reduce((all, one) => all + one, 0n);
    expect([found?.exactCount, found?.approximateCount], symbol).toEqual(
      sum === supply ? [expected.size, null] : [null, expected.size],
    );
    if (sum === supply) exact += 1;
    expect(found?.asOfBlock).toBe(await chain().getBlockNumber());
  }
  expect(exact).toBeGreaterThan(3);
});

test('returns the oldest log as first transfer, with its block’s timestamp and its transaction’s sender', async () => {
  for (const { address, symbol } of base.tokens) {
    const [first] = await chain().getLogs({ address, event: transferEvent, fromBlock: 0n });
    const found = await vendors.firstTransfer[0]?.fetchFirstTransfer(toLowerAddress(address), options);
    if (!first) {
      expect(found, symbol).toBeNull();
      continue;
    }
    const block = await chain().getBlock({ blockNumber: first.blockNumber });
    const { from } = await chain().getTransaction({ hash: first.transactionHash });
    expect(found, symbol).toEqual({
      blockNumber: first.blockNumber,
      timestamp: Number(block.timestamp),
      sender: toLowerAddress(from),
      transactionHash: first.transactionHash,
      source: 'logs',
    });
  }
});

test('the next read includes a new transfer and the sender’s last outgoing transfer', async () => {
  const token = base.tokens.find(({ symbol }) => symbol === 'OAK') ?? base.tokens[0];
  if (!token) throw new Error('No token was seeded.');
  const newcomer = toLowerAddress(`0x${'77'.repeat(20)}`);
  const before = await holdersOf(vendors, token.address);
  await fund(base, token.address, newcomer, 12_345n);
  const after = await holdersOf(vendors, token.address);
  expect(after?.holders.find(({ address }) => address === newcomer)?.rawBalanceHint).toBe(12_345n);
  expect(after?.exactCount).toBe((before?.exactCount ?? 0) + 1);
  const [log] = await chain().getLogs({
    address: token.address,
    event: transferEvent,
    args: { to: newcomer },
    fromBlock: 0n,
  });
  const moves = vendors.holderMoves[0];
  if (log?.args.from === undefined) throw new Error('Funding emitted no log.');
  if (log.args.from !== zeroAddress) {
    expect(
      (await moves?.fetchLastMove(toLowerAddress(token.address), toLowerAddress(log.args.from), options))?.blockNumber,
    ).toBe(log.blockNumber);
  }
  expect(await moves?.fetchLastMove(toLowerAddress(token.address), newcomer, options)).toBeNull();
});

test('returns null for an address without transfers', async () => {
  const address = toLowerAddress(`0x${'99'.repeat(20)}`);
  expect(await holdersOf(vendors, address)).toBeNull();
  expect(await vendors.firstTransfer[0]?.fetchFirstTransfer(address, options)).toBeNull();
});
