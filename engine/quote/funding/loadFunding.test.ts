import type { Address, Hex } from 'viem';
import { expect, test } from 'vitest';
import { testNode } from '../../../tests/support/engine/testNode.ts';
import {
  soliditySlot,
  type TestToken,
  testHeader,
  token,
  tokenNode,
  vyperSlot,
} from '../../../tests/support/engine/testToken.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { toLowerAddress } from '../../lowerAddress.ts';
import { b20Singletons } from '../../venues/b20/b20.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { createFundingMemory, type Funding } from './fundingMemory.ts';
import { fundAccounts } from './fundPayers.ts';
import { findFunding, isPausedB20, loadFunding } from './loadFunding.ts';

test('the funding of a token is found once, and kept', async () => {
  const data = { deployment: deployments.base, funding: createFundingMemory(() => 0) };
  const { node, requests } = tokenNode({
    balance: (holder) => soliditySlot(3n, holder),
    allowance: (owner, spender) => soliditySlot(4n, owner, spender),
  });
  const found = await loadFunding(data, node, token);
  expect(found).toMatchObject({ decimals: 18 });
  expect([await loadFunding(data, node, token), data.funding.get(token), requests.length]).toEqual([found, found, 1]);
});

test('a funding that the node did not show is not kept', async () => {
  const data = { deployment: deployments.base, funding: createFundingMemory(() => 0) };
  expect(await loadFunding(data, tokenNode({ hasAccessLists: false }).node, token)).toBeUndefined();
  expect(data.funding.get(token)).toBeUndefined();
});

const b20 = toLowerAddress(`0xb2${'00'.repeat(9)}01${'12'.repeat(9)}`);
const [yes, no] = [1n, 0n].map((value): RpcReply => ({ result: `0x${value.toString(16).padStart(64, '0')}` }));

async function paused(address: typeof b20, replies: readonly (RpcReply | undefined)[]) {
  const sent: RpcCall[] = [];
  const node = testNode({
    chain: 'base',
    send: async (calls) => {
      sent.push(...calls);
      return replies.flatMap((reply) => reply ?? []);
    },
  });
  return { isPaused: await isPausedB20(node, address, '0x7'), sent };
}

test('a created B20 token whose transfers are paused is paused at the block', async () => {
  const { isPaused, sent } = await paused(b20, [yes, yes]);
  expect(isPaused).toBe(true);
  expect(sent.map(({ params: [call, block] }) => [(call as { to: string }).to, block])).toEqual([
    [b20Singletons.factory, '0x7'],
    [b20, '0x7'],
  ]);
});

test.each<[string, readonly (RpcReply | undefined)[]]>([
  ['one that is not created', [no, yes]],
  ['one whose transfers run', [yes, no]],
  ['a failed read', [yes, { error: { code: -32_000, message: 'unavailable' } }]],
])('%s is not paused', async (_, replies) => {
  expect((await paused(b20, replies)).isPaused).toBe(false);
});

test('another token costs no request', async () => {
  expect(await paused(token, [yes, yes])).toEqual({ isPaused: false, sent: [] });
});

const [owner, spender]: [Address, Address] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];
const proxyStore = toLowerAddress(`0x${'34'.repeat(20)}`);
const atIndex = (balances: bigint, allowances: bigint): TestToken => ({
  balance: (holder) => soliditySlot(balances, holder),
  allowance: (from, to) => soliditySlot(allowances, from, to),
});
const methodsOf = (requests: readonly { method: string }[][]) =>
  requests.map((calls) => calls.map(({ method }) => method));

async function find(token_: TestToken) {
  const { node, requests } = tokenNode(token_);
  return { found: await findFunding(node, token), node, requests };
}
/** The slots of a found funding by formula. */
const slotsOf = ({ balances, allowances }: Funding) => [
  'slotOf' in balances ? balances.slotOf([owner]) : balances.position,
  'slotOf' in allowances ? allowances.slotOf([owner, spender]) : allowances.position,
];

test.each<[string, TestToken]>([
  ['Solidity at 3 and 4', atIndex(3n, 4n)],
  ['Solidity at 51 and 52, after the gap of an upgradeable contract', atIndex(51n, 52n)],
  ['Vyper at 2 and 5', { balance: (holder) => vyperSlot(2n, holder), allowance: (a, b) => vyperSlot(5n, a, b) }],
])('finds the slots of %s with one request', async (_, token_) => {
  const { found, requests } = await find(token_);
  expect(found).toMatchObject({ decimals: 18, supply: 10n ** 24n });
  expect(slotsOf(found as Funding)).toEqual([token_.balance?.(owner), token_.allowance?.(owner, spender)]);
  const { sample, balances } = found as Funding;
  expect([sample.stored === sample.balance, sample.stored >= 2n ** 59n, balances.contract]).toEqual([
    true,
    true,
    token,
  ]);
  expect(methodsOf(requests)).toEqual([
    ['eth_getBlockByNumber', 'eth_call', 'eth_createAccessList', 'eth_createAccessList'],
  ]);
});

test('a token that stores shares has the rate of its largest sample', async () => {
  const { found } = await find({ ...atIndex(0n, 1n), balanceOf: (stored) => stored >> 200n });
  const { sample } = found as Funding;
  expect(sample).toEqual({ stored: 2n ** 255n - 1n, balance: (2n ** 255n - 1n) >> 200n });
});

test('an exact balance is preferred to a larger one', async () => {
  const { found } = await find({
    ...atIndex(0n, 1n),
    balanceOf: (stored) => (stored > 2n ** 200n ? stored * 2n : stored),
  });
  const { sample } = found as Funding;
  expect(sample.stored).toBe(sample.balance);
});

