import { type Address, getAddress, type Hex } from 'viem';
import { customPoolMakerArtifact } from '../../contracts/artifacts/testTokens/CustomPoolMaker.ts';
import { refuseSalesHookArtifact } from '../../contracts/artifacts/testTokens/RefuseSalesHook.ts';
import { refuseSalesPluginArtifact } from '../../contracts/artifacts/testTokens/RefuseSalesPlugin.ts';
import { singletonVaultArtifact } from '../../contracts/artifacts/testTokens/SingletonVault.ts';
import type { Action, ChainPlan } from '../chainPlan.ts';
import { toMakerTransactions } from '../market/maker.ts';
import { operatorAddress } from '../placement/operator.ts';
import type { NodeClient } from '../rpc/nodeClient.ts';
import type { SandboxChain } from '../sandboxTypes.ts';
import { customPoolMakerAddress, refusingPluginAddress } from './algebraPools.ts';
import { coreTokens } from './coreTokens.ts';
import { tradeAmount } from './counterAssets.ts';
import { createTokens, deployerAddress, insiderAddress } from './createTokens.ts';
import { type PoolWork, planPool, vaultAddress } from './poolTransactions.ts';
import { refusingHookAddress } from './refusingHook.ts';
import { nextNonce, sendTransactions, type Transaction, unlock } from './sendTransactions.ts';
import type { TestToken, TestTokenPool, TestTokens, TokenDefinition } from './testTokenTypes.ts';

/** Uniswap's v2 router on Base. */
const uniswapV2Router: Address = '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24';
const uniswapV2Factory: Address = '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6';

export interface DeploymentTools {
  node: NodeClient;
  plan: ChainPlan;
  /** Default: `coreTokens`. */
  tokens?: readonly TokenDefinition[];
}

/**
 * Deploys every test token with its pools. Automatic mining of the node must be off.
 * @throws {TestTokenDeploymentError} a transaction fails or is not mined
 */
export async function deployTestTokens(
  chain: SandboxChain,
  { node, plan, tokens = coreTokens }: DeploymentTools,
): Promise<TestTokens> {
  await Promise.all([deployerAddress, insiderAddress, operatorAddress].map((account) => unlock(node, account)));
  await node.batch([
    { method: 'anvil_setCode', params: [refusingHookAddress, refuseSalesHookArtifact.runtime] },
    { method: 'anvil_setCode', params: [customPoolMakerAddress, customPoolMakerArtifact.runtime] },
    { method: 'anvil_setCode', params: [refusingPluginAddress, refuseSalesPluginArtifact.runtime] },
    { method: 'anvil_setCode', params: [vaultAddress, singletonVaultArtifact.runtime] },
  ]);
  const { created, transactions, afterwards } = createTokens(tokens, {
    router: uniswapV2Router,
    factory: uniswapV2Factory,
    wrappedNative: chain.wrappedNative,
    nonce: await nextNonce(node, deployerAddress),
  });
  const environment = { plan, created, router: uniswapV2Router };
  const works = created.flatMap((token) => token.definition.pools.map((pool) => planPool(pool, token, environment)));
  await sendTransactions(node, deployerAddress, [
    ...transactions,
    ...works.flatMap(({ deployerTransactions }) => deployerTransactions),
  ]);
  await sendTransactions(node, operatorAddress, asMaker(works.flatMap(({ open }) => open)));
  const located = await locateAll(chain, node, works);
  await sendTransactions(
    node,
    operatorAddress,
    asMaker(works.flatMap(({ fill }, index) => fill(located[index]?.pool ?? '0x'))),
  );
  await sendTransactions(node, deployerAddress, afterwards);
  const testTokens = created.map(
    ({ definition: { deploy: _, pools: __, ...token }, address, decimals, supply }): TestToken => {
      const pools = located.filter((_pool, index) => works[index]?.token.address === address);
      return { ...token, address, decimals, supply, pools };
    },
  );
  return { deployer: deployerAddress, insider: insiderAddress, router: uniswapV2Router, tokens: testTokens };
}

const asMaker = (actions: readonly Action[]): Transaction[] =>
  toMakerTransactions(actions).map(({ to, data = '0x', value = 0n }) => ({ to, data, value }));

/** Looks up the address or id of each pool. */
async function locateAll(chain: SandboxChain, node: NodeClient, works: readonly PoolWork[]): Promise<TestTokenPool[]> {
  const addresses = await node.batch<Hex>(
    works.flatMap(({ locate }) => ('id' in locate ? [] : { method: 'eth_call', params: [locate, 'latest'] })),
  );
  let next = 0;
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
      return { ...common, token0, token1, pool: getAddress(`0x${(addresses[next++] ?? '0x').slice(-40)}`) };
    }
    const { id: pool, key } = locate;
    if (venueName === 'vault') return { ...common, token0, token1, pool };
    return { ...common, token0: key.currency0, token1: key.currency1, pool, key };
  });
}
