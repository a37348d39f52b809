import {
  type Abi,
  type Address,
  BaseError,
  decodeErrorResult,
  encodeFunctionData,
  type Hex,
  isHex,
  toFunctionSelector,
  zeroAddress,
} from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { policyRegistryArtifact } from '../../../contracts/artifacts/testTokens/PolicyRegistry.ts';
import { b20Roles, b20Scopes } from '../../../engine/venues/b20/b20.ts';
import { b20, b20AddressOf } from '../../../sandbox/b20/installB20.ts';
import { makerAddress } from '../../../sandbox/index.ts';
import { NodeCallError } from '../../../sandbox/rpc/nodeClient.ts';
import { withRevert } from '../../../sandbox/testTokens/measurement/traders.ts';
import { createChainReader } from '../../../tools/verify/chainReader.ts';
import { verifyB20 } from '../../../tools/verify/verifyB20.ts';
import { loopbackEndpoint } from '../../engine/loopbackEndpoint.ts';
import { b20Endpoint } from '../../support/b20Endpoint.ts';
import { accounts, type B20Token, B20World, idOf } from './b20World.ts';

// The published cases of docs.base.org/specifications/b20 and of base-std's changelog (Beryl to Denim), tried on the
// stand-ins, so that the tests of the check rest on the published rules.

let world: B20World;
let token: B20Token;
beforeAll(async () => {
  world = await B20World.start();
  token = (await world.create([{ symbol: 'CASES' }])).get('CASES') as B20Token;
}, 120_000);
afterAll(() => world?.close());

const alwaysBlock = (1n << 56n) | 1n;
const inverted = 1n << 63n;
const abis: Abi = [...b20.abi, ...policyRegistryArtifact.abi] as Abi;

/** The error of a call with its first argument; undefined if it succeeds. */
async function errorOf(from: Address, to: Address, functionName: string, args: readonly unknown[]) {
  const data = encodeFunctionData({ abi: abis, functionName, args });
  try {
    await world.node.call('eth_call', [{ from, to, data }, 'latest']);
    return undefined;
  } catch (error) {
    if (!(error instanceof NodeCallError) || !isHex(error.data)) throw error;
    try {
      const { errorName, args: [first] = [] } = decodeErrorResult({ abi: abis, data: error.data });
      return first === undefined ? errorName : `${errorName} ${first}`;
    } catch (cause) {
      if (!(cause instanceof BaseError)) throw cause;
      return error.data;
    }
  }
}

async function read(to: Address, functionName: string, args: readonly unknown[]): Promise<bigint> {
  const data = encodeFunctionData({ abi: abis, functionName, args });
  return BigInt(await world.node.call<Hex>('eth_call', [{ to, data }, 'latest']));
}

test.each([
  ['isAuthorized(uint64,address)', '0x55a1179e'],
  ['policyExists(uint64)', '0x330f5637'],
  ['policyAdmin(uint64)', '0x09dd0a47'],
  ['pendingPolicyAdmin(uint64)', '0x017548b7'],
  ['updateAllowlist(uint64,bool,address[])', '0x3388fb5b'],
  ['createPolicy(address,uint8)', '0xca5d55f6'],
  ['createPolicyWithAccounts(address,uint8,address[])', '0xa2d3044f'],
  ['createCompositePolicy(address,uint8,uint64[])', '0x6fdd1491'],
  ['updateComposite(uint64,uint64[])', '0xbfe142c0'],
  ['compositePolicyChildIds(uint64)', '0x7c40df74'],
  ['invertedPolicyId(uint64)', '0x6b468933'],
  ['seizeWithMemo(address,address,uint256,bytes32)', '0xf916d81b'],
  ['burnBlocked(address,uint256)', '0xec0cf3dc'],
])('the stand-ins have %s with the published selector', (signature, selector) => {
  expect(toFunctionSelector(signature)).toBe(selector);
  const name = signature.slice(0, signature.indexOf('('));
  expect(abis.some((entry) => entry.type === 'function' && entry.name === name)).toBe(true);
});

test('roles and scopes have the published values', () => {
  expect(b20Roles.SEIZE_ROLE).toBe('0x3469b8b0d89e9604f8510ed143f74a8336d22955d4f83e23bf53d9414e27f432');
  expect(b20Scopes.SEIZE_EXEMPT_POLICY).toBe('0xedb5da348cfb67af08746d3afd1be81034b50d5c8576f31aff688f39dfd540ed');
  expect(b20Scopes.SEIZE_RECEIVER_POLICY).toBe('0xbf15b19caf5c77422c038bc25f26b8b815c3a14f6d04c6616076b81bcfe07b3d');
});

