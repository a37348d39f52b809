import { type Address, decodeFunctionData, erc20Abi, type Hex, keccak256, padHex, parseAbi, toHex } from 'viem';
import { describe, expect, test } from 'vitest';
import { funderArtifact } from '../../../contracts/artifacts/lens/Funder.ts';
import { type TestToken, token, tokenNode } from '../../../tests/support/engine/testToken.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { RpcTransportError } from '../../errors.ts';
import { toLowerAddress } from '../../lowerAddress.ts';
import { findSource } from './findSource.ts';
import { fundFromSource } from './fundPayers.ts';

const account = (number: number): Address => toLowerAddress(padHex(toHex(0x10_0000 + number), { size: 20 }));
const transferTopic = keccak256(toHex('Transfer(address,address,uint256)'));
const roleTopic = keccak256(toHex('RoleGranted(bytes32,address,address)'));
const known = { decimals: 6, supply: 10_000n };
const logTo = (receiver: Address) => ({
  topics: [transferTopic, padHex('0x1', { size: 32 }), padHex(receiver, { size: 32 })],
});
const tooMany: RpcReply = { error: { code: -32_005, message: 'range too large' } };

interface Scene extends Omit<TestToken, 'logs' | 'received'> {
  /** Receivers of transfers since a block, the oldest first; roles: holders. */
  recent?: readonly Address[] | RpcReply;
  earlier?: readonly Address[] | RpcReply;
  minters?: readonly Address[] | RpcReply;
  /** What arrives of an amount that this account sends or mints. */
  arrives?: (from: Address, way: 'transfer' | 'mint', amount: bigint) => bigint;
}

const mintAbi = parseAbi(['function mint(address to, uint256 amount)']);

async function find(
  { recent = [], earlier = recent, minters = [], arrives = (_f, _w, amount) => amount, ...more }: Scene,
  head = 0x8000n,
) {
  const filters: { topics: (Hex | Hex[])[]; fromBlock: Hex; address: Address }[] = [];
  const tried: [Address, string, bigint][] = [];
  const toReply = (found: readonly Address[] | RpcReply): RpcReply =>
    'length' in found ? { result: found.map(logTo) } : found;
  const { node, requests } = tokenNode({
    ...more,
    logs({ params }: RpcCall) {
      const filter = params[0] as (typeof filters)[number];
      filters.push(filter);
      if (filter.topics[0] === roleTopic) return toReply(minters);
      return toReply(filter.fromBlock === '0x0' ? earlier : recent);
    },
    received({ account: from, data }) {
      const isMint = data.startsWith('0x40c10f19');
      const { args } = decodeFunctionData({ abi: isMint ? mintAbi : erc20Abi, data });
      const amount = args?.[1] as bigint;
      tried.push([toLowerAddress(from), isMint ? 'mint' : 'transfer', amount]);
      return arrives(toLowerAddress(from), isMint ? 'mint' : 'transfer', amount);
    },
  });
  return { source: await findSource(node, token, known, head), filters, tried, requests };
}

test('the holder of the largest balance gives the token', async () => {
  const balances = { [account(1)]: 5n, [account(2)]: 900n, [account(3)]: 50n };
  const { source, filters, tried } = await find({ recent: [account(1), account(2), account(3), account(2)], balances });
  expect(source).toEqual({ ...known, source: { account: account(2), way: 'transfer', sent: 900n, received: 900n } });
  expect(tried).toEqual([
    [account(2), 'transfer', 900n],
    [account(3), 'transfer', 50n],
    [account(1), 'transfer', 5n],
    // A hundredth of each balance, of those that have one.
    [account(2), 'transfer', 9n],
  ]);
  const roles = ['MINT_ROLE', 'MINTER_ROLE'].map((name) => keccak256(toHex(name)));
  expect(filters).toEqual([
    { address: token, topics: [transferTopic], fromBlock: '0x58f0', toBlock: 'latest' },
    { address: token, topics: [roleTopic, roles], fromBlock: '0x0', toBlock: 'latest' },
  ]);
});