test.each<[string, TestToken, unknown, string]>([
  ['a formula with an unusual index', atIndex(777n, 778n), 'formula', token],
  [
    'Vyper with an unusual index',
    { balance: (holder) => vyperSlot(500n, holder), allowance: (a, b) => vyperSlot(501n, a, b) },
    'formula',
    token,
  ],
  ['a formula at another contract', { ...atIndex(3n, 4n), store: proxyStore }, 'formula', proxyStore],
  ['a position in the access list', atIndex(2n ** 40n, 2n ** 41n), 0, token],
  [
    'the second position',
    { ...atIndex(2n ** 40n, 2n ** 41n), slotsBefore: [{ address: proxyStore, storageKeys: [`0x${'77'.repeat(32)}`] }] },
    1,
    token,
  ],
])('finds the slots of %s with the access list of the node', async (_, token_, kind, contract) => {
  const { found, requests } = await find(token_);
  const slots = slotsOf(found as Funding);
  expect(slots).toEqual(
    kind === 'formula' ? [token_.balance?.(owner), token_.allowance?.(owner, spender)] : [kind, kind],
  );
  const { balances, allowances } = found as Funding;
  expect([balances.contract, allowances.contract]).toEqual([contract, contract]);
  expect(requests).toHaveLength(2);
});

test('only what the formulas do not find is tried at the slots of the access list', async () => {
  const token_: TestToken = atIndex(3n, 999n);
  const { found, requests } = await find(token_);
  expect(slotsOf(found as Funding)).toEqual([token_.balance?.(owner), token_.allowance?.(owner, spender)]);
  expect(requests[1]).toHaveLength(1);
});

test('a value that the token does not report, and another error, find nothing', async () => {
  const { found, requests } = await find({ ...atIndex(3n, 4n), balanceOf: () => 0n });
  expect(found).toBe('unknown');
  // The slots, then logs of recent transfers and of roles, then all transfers.
  expect(methodsOf(requests).slice(1)).toEqual([
    ['eth_call', 'eth_call'],
    ['eth_getLogs'],
    ['eth_getLogs'],
    ['eth_getLogs'],
  ]);
});

test('a node without access lists proves nothing about the token', async () => {
  expect((await find({ hasAccessLists: false })).found).toBeUndefined();
});

test('logs that the node refuses prove nothing about the token', async () => {
  const refused: RpcReply = { error: { code: -32_005, message: 'range too large' } };
  expect((await find({ logs: () => refused })).found).toBeUndefined();
});

test.each<[string, Partial<TestToken>]>([['more than 255 decimals', { decimals: 256n }]])(
  'a token with %s is no token',
  async (_, more) => {
    expect((await find({ ...atIndex(3n, 4n), ...more })).found).toBeUndefined();
    expect((await find({ ...atIndex(3n, 4n), decimals: 255n })).found).toMatchObject({ decimals: 255 });
  },
);

test.each([
  ['an error', { error: { code: -32_000, message: 'no overrides' } }],
  ['nothing', { result: '0x' }],
  ['null', { result: null }],
  ['half a word', { result: '0x1234' }],
])('a lens that returns %s finds nothing, and nothing is kept', async (_, reply) => {
  const { node } = tokenNode(atIndex(3n, 4n));
  const { send } = node;
  node.send = async (calls) =>
    (await send(calls)).map((each, index) => (calls[index]?.method === 'eth_call' ? (reply as RpcReply) : each));
  expect(await findFunding(node, token)).toBeUndefined();
});

test('the found funding gives accounts their amounts and allowances', async () => {
  const payers = [
    { account: owner, amount: 7n },
    { account: `0x${'c3'.repeat(20)}` as Address, amount: 9n },
  ];
  const stored = (token_: TestToken, accounts: Record<Address, { stateDiff?: Record<Hex, Hex> }>) =>
    payers.map(({ account }) => [
      BigInt(accounts[token]?.stateDiff?.[token_.balance?.(account) ?? '0x'] ?? 0n),
      BigInt(accounts[token]?.stateDiff?.[token_.allowance?.(account, spender) ?? '0x'] ?? 0n),
    ]);
  for (const token_ of [atIndex(3n, 4n), atIndex(2n ** 40n, 2n ** 41n)]) {
    const { found, node, requests } = await find(token_);
    const before = requests.length;
    const funded = await fundAccounts(node, token, spender, found as Funding, payers);
    expect(stored(token_, funded?.accounts ?? {})).toEqual([7n, 9n].map((amount) => [amount, 2n ** 256n - 1n]));
    // Positions need a request for the slots, formulas none.
    expect(requests.length - before).toBe(token_.balance === undefined || slotsOf(found as Funding)[0] === 0 ? 1 : 0);
  }
});

test('accounts are not funded if the node does not return their slots, or returns those of another contract', async () => {
  const { found } = await find(atIndex(2n ** 40n, 2n ** 41n));
  const payers = [{ account: owner, amount: 7n }];
  const without = tokenNode({ hasAccessLists: false });
  expect(await fundAccounts(without.node, token, spender, found as Funding, payers)).toBeUndefined();
  const elsewhere = tokenNode({ ...atIndex(2n ** 40n, 2n ** 41n), store: proxyStore });
  expect(await fundAccounts(elsewhere.node, token, spender, found as Funding, payers)).toBeUndefined();
  expect(testHeader.number).toBe('0x8000');
});
