import { type Address, getAddress, type Hex } from 'viem';
import { customPoolMakerArtifact } from '../../contracts/artifacts/zoo/CustomPoolMaker.ts';
import { refuseSalesHookArtifact } from '../../contracts/artifacts/zoo/RefuseSalesHook.ts';
import { refuseSalesPluginArtifact } from '../../contracts/artifacts/zoo/RefuseSalesPlugin.ts';
import { singletonVaultArtifact } from '../../contracts/artifacts/zoo/SingletonVault.ts';
import type { Action, ChainPlan } from '../chainPlan.ts';
import { byMaker } from '../market/maker.ts';
import { operatorAddress } from '../placement/operator.ts';
import type { NodeClient } from '../rpc/nodeClient.ts';
import type { SandboxChain } from '../sandboxTypes.ts';
import { customPoolMakerAddress, refusingPluginAddress } from './algebraPools.ts';
import { tradeAmount } from './counters.ts';
import { backstageAddress, createTokens, keeperAddress } from './createTokens.ts';
import { type PoolWork, planPool, vaultAddress } from './poolTransactions.ts';
import { refusingHookAddress } from './refusingHook.ts';
import { nextNonce, sendTransactions, type Transaction, unlock } from './sendTransactions.ts';
import { zooTokens } from './zooTokens.ts';
import type { TestToken, Zoo, ZooPlace, ZooToken } from './zooTypes.ts';

/** The router that retail trades go through on Base's Uniswap v2. */
const zooRouter: Address = '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24';
const zooFactory: Address = '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6';

export interface ZooTools {
  node: NodeClient;
  plan: ChainPlan;
  /** All of the zoo when absent. */
  tokens?: readonly ZooToken[];
}

/**
 * Deploys every test token with its pools. The node must not mine by itself while it runs.
 * @throws {ZooSeedError} when a transaction of the seeding fails.
 */
export async function seedZoo(chain: SandboxChain, { node, plan, tokens = zooTokens }: ZooTools): Promise<Zoo> {
  await Promise.all([keeperAddress, backstageAddress, operatorAddress].map((account) => unlock(node, account)));
  await node.batch([
    { method: 'anvil_setCode', params: [refusingHookAddress, refuseSalesHookArtifact.runtime] },
    { method: 'anvil_setCode', params: [customPoolMakerAddress, customPoolMakerArtifact.runtime] },
    { method: 'anvil_setCode', params: [refusingPluginAddress, refuseSalesPluginArtifact.runtime] },
    { method: 'anvil_setCode', params: [vaultAddress, singletonVaultArtifact.runtime] },
  ]);
  const { created, transactions, afterwards } = createTokens(tokens, {
    router: zooRouter,
    factory: zooFactory,
    wrappedNative: chain.wrappedNative,
    nonce: await nextNonce(node, keeperAddress),
  });
  const world = { plan, created, router: zooRouter };
  const works = created.flatMap((token) => token.definition.pools.map((pool) => planPool(pool, token, world)));
  await sendTransactions(node, keeperAddress, [...transactions, ...works.flatMap(({ keeper }) => keeper)]);
  await sendTransactions(node, operatorAddress, asMaker(works.flatMap(({ open }) => open)));
  const places = await locateAll(chain, node, works);
  await sendTransactions(
    node,
    operatorAddress,
    asMaker(works.flatMap(({ fill }, index) => fill(places[index]?.pool ?? '0x'))),
  );
  await sendTransactions(node, keeperAddress, afterwards);
  const testTokens = created.map(
    ({ definition: { deploy: _, pools: __, ...token }, address, decimals, supply }): TestToken => {
      const pools = places.filter((_place, index) => works[index]?.token.address === address);
      return { ...token, address, decimals, supply, pools };
    },
  );
  return { keeper: keeperAddress, backstage: backstageAddress, router: zooRouter, testTokens };
}

const asMaker = (actions: readonly Action[]): Transaction[] =>
  byMaker(actions).map(({ to, data = '0x', value = 0n }) => ({ to, data, value }));

async function locateAll(chain: SandboxChain, node: NodeClient, works: readonly PoolWork[]): Promise<ZooPlace[]> {
  const answers = await node.batch<Hex>(
    works.flatMap(({ locate }) => ('id' in locate ? [] : { method: 'eth_call', params: [locate, 'latest'] })),
  );
  let answered = 0;
  return works.map(({ locate, venueName, token, counter }) => {
    const [token0, token1] = [token.address, counter.address].sort((a, b) =>
      a.toLowerCase() < b.toLowerCase() ? -1 : 1,
    ) as [Address, Address];
    const common = {
      chain: chain.name,
      venue: venueName,
      counter: counter.address,
      counterUsd: counter.usd,
      counterDecimals: counter.decimals,
      tradeAmount: tradeAmount(counter),
    };
    if (!('id' in locate)) {
      return { ...common, token0, token1, pool: getAddress(`0x${(answers[answered++] ?? '0x').slice(-40)}`) };
    }
    const { id: pool, key } = locate;
    if (venueName === 'vault') return { ...common, token0, token1, pool };
    return { ...common, token0: key.currency0, token1: key.currency1, pool, key };
  });
}