test('a part of the balance is sent if the token limits transfers, and what arrives is kept', async () => {
  const balances = { [account(1)]: 900n };
  const { source } = await find({
    recent: [account(1)],
    balances,
    arrives: (_from, _way, amount) => (amount > 100n ? 0n : amount - 1n),
  });
  expect(source).toMatchObject({ source: { sent: 9n, received: 8n } });
});

test('contracts and accounts without a balance are left out; one with a delegation is not', async () => {
  const balances = { [account(1)]: 900n, [account(2)]: 0n, [account(3)]: 5n, [account(4)]: 6n };
  const codes = {
    [account(1)]: '0x6001',
    [account(3)]: `0xef0100${'ab'.repeat(20)}`,
    [account(4)]: `0xef0100${'ab'.repeat(21)}`,
  } as const;
  const { source } = await find({ recent: [1, 2, 3, 4].map(account), balances, codes });
  expect(source).toMatchObject({ source: { account: account(3) } });
});

test('at most three holders are tried', async () => {
  const accounts = [1, 2, 3, 4].map(account);
  const balances = Object.fromEntries(accounts.map((each, index) => [each, BigInt(10 * (index + 1))]));
  const { tried } = await find({ recent: accounts, balances, arrives: () => 0n });
  expect(tried.map(([from]) => from)).toEqual([account(4), account(3), account(2)]);
});

describe('earlier transfers', () => {
  test('are read if no recent receiver holds the token', async () => {
    const { source, filters } = await find({
      recent: [account(1)],
      earlier: [account(2)],
      balances: { [account(2)]: 7n },
    });
    expect(source).toMatchObject({ source: { account: account(2) } });
    expect(filters.map(({ fromBlock }) => fromBlock)).toEqual(['0x58f0', '0x0', '0x0']);
  });

  test('are not read twice on a chain of up to 10,000 blocks', async () => {
    const { source, filters } = await find({ balances: {} }, 10_000n);
    expect([source, filters.map(({ fromBlock }) => fromBlock)]).toEqual(['none', ['0x0', '0x0']]);
    expect((await find({}, 10_001n)).filters[0]?.fromBlock).toBe('0x1');
  });
});

test.each([
  [48, Array.from({ length: 48 }, (_, index) => 47 - index)],
  // The 24 latest, and 24 of the others, from the latest of them to the first.
  [
    96,
    [
      ...Array.from({ length: 24 }, (_, index) => 95 - index),
      ...Array.from({ length: 24 }, (_, index) => 71 - Math.round((index * 71) / 23)),
    ],
  ],
])('of %i receivers, 48 are read', async (count, expected) => {
  const { requests } = await find(
    { recent: Array.from({ length: count }, (_, index) => account(index)), balances: {} },
    1n,
  );
  const codes = requests.flat().filter(({ method }) => method === 'eth_getCode');
  expect(codes.map(({ params }) => params[0])).toEqual(expected.map(account));
});

test('a minter gives the token if no holder does: the supply, or a hundredth of it', async () => {
  const arrives: Scene['arrives'] = (_from, way, amount) => (way === 'mint' && amount <= 100n ? amount : 0n);
  const minters = [account(7), account(8), account(9)];
  const { source, tried } = await find({ recent: [account(1)], balances: { [account(1)]: 50n }, minters, arrives });
  expect(source).toEqual({ ...known, source: { account: account(9), way: 'mint', sent: 100n, received: 100n } });
  expect(tried).toEqual([
    ...[
      [account(1), 'transfer', 50n],
      [account(9), 'mint', 10_000n],
      [account(9), 'mint', 100n],
    ],
    ...[
      [account(8), 'mint', 10_000n],
      [account(8), 'mint', 100n],
    ],
  ]);
});

test('a million whole tokens are minted if the supply is unreadable', async () => {
  const { node } = tokenNode({
    logs: ({ params }) => ({
      result: (params[0] as { topics: Hex[] }).topics[0] === roleTopic ? [logTo(account(7))] : [],
    }),
    received: () => 1n,
  });
  const source = await findSource(node, token, { decimals: 6, supply: 0n }, 1n);
  expect(source).toMatchObject({ source: { way: 'mint', sent: 10n ** 12n, received: 1n } });
});