test('a transfer is refused in the published order: pause, receiver, allowance, executor, sender, receiver policy, balance', async () => {
  await withRevert(world.node, async () => {
    const { admin, pauser, unpauser } = accounts;
    const send = (to: Address) => errorOf(admin, token.address, 'transfer', [to, 1n]);
    const pull = (to: Address) => errorOf(admin, token.address, 'transferFrom', [makerAddress, to, 1n]);
    for (const role of ['PAUSE_ROLE', 'UNPAUSE_ROLE']) {
      await world.act('admin', token, 'grantRole', [idOf(role), role === 'PAUSE_ROLE' ? pauser : unpauser]);
    }
    const scopes = ['TRANSFER_EXECUTOR_POLICY', 'TRANSFER_SENDER_POLICY', 'TRANSFER_RECEIVER_POLICY'];
    for (const scope of scopes) await world.act('admin', token, 'updatePolicy', [idOf(scope), alwaysBlock]);
    await world.act('pauser', token, 'pause', [[0]]);
    expect(await send(zeroAddress)).toBe('ContractPaused 0');
    await world.act('unpauser', token, 'unpause', [[0]]);
    expect(await send(zeroAddress)).toBe(`InvalidReceiver ${zeroAddress}`);
    expect(await send(token.address)).toBe(`InvalidReceiver ${token.address}`);
    expect(await pull(pauser)).toBe(`InsufficientAllowance ${admin}`);
    // Since Denim the executor policy applies to a wallet's own transfer too.
    for (const scope of scopes) {
      expect(await send(pauser)).toBe(`PolicyForbids ${idOf(scope)}`);
      await world.act('admin', token, 'updatePolicy', [idOf(scope), 0n]);
    }
    expect(await send(pauser)).toBe(`InsufficientBalance ${admin}`);
  });
});

test('a seizure is refused in the published order: pause, role, receiver, seizable, receiver policy, balance', async () => {
  await withRevert(world.node, async () => {
    const { seizer, pauser, unpauser, admin } = accounts;
    const memo = `0x${'0'.repeat(64)}`;
    const take = (to: Address) => errorOf(seizer, token.address, 'seizeWithMemo', [admin, to, 1n, memo]);
    for (const [role, account] of [
      ['PAUSE_ROLE', pauser],
      ['UNPAUSE_ROLE', unpauser],
    ] as const)
      await world.act('admin', token, 'grantRole', [idOf(role), account]);
    await world.act('pauser', token, 'pause', [[3]]);
    expect(await take(zeroAddress)).toBe('ContractPaused 3');
    await world.act('unpauser', token, 'unpause', [[3]]);
    expect(await take(zeroAddress)).toBe(`AccessControlUnauthorizedAccount ${seizer}`);
    await world.act('admin', token, 'grantRole', [idOf('SEIZE_ROLE'), seizer]);
    expect(await take(zeroAddress)).toBe(`InvalidReceiver ${zeroAddress}`);
    expect(await take(seizer)).toBe(`AccountNotSeizable ${admin}`);
    const blocked = await world.policy('blocklist', [admin]);
    await world.act('admin', token, 'updatePolicy', [idOf('SEIZE_EXEMPT_POLICY'), blocked]);
    await world.act('admin', token, 'updatePolicy', [idOf('SEIZE_RECEIVER_POLICY'), alwaysBlock]);
    expect(await take(seizer)).toBe(`PolicyForbids ${idOf('SEIZE_RECEIVER_POLICY')}`);
    await world.act('admin', token, 'updatePolicy', [idOf('SEIZE_RECEIVER_POLICY'), 0n]);
    expect(await take(seizer)).toBe(`InsufficientBalance ${admin}`);
  });
});

test('the last admin leaves only by renounceLastAdmin, and no role can be granted afterwards', async () => {
  await withRevert(world.node, async () => {
    const { admin, minter, burner } = accounts;
    const adminRole = idOf('DEFAULT_ADMIN_ROLE');
    expect(await errorOf(admin, token.address, 'renounceRole', [adminRole, admin])).toBe('LastAdminCannotRenounce');
    await world.act('admin', token, 'grantRole', [adminRole, minter]);
    expect(await errorOf(admin, token.address, 'renounceLastAdmin', [])).toBe('NotSoleAdmin');
    await world.act('minter', token, 'renounceRole', [adminRole, minter]);
    await world.act('admin', token, 'grantRole', [idOf('BURN_ROLE'), burner]);
    await world.act('admin', token, 'setRoleAdmin', [idOf('MINT_ROLE'), idOf('BURN_ROLE')]);
    expect(await errorOf(burner, token.address, 'grantRole', [idOf('MINT_ROLE'), burner])).toBeUndefined();
    await world.act('admin', token, 'renounceLastAdmin');
    const refused = `AccessControlUnauthorizedAccount ${burner}`;
    expect(await errorOf(burner, token.address, 'grantRole', [idOf('MINT_ROLE'), burner])).toBe(refused);
  });
});

