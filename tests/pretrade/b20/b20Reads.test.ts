import { type Address, encodeFunctionData } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { honestTokenArtifact } from '../../../contracts/artifacts/sandbox/HonestToken.ts';
import { b20TokenArtifact } from '../../../contracts/artifacts/testTokens/B20Token.ts';
import type { PretradeAnswer, RpcEndpoint } from '../../../engine/index.ts';
import { b20, b20AddressOf } from '../../../sandbox/b20/installB20.ts';
import { withRevert } from '../../../sandbox/testTokens/measurement/traders.ts';
import { b20Endpoint } from '../../support/b20Endpoint.ts';
import { checkerOver } from '../checkOn.ts';
import { accounts, type B20Token, B20World, idOf } from './b20World.ts';

// Shared policies, look-alikes, failed reads and the number of requests.

let world: B20World;
let tokens: Map<string, B20Token>;
beforeAll(async () => {
  world = await B20World.start();
  tokens = await world.create([{ symbol: 'FIRST' }, { symbol: 'SECOND' }]);
}, 120_000);
afterAll(() => world?.close());

const tokenOf = (symbol: string): B20Token => {
  const token = tokens.get(symbol);
  if (!token) throw new TypeError(`There is no ${symbol}.`);
  return token;
};
const check = (address: Address, endpoint: RpcEndpoint = b20Endpoint(world.chain.rpcUrl)): Promise<PretradeAnswer> =>
  checkerOver(world.chain, endpoint).check({ chain: 'base', token: address });
const renounce = (token: B20Token) => world.act('admin', token, 'renounceLastAdmin');

test('a shared policy that changes after the purchase changes the answers of all its tokens', async () => {
  await withRevert(world.node, async () => {
    const [first, second] = [tokenOf('FIRST'), tokenOf('SECOND')];
    const id = await world.policy('blocklist');
    for (const token of [first, second]) {
      await world.act('admin', token, 'updatePolicy', [idOf('TRANSFER_RECEIVER_POLICY'), id]);
      await renounce(token);
    }
    const checker = checkerOver(world.chain, b20Endpoint(world.chain.rpcUrl));
    const before = await checker.check({ chain: 'base', token: first.address });
    const named = `TRANSFER_RECEIVER_POLICY is the shared blocklist ${id}, whose admin ${accounts.policyAdmin} can change it for every token that uses it.`;
    expect(before.reasons).toContain(named);
    expect(before.risk_profile.transferability).toMatchObject({ hasBlacklist: true, outcome: 'tradable' });
    const { wallet } = await world.trade(first);
    expect(await world.balanceOf(first, wallet)).toBeGreaterThan(0n);

    // No transaction goes to either token.
    await world.decide('updateBlocklist', [id, true, [first.pair, second.pair]]);
    expect(await world.sell(first)).toBe(false);
    for (const { address, pair } of [first, second]) {
      const after = await checker.check({ chain: 'base', token: address });
      expect(after.risk_profile.transferability).toMatchObject({ outcome: 'sale-blocked', tradingEnabled: false });
      expect(after.reasons).toContainEqual(expect.stringContaining(`refuses the pool ${pair}`));
    }
  });
});

test('a repeat sees a role that was granted since, and takes no more requests', async () => {
  await withRevert(world.node, async () => {
    const token = tokenOf('FIRST');
    await world.act('admin', token, 'setRoleAdmin', [idOf('MINT_ROLE'), idOf('BURN_ROLE')]);
    const endpoint = b20Endpoint(world.chain.rpcUrl);
    const checker = checkerOver(world.chain, endpoint);
    const query = { chain: 'base', token: token.address } as const;
    await checker.check(query);
    const before = endpoint.requests;
    await checker.check(query);
    // Pools and role logs are read beside the batch, as for every token with roles.
    expect(endpoint.requests - before).toBe(3);
    await world.act('admin', token, 'grantRole', [idOf('MINT_ROLE'), accounts.minter]).catch(() => undefined);
    await world.act('admin', token, 'grantRole', [idOf('BURN_ROLE'), accounts.burner]);
    await world.act('burner', token, 'grantRole', [idOf('MINT_ROLE'), accounts.minter]);
    const { ownership } = await checker.check(query);
    expect(ownership.note).toContain(`isMintable is true: ${accounts.minter} has MINT_ROLE`);
  });
});

test('the facts join the requests of a check, of which those of a contract with owner functions are as many', async () => {
  const endpoint = b20Endpoint(world.chain.rpcUrl);
  const checker = checkerOver(world.chain, endpoint);
  // The first check of a process also tests the node.
  await checker.check({ chain: 'base', token: world.chain.wrappedNative });
  const before = endpoint.requests;
  await checker.check({ chain: 'base', token: tokenOf('FIRST').address });
  // The batch, the logs of pools and of roles, the trades, and what depends on the logs.
  expect(endpoint.requests - before).toBe(5);
});

