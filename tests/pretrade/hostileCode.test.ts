import { encodeAbiParameters, type Hex, padHex, size, toHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBatch } from '../../engine/chain/batch.ts';
import type { RpcEndpoint } from '../../engine/index.ts';
import { type LowerAddress, toLowerAddress } from '../../engine/lowerAddress.ts';
import { proxySlots } from '../../engine/pretrade/bytecode/proxies.ts';
import { fromCodeLensReplies, toCodeLensCalls } from '../../engine/pretrade/bytecode/readCode.ts';
import { type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { createNodeClient, type NodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { stateReaderOn } from '../engine/directPoolReads.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { checkerOver } from './checkOn.ts';

// A token chooses what its functions do and how large its code is. Neither may hide code that `eth_getCode` returns.

let sandbox: Sandbox;
let base: SandboxChain;
let node: NodeClient;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  base = sandbox.chains.base as SandboxChain;
  node = createNodeClient(base.rpcUrl);
});
afterAll(() => sandbox?.close());

const addressOf = (index: number): LowerAddress => toLowerAddress(padHex(toHex(0xc0de_0000 + index), { size: 20 }));
const token = addressOf(0);
const beacon = addressOf(1);
const implementation = addressOf(2);
/** JUMPDEST up to the largest size of code that EIP-170 allows. */
const largestCode: Hex = `0x${'5b'.repeat(24_576)}`;

/** PUSH of a number. */
const pushed = (value: number, bytes: number) =>
  `${(0x5f + bytes).toString(16)}${value.toString(16).padStart(2 * bytes, '0')}`;

/** A contract whose functions implementation() and facetAddresses() run `body`; others return nothing. */
function answering(body: string, data = ''): Hex {
  const start = 0x20;
  const code = `5f3560e01c80635c60da1b14${pushed(start, 2)}57806352ef6b2c14${pushed(start, 2)}5700`;
  const head = code.padEnd(2 * start, '0');
  return `0x${head}5b${body}${data}`;
}

/** Returns these bytes, which follow the code. */
function returning(data: Hex): Hex {
  const length = size(data);
  const at = 0x20 + 1 + 3 + 3 + 2 + 3 + 2;
  return answering(`${pushed(length, 2)}${pushed(at, 2)}5f39${pushed(length, 2)}5ff3`, data.slice(2));
}

const loop = `5b${pushed(0x21, 2)}56`;
const mebibyte = pushed(1_048_576, 3);
const facets = (addresses: readonly LowerAddress[]) =>
  returning(encodeAbiParameters([{ type: 'address[]' }], [addresses]));
const distinct = Array.from({ length: 24 }, (_, index) => addressOf(100 + index));

const hostile: Record<string, Hex> = {
  'runs in a loop': answering(loop),
  'burns all gas at once': answering('fe'),
  'returns a mebibyte': answering(`${mebibyte}5ff3`),
  'returns 300 kB': answering(`${pushed(300_000, 3)}5ff3`),
  'reverts with a mebibyte': answering(`${mebibyte}5ffd`),
  'reverts with 300 kB': answering(`${pushed(300_000, 3)}5ffd`),
  // mstore(0, calldataload(0)), call(gas, this, 0, 0, 4, 0, 0) for ever.
  'calls itself': answering('5f355f525f5f60045f5f305af1505f5ff3'),
  'has 24 facets of the largest size': facets(distinct),
  'lists one facet of the largest size 100 times': facets(Array.from({ length: 100 }, () => implementation)),
  'is as large as possible': `0x${answering(loop)
    .slice(2)
    .padEnd(2 * 24_576, '0')}`,
};

async function codeAt(address: LowerAddress): Promise<Hex> {
  return node.call<Hex>('eth_getCode', [address, 'latest']);
}

async function readCode() {
  const batch = createBatch();
  const replies = batch.add(...toCodeLensCalls(token, 'latest'));
  await batch.send(stateReaderOn(base).node);
  return fromCodeLensReplies(replies());
}

beforeAll(async () => {
  for (const address of [implementation, ...distinct]) await node.call('anvil_setCode', [address, largestCode]);
});

test.each(Object.entries(hostile))('the code lens returns all code of a token that %s', async (_, code) => {
  await node.call('anvil_setCode', [token, code]);
  const read = await readCode();
  expect(read?.own).toBe(await codeAt(token));
  for (const each of read?.named ?? []) expect(each.code).toBe(await codeAt(each.target));
  if (code === hostile['has 24 facets of the largest size']) {
    expect(read?.named.map(({ target }) => target)).toEqual(distinct);
  }
});

test.each(Object.entries(hostile))('the code lens returns the code behind a token whose beacon %s', async (_, code) => {
  const slot = (name: 'beacon' | 'implementation', address: LowerAddress) =>
    node.call('anvil_setStorageAt', [token, proxySlots[name], padHex(address, { size: 32 })]);
  await node.call('anvil_setCode', [token, '0x00']);
  await node.call('anvil_setCode', [beacon, code]);
  await slot('beacon', beacon);
  await slot('implementation', implementation);
  expect(await readCode()).toMatchObject({ own: '0x00', target: implementation, behind: largestCode });
  await slot('implementation', toLowerAddress(padHex('0x', { size: 20 })));
  expect(await readCode()).toMatchObject({ own: '0x00', target: padHex('0x', { size: 20 }), behind: '0x' });
  await slot('beacon', toLowerAddress(padHex('0x', { size: 20 })));
});

test('a node that refuses the calls of the code lens makes the answer read failed, not none', async () => {
  const palm = base.tokens.find(({ symbol }) => symbol === 'PALM')?.address;
  if (!palm) throw new TypeError('There is no PALM.');
  const endpoint = loopbackEndpoint(base.rpcUrl);
  const dataOf = ({ params }: { params: readonly unknown[] }) => (params[0] as { data?: Hex } | undefined)?.data;
  const refused = toCodeLensCalls(toLowerAddress(palm), 'latest').flatMap((call) => dataOf(call) ?? []);
  const refusing: RpcEndpoint = {
    label: 'refuses the code lens',
    send: async (calls, options) => {
      const replies = await endpoint.send(calls, options);
      const isRefused = calls.map((call) => refused.some((data) => dataOf(call) === data));
      const error = { code: -32602, message: 'state overrides are not supported' };
      return replies.map((reply, index) => (isRefused[index] ? { error } : reply));
    },
  };
  const { risk_profile, ownership, sources, reasons } = await checkerOver(base, refusing).check({
    chain: 'base',
    token: palm,
  });
  expect(risk_profile.transferability).toMatchObject({ hasBlacklist: null, fingerprints: 'unknown' });
  expect(ownership.isMintable).toBeNull();
  for (const path of ['risk_profile.transferability.hasBlacklist', 'ownership.isMintable']) {
    expect(sources[path]).toMatch(/^unavailable: read failed: /);
  }
  expect(reasons.join(' ')).toContain('The bytecode could not be analysed completely');
});