test('policies authorize as published: built-in, unknown and inverted ids, unions and intersections', async () => {
  await withRevert(world.node, async () => {
    const { policyRegistry } = b20;
    const [one, other] = [accounts.minter, accounts.burner];
    const allows = async (id: bigint, account: Address) =>
      (await read(policyRegistry, 'isAuthorized', [id, account])) === 1n;
    const allowed = await world.policy('allowlist', [one]);
    const blocked = await world.policy('blocklist', [one]);
    expect(await Promise.all([allows(0n, one), allows(alwaysBlock, one)])).toEqual([true, false]);
    expect(await Promise.all([allows(allowed, one), allows(allowed, other)])).toEqual([true, false]);
    expect(await Promise.all([allows(blocked, one), allows(blocked, other)])).toEqual([false, true]);
    expect(await Promise.all([allows(blocked | inverted, one), allows(blocked | inverted, other)])).toEqual([
      true,
      false,
    ]);
    // An unknown list has no members, and the inverse of an unknown policy authorizes no account.
    expect(
      await Promise.all([allows(999n, one), allows((1n << 56n) | 999n, one), allows(999n | inverted, one)]),
    ).toEqual([true, false, false]);
    const union = await world.policy('union', [allowed, blocked]);
    const both = await world.policy('intersection', [allowed, blocked | inverted]);
    expect(await Promise.all([allows(union, one), allows(union, other)])).toEqual([true, true]);
    expect(await Promise.all([allows(both, one), allows(both, other)])).toEqual([true, false]);
    const make = (children: readonly bigint[]) =>
      errorOf(accounts.policyAdmin, policyRegistry, 'createCompositePolicy', [accounts.policyAdmin, 2, children]);
    expect(await make([allowed])).toBe('ChildPoliciesOutsideOfRange');
    expect(await make([union, allowed])).toBe(`InvalidChildPolicy ${union}`);
    expect(await make([allowed, 999n])).toBe('PolicyNotFound');
    expect(await errorOf(accounts.admin, token.address, 'updatePolicy', [idOf('TRANSFER_SENDER_POLICY'), 999n])).toBe(
      'PolicyNotFound 999',
    );
  });
});

test('an address has the shape before creation, and only a created token has the code 0xef and an initialized entry', async () => {
  const future = await b20AddressOf(world.node, accounts.operator, { variant: 'stablecoin', name: 'later' });
  const factoryAbi = [
    {
      type: 'function',
      name: 'isB20',
      inputs: [{ type: 'address' }],
      outputs: [{ type: 'bool' }],
      stateMutability: 'view',
    },
    {
      type: 'function',
      name: 'isB20Initialized',
      inputs: [{ type: 'address' }],
      outputs: [{ type: 'bool' }],
      stateMutability: 'view',
    },
  ] as const;
  const ask = async (functionName: 'isB20' | 'isB20Initialized', address: Address) => {
    const data = encodeFunctionData({ abi: factoryAbi, functionName, args: [address] });
    return BigInt(await world.node.call<Hex>('eth_call', [{ to: b20.factory, data }, 'latest'])) === 1n;
  };
  expect(future.slice(0, 24).toLowerCase()).toBe(`0xb2${'00'.repeat(9)}01`);
  expect([await ask('isB20', future), await ask('isB20Initialized', future)]).toEqual([true, false]);
  expect([await ask('isB20', token.address), await ask('isB20Initialized', token.address)]).toEqual([true, true]);
  expect(await ask('isB20', b20.factory)).toBe(false);
  const endpoint = b20Endpoint(world.chain.rpcUrl);
  const calls = [future, token.address, b20.factory].map((address) => ({
    method: 'eth_getCode',
    params: [address, 'latest'],
  }));
  const replies = await endpoint.send(calls, { signal: AbortSignal.timeout(5_000) });
  expect(replies.map((reply) => 'result' in reply && reply.result)).toEqual(['0x', '0xef', '0xef']);
});

test('verify:deployments finds factory, policies and features, and a node without them', async () => {
  const verdicts = async () => {
    const findings = await verifyB20(await createChainReader(loopbackEndpoint(world.chain.rpcUrl)));
    return [...new Set(findings.map(({ verdict }) => verdict))];
  };
  expect(await verdicts()).toEqual(['ok']);
  await withRevert(world.node, async () => {
    for (const address of [b20.factory, b20.policyRegistry, b20.activationRegistry])
      await world.node.call('anvil_setCode', [address, '0x']);
    expect(await verdicts()).toEqual(['missing']);
  });
});