test('no call to the factory or a registry is sent for a token without the address shape', async () => {
  const endpoint = b20Endpoint(world.chain.rpcUrl);
  const { send } = endpoint;
  const sent: string[] = [];
  endpoint.send = (calls, options) => {
    sent.push(JSON.stringify(calls).toLowerCase());
    return send(calls, options);
  };
  await check(world.chain.tokens.find(({ symbol }) => symbol === 'DAI')?.address ?? '0x', endpoint);
  expect(sent.some((text) => text.includes(b20.factory.slice(2).toLowerCase()))).toBe(false);
  expect(sent.some((text) => text.includes(b20.policyRegistry.slice(2).toLowerCase()))).toBe(false);
});

const refusing = (isRefused: (call: { method: string; params: readonly unknown[] }) => boolean): RpcEndpoint => {
  const endpoint = b20Endpoint(world.chain.rpcUrl);
  const { send } = endpoint;
  endpoint.send = async (calls, options) => {
    const replies = await send(calls, options);
    return replies.map((reply, index) => {
      const call = calls[index];
      return call && isRefused(call as never) ? { error: { code: -32_000, message: 'internal error' } } : reply;
    });
  };
  return endpoint;
};

test('without the role logs no power is excluded, and the reason names the missing logs', async () => {
  await withRevert(world.node, async () => {
    const token = tokenOf('FIRST');
    await renounce(token);
    const isRoleLogs = ({ method, params }: { method: string; params: readonly unknown[] }) =>
      method === 'eth_getLogs' && JSON.stringify(params).toLowerCase().includes(token.address.slice(2).toLowerCase());
    const answer = await check(token.address, refusing(isRoleLogs));
    expect(answer.risk_profile.transferability.hasBlacklist).toBeNull();
    expect(answer.ownership).toMatchObject({ isMintable: null, ownerAddress: null, ownerRenounced: null });
    const why = "unavailable: read failed: the node did not return the token's role logs";
    expect(answer.sources['risk_profile.transferability.hasBlacklist']).toBe(why);
    expect(answer.sources['ownership.isMintable']).toBe(why);
    expect(answer.sources['ownership.ownerRenounced']).toMatch(/^unavailable: read failed/);
  });
});

test('if factory and roles cannot be read, no power is excluded', async () => {
  await withRevert(world.node, async () => {
    const token = tokenOf('FIRST');
    await renounce(token);
    const isFacts = ({ params }: { params: readonly unknown[] }) =>
      JSON.stringify(params).toLowerCase().includes(b20.factory.slice(2).toLowerCase());
    const answer = await check(token.address, refusing(isFacts));
    expect(answer.risk_profile.transferability.hasBlacklist).toBeNull();
    expect(answer.ownership.isMintable).toBeNull();
    expect(answer.sources['ownership.isMintable']).toMatch(/^unavailable: read failed/);
    expect(answer.reasons).toContainEqual(expect.stringContaining('the B20 factory could not be read'));
  });
});

test('an address with the shape and without the factory’s word is no B20 token', async () => {
  await withRevert(world.node, async () => {
    // Same answers as an honest contract, at an address that only has the shape.
    const address = await b20AddressOf(world.node, accounts.operator, { variant: 'asset', name: 'never created' });
    expect((await check(address)).reasons).toContain('There is no contract at this address.');
    await world.node.call('anvil_setCode', [address, honestTokenArtifact.runtime]);
    const answer = await check(address);
    expect(answer.risk_profile.transferability.fingerprints).not.toContain('b20');
    expect(answer.reasons).toContainEqual(expect.stringContaining('the B20 factory did not create it'));
    expect(answer.sources['ownership.isMintable']).not.toContain('B20');
  });
});

test('a contract that imitates the interface elsewhere is judged by its code', async () => {
  await withRevert(world.node, async () => {
    const address: Address = '0x00000000000000000000000000000000000b2b20';
    await world.node.call('anvil_setCode', [address, b20TokenArtifact.runtime]);
    const isMinted = encodeFunctionData({ abi: b20.abi, functionName: 'isPaused', args: [0] });
    // It was never set up, so it refuses every call.
    expect(await world.can(accounts.admin, address, isMinted)).toBe(false);
    const answer = await check(address);
    expect(answer.risk_profile.transferability.fingerprints).not.toContain('b20');
    expect(answer.sources['ownership.isMintable']).not.toContain('B20');
    expect(answer.ownership.isMintable).toBeNull();
  });
});