test.each<[string, Scene, string]>([
  ['no logs', {}, 'none'],
  ['refused logs of transfers', { recent: [], earlier: tooMany }, 'unread'],
  ['refused logs of roles', { minters: tooMany }, 'unread'],
  [
    'offers of which nothing arrives',
    { recent: [account(1)], balances: { [account(1)]: 5n }, arrives: () => 0n },
    'none',
  ],
])('%s: %s', async (_, scene, expected) => {
  expect((await find(scene)).source).toBe(expected);
});

test.each([
  ['no topics', [{}, null, { topics: 'text' }, { topics: [] }]],
  [
    'an address that is low, such as 0x0 or a precompile',
    [logTo(padHex('0xffff', { size: 20 })), logTo(padHex('0x0', { size: 20 }))],
  ],
  [
    'a topic that is no word',
    [{ topics: [transferTopic, '0x', `${padHex(account(1), { size: 32 })}00`] }, { topics: [1, 2, 3] }],
  ],
  ['text instead of logs', 'none'],
])('logs with %s have no account', async (_, result) => {
  const { node, requests } = tokenNode({ logs: () => ({ result }) });
  expect(await findSource(node, token, known, 1n)).toBe('none');
  expect(requests.flat().some(({ method }) => method === 'eth_getCode')).toBe(false);
});

test('logs that are too large are a property of the token; another failure is thrown', async () => {
  const failing = (error: Error) => {
    const { node } = tokenNode({});
    const { send } = node;
    node.send = (calls) => (calls.some(({ method }) => method === 'eth_getLogs') ? Promise.reject(error) : send(calls));
    return node;
  };
  const tooLarge = new RpcTransportError('too large', { tooLarge: true });
  expect(await findSource(failing(tooLarge), token, known, 1n)).toBe('none');
  const refused = new RpcTransportError('connection refused');
  await expect(findSource(failing(refused), token, known, 1n)).rejects.toBe(refused);
  const wrong = new RangeError('wrong');
  await expect(findSource(failing(wrong), token, known, 1n)).rejects.toBe(wrong);
});

describe('a source funds each payer by calls before the lens runs', () => {
  const lens: Address = `0x${'d1'.repeat(20)}`;
  const payers = [
    { account: account(21), amount: 90n },
    { account: account(22), amount: 91n },
  ];

  test.each([
    ['transfer', 100n, 100n, [90n, 91n]],
    ['transfer', 100n, 120n, [90n, 91n]],
    // A tax of 10 % is added, rounded up.
    ['mint', 100n, 90n, [100n, 102n]],
  ] as const)('by a %s of which %i arrives as %i', (way, sent, received, expected) => {
    const { accounts, funder } = fundFromSource(
      token,
      lens,
      { source: { account: toLowerAddress(account(1)), way, sent, received } },
      payers,
    );
    const { functionName, args } = decodeFunctionData({ abi: funderArtifact.abi, data: funder.wrap('0x1234') });
    if (functionName !== 'run') throw new TypeError(`The call is ${functionName}.`);
    const [sold, steps, called, query] = args;
    expect([toLowerAddress(sold), toLowerAddress(called), query]).toEqual([token, lens, '0x1234']);
    expect(steps.map(({ account: actor }) => toLowerAddress(actor))).toEqual([1, 21, 1, 22].map(account));
    const calls = steps.map(({ data }) => decodeFunctionData({ abi: [...erc20Abi, ...mintAbi], data }));
    expect(calls.map(({ functionName: name }) => name)).toEqual([way, 'approve', way, 'approve']);
    const given = calls
      .filter(({ functionName: name }) => name === way)
      .map(({ args: [to, amount] }) => [toLowerAddress(to as Address), amount]);
    expect(given).toEqual([
      [account(21), expected[0]],
      [account(22), expected[1]],
    ]);
    expect(calls[1]?.args).toEqual([expect.stringMatching(/^0x(d1)+$/i), 2n ** 256n - 1n]);
    // The code of the funder, of the source and of both payers.
    expect(
      Object.keys(accounts)
        .map((each) => toLowerAddress(each as Address))
        .sort(),
    ).toEqual([1, 21, 22].map(account).concat(toLowerAddress(funder.address)).sort());
  });
});
